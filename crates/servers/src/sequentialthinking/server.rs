//! The one tool.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jackfield::protocol::Tool;
use jackfield::server::CallerKey;
use jackfield::{Cx, Server};
use serde_json::Value;

use super::arguments::read;
use super::history::{History, Progress, Thought};
use super::picture::picture;
use crate::tool::{definition, hints, pretty, schema, tool};
use crate::typescript;

/// How the server for sequential thinking behaves.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Whether each thought is drawn on standard error.
    pub draw_thoughts: bool,
}

/// The most sessions whose thoughts are remembered; the one whose last thought is the longest ago is forgotten first.
const MOST_SESSIONS: usize = 1024;

/// Makes the server for sequential thinking.
pub fn server(options: Options) -> Server {
    let sessions = Arc::new(Sessions::default());
    let entry = tool(thinking(), move |arguments: Value, cx: Cx| {
        let sessions = sessions.clone();
        async move {
            let mut thought = read(&arguments).map_err(|problems| problems.join("\n"))?;
            let progress = sessions.add(&cx, &mut thought)?;
            if options.draw_thoughts {
                eprintln!("{}", picture(&thought));
            }
            pretty(&progress)
        }
    });
    let check = |arguments: &Value| read(arguments).err().unwrap_or_default();
    let server = typescript::server("sequential-thinking-server").version(env!("CARGO_PKG_VERSION"));
    server.tool(typescript::tool_checked_by(entry, check))
}

/// The thoughts of each session, or of each user where there are users.
#[derive(Default)]
struct Sessions(Mutex<Remembered>);

#[derive(Default)]
struct Remembered {
    /// With the moment of the last thought, counted in thoughts.
    histories: HashMap<CallerKey, (u64, History)>,
    thoughts: u64,
}

impl Sessions {
    fn add(&self, cx: &Cx, thought: &mut Thought) -> Result<Progress, String> {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Remembered { histories, thoughts } = &mut *remembered;
        *thoughts += 1;
        let key = cx.caller_key();
        if histories.len() >= MOST_SESSIONS && !histories.contains_key(&key) {
            let oldest = histories.iter().min_by_key(|(_, (last, _))| *last).map(|(key, _)| key.clone());
            oldest.and_then(|oldest| histories.remove(&oldest));
        }
        let (last, history) = histories.entry(key).or_default();
        *last = *thoughts;
        history.add(thought)
    }
}

const INPUT: &str = r#"{"type":"object","properties":{
"thought":{"type":"string","description":"The thought itself: a step, a question, a doubt, a hypothesis or its check."},
"nextThoughtNeeded":{"type":["boolean","string"],"description":"Whether another thought is to follow."},
"thoughtNumber":{"type":"integer","minimum":1,"maximum":9007199254740991,"description":"The number of this thought, from 1."},
"totalThoughts":{"type":"integer","minimum":1,"maximum":9007199254740991,"description":"How many thoughts are expected; this may change from thought to thought."},
"isRevision":{"type":["boolean","string"],"description":"Whether it corrects an earlier thought."},
"revisesThought":{"type":"integer","minimum":1,"maximum":9007199254740991,"description":"The number of the thought that it corrects."},
"branchFromThought":{"type":"integer","minimum":1,"maximum":9007199254740991,"description":"The number of the thought that it branches off from."},
"branchId":{"type":"string","description":"The name of the branch."},
"needsMoreThoughts":{"type":["boolean","string"],"description":"Whether more thoughts are needed than were expected."}},
"required":["thought","nextThoughtNeeded","thoughtNumber","totalThoughts"]}"#;

const OUTPUT: &str = r#"{"type":"object","properties":{"thoughtNumber":{"type":"number"},"totalThoughts":{"type":"number"},"nextThoughtNeeded":{"type":"boolean"},"branches":{"type":"array","items":{"type":"string"}},"thoughtHistoryLength":{"type":"number"}},"required":["thoughtNumber","totalThoughts","nextThoughtNeeded","branches","thoughtHistoryLength"],"additionalProperties":false}"#;

const ABOUT: &str = "Notes one step of a longer chain of thought, and returns how far the chain has come.\n\n\
Use it for problems that take several steps, or whose extent is not clear at the beginning. Call it once for each thought, with its number and \
an estimate of how many there will be; the estimate may be raised or lowered at any time. A thought may correct an earlier one (isRevision, \
revisesThought) or explore an alternative (branchFromThought, branchId). Set nextThoughtNeeded to false when the answer is found and checked.";

fn thinking() -> Tool {
    definition("sequentialthinking", ABOUT, INPUT)
        .with_title("Sequential Thinking")
        .with_output_schema(schema(OUTPUT))
        .with_annotations(hints([Some(true), Some(false), Some(true), Some(false)]))
}
