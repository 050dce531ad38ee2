//! Requests, answers and cancellations beside a model of them: who is answered, and what is dropped.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield_peer::{Answering, ByteStream, Connection, Handler, Incoming};
use jackfield_protocol::Revision;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Lines};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::script::{cancel, done};

/// Ids that requests use again and again. A number and a text of the same digits are two ids.
const IDS: [&str; 5] = ["1", "2", "\"1\"", "\"a\"", "-7"];

#[derive(Clone, Debug)]
enum Act {
    /// A request with an id; it waits until it is let go, or is ready at once.
    Request {
        id: usize,
        waits: bool,
        modern: bool,
    },
    Cancel(usize),
    /// A cancellation of something that never was, or that says nothing.
    CancelNothing(bool),
    /// The server has read everything up to here.
    Settle,
    /// Some of the handlers that wait end at the same moment.
    Finish(Vec<prop::sample::Index>),
    /// A handler ends at the very moment at which its request is cancelled.
    Race(prop::sample::Index),
}

fn act() -> impl Strategy<Value = Act> {
    let id = || 0..IDS.len();
    prop_oneof![
        8 => (id(), prop::bool::weighted(0.7), any::<bool>())
            .prop_map(|(id, waits, modern)| Act::Request { id, waits, modern }),
        4 => id().prop_map(Act::Cancel),
        1 => any::<bool>().prop_map(Act::CancelNothing),
        2 => Just(Act::Settle),
        2 => prop::collection::vec(any::<prop::sample::Index>(), 1..4).prop_map(Act::Finish),
        1 => any::<prop::sample::Index>().prop_map(Act::Race),
    ]
}

/// A handler whose work waits until the test lets it go. Each request has a number of its own, its tag.
#[derive(Debug, Default)]
struct Gated {
    waiting: Mutex<BTreeMap<u64, oneshot::Sender<()>>>,
    /// The futures that are there.
    alive: Arc<Mutex<BTreeSet<u64>>>,
}

struct Alive(u64, Arc<Mutex<BTreeSet<u64>>>);

impl Drop for Alive {
    fn drop(&mut self) {
        self.1.lock().unwrap().remove(&self.0);
    }
}

impl Handler for Gated {
    fn handle(&self, incoming: Incoming) -> Answering {
        let number = |name| incoming.params.get(name).and_then(|text| serde_json::from_slice(text).ok());
        // The handshake and its notification.
        let Some(tag) = number("tag") else { return Answering::ready(done(json!({}))) };
        if number("waits") == Some(0) {
            return Answering::ready(done(json!({ "tag": tag })));
        }
        let (sender, gate) = oneshot::channel();
        self.waiting.lock().unwrap().insert(tag, sender);
        self.alive.lock().unwrap().insert(tag);
        let alive = Alive(tag, self.alive.clone());
        Answering::later(async move {
            let _ = gate.await;
            drop(alive);
            done(json!({ "tag": tag }))
        })
    }
}

/// What is expected: the requests that run, by their ids, and the answers that have not been seen.
#[derive(Debug, Default)]
struct Model {
    running: BTreeMap<usize, u64>,
    answers: Vec<(usize, Answer)>,
    /// Answers that may come or not: they were cancelled at the moment at which they were ready.
    perhaps: Vec<(usize, Answer)>,
    tags: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    Result(u64),
    Error(i64),
}

impl Model {
    fn request(&mut self, id: usize, waits: bool) -> u64 {
        self.tags += 1;
        if self.running.contains_key(&id) {
            self.answers.push((id, Answer::Error(-32600)));
        } else if waits {
            self.running.insert(id, self.tags);
        } else {
            self.answers.push((id, Answer::Result(self.tags)));
        }
        self.tags
    }

    fn finish(&mut self, tag: u64) {
        let id = self.running.iter().find(|(_, running)| **running == tag).map(|(id, _)| *id);
        if let Some(id) = id {
            self.running.remove(&id);
            self.answers.push((id, Answer::Result(tag)));
        }
    }

    /// Compares what has come with what had to come.
    fn check(&mut self, mut found: Vec<(usize, Answer)>) -> Result<(), TestCaseError> {
        for perhaps in self.perhaps.drain(..) {
            if let Some(at) = found.iter().position(|answer| *answer == perhaps) {
                found.remove(at);
            }
        }
        found.sort();
        self.answers.sort();
        prop_assert_eq!(found, std::mem::take(&mut self.answers));
        Ok(())
    }
}

/// A client that writes many lines at once.
struct Wire {
    text: String,
    lines: Lines<BufReader<Box<dyn AsyncRead + Send + Unpin>>>,
    writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Wire {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Has the server read everything, and returns what it answers until it has no more to say.
    async fn settle(&mut self) -> Vec<(usize, Answer)> {
        self.writer.write_all(std::mem::take(&mut self.text).as_bytes()).await.unwrap();
        let mut answers = Vec::new();
        while let Ok(line) = tokio::time::timeout(Duration::from_millis(1), self.lines.next_line()).await {
            let answer: Value = serde_json::from_str(&line.unwrap().unwrap()).unwrap();
            let written = answer["id"].to_string();
            let id = IDS.iter().position(|id| *id == written);
            let tag = answer["result"]["tag"].as_u64().map(Answer::Result);
            let error = answer["error"]["code"].as_i64().map(Answer::Error);
            answers.extend(id.zip(tag.or(error)));
        }
        answers
    }
}

fn request(id: usize, tag: u64, waits: bool, modern: bool) -> String {
    let id: Value = serde_json::from_str(IDS[id]).unwrap();
    let mut params = json!({ "tag": tag, "waits": u8::from(waits) });
    if modern {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": Revision::LATEST,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
}

async fn play(acts: Vec<Act>) -> Result<(), TestCaseError> {
    let handler = Arc::new(Gated::default());
    let (ours, theirs) = ByteStream::pair(1 << 20);
    let mut server = JoinSet::new();
    server.spawn(Connection::new(handler.clone()).serve(theirs));
    let (reader, writer) = ours.into_parts();
    let mut wire = Wire { text: String::new(), lines: BufReader::new(reader).lines(), writer };
    let mut model = Model::default();
    wire.line(&format!(
        r#"{{"jsonrpc":"2.0","id":"init","method":"initialize","params":{{"protocolVersion":"{}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}"#,
        Revision::LATEST_WITH_HANDSHAKE
    ));
    let let_go = |tag: u64| drop(handler.waiting.lock().unwrap().remove(&tag));
    for act in acts.into_iter().chain([Act::Settle]) {
        match act {
            Act::Request { id, waits, modern } => {
                let tag = model.request(id, waits);
                wire.line(&request(id, tag, waits, modern));
            }
            Act::Cancel(id) => {
                model.running.remove(&id);
                wire.line(&cancel(serde_json::from_str::<Value>(IDS[id]).unwrap()));
            }
            Act::CancelNothing(empty) => wire.line(&if empty {
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#.to_owned()
            } else {
                cancel("never used")
            }),
            Act::Settle => model.check(wire.settle().await)?,
            Act::Finish(picks) => {
                model.check(wire.settle().await)?;
                let running: Vec<u64> = model.running.values().copied().collect();
                for tag in picks.iter().filter(|_| !running.is_empty()).map(|pick| *pick.get(&running)) {
                    let_go(tag);
                    model.finish(tag);
                }
                model.check(wire.settle().await)?;
            }
            Act::Race(pick) => {
                model.check(wire.settle().await)?;
                let running: Vec<(usize, u64)> = model.running.iter().map(|(id, tag)| (*id, *tag)).collect();
                if !running.is_empty() {
                    let (id, tag) = *pick.get(&running);
                    let_go(tag);
                    model.running.remove(&id);
                    model.perhaps.push((id, Answer::Result(tag)));
                    wire.line(&cancel(serde_json::from_str::<Value>(IDS[id]).unwrap()));
                    model.check(wire.settle().await)?;
                }
            }
        }
        if wire.text.is_empty() {
            let alive = handler.alive.lock().unwrap().clone();
            prop_assert_eq!(alive, model.running.values().copied().collect::<BTreeSet<_>>(), "what is worked on");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// PAT-003, PAT-005, PAT-008, STDIO-011, STDIO-012: a request is answered exactly once, or never if it was cancelled before; its work is
    /// dropped then, and its id is free.
    #[test]
    fn answers_and_cancelled_work_are_what_the_model_says(acts in prop::collection::vec(act(), 0..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(play(acts))?;
    }
}
