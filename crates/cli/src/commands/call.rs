//! `jackfield call`: calls a tool.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jackfield::protocol::{CallToolResult, Tool};
use serde_json::Value;

use super::next;
use crate::arguments::of_tool;
use crate::failure::{Failure, likely};
use crate::session::{Persistence, Session, with_server};
use crate::show::{Folder, Screen, Shown, block, one_line};
use crate::target::ServerOptions;

/// The arguments of `jackfield call`.
#[derive(Debug, Args)]
#[command(
    override_usage = "jackfield call [OPTIONS] TARGET TOOL [NAME=VALUE]...\n       \
                      jackfield call [OPTIONS] TOOL [NAME=VALUE]... -- COMMAND [ARGUMENT]...",
    after_help = "Arguments of a tool:\n  \
name=value     typed as the tool's schema says: text, number, true or false, one of a list\n  \
name=1,2,3     an array of numbers; repeat name=value for an array of texts\n  \
name:=JSON     any JSON value, the only way to write null\n  \
name=@FILE     the content of a file; @@ for a text that begins with @\n  \
-              a JSON object from standard input, sent as it is\n\n\
Examples:\n  jackfield call github search_issues query='is:open label:bug' per_page=5\n  \
jackfield call get-sum a=2 b=3 -- jackfield serve everything\n  \
echo '{\"a\": 2, \"b\": 3}' | jackfield call --json https://example.com/mcp get-sum -\n  \
jackfield call get-tiny-image --output pictures -- jackfield serve everything"
)]
pub(crate) struct Call {
    /// The server: a URL, or a name in an mcp.json; then the tool and its arguments
    #[arg(value_name = "TARGET|TOOL|NAME=VALUE")]
    words: Vec<String>,
    /// Save images, audio and resources of the result in this directory
    #[arg(long, short, value_name = "DIRECTORY")]
    output: Option<PathBuf>,
    #[command(flatten)]
    server: ServerOptions,
}

impl Call {
    pub(crate) async fn run(mut self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        let target = self.server.target(&mut self.words).await?;
        let name = next(&mut self.words, "the name of a tool")?;
        let folder = self.output.take().map(Folder::new);
        let input = if self.words.iter().any(|word| word == "-") { standard_input()? } else { String::new() };
        with_server(&self.server, target, Persistence::Once, async |session| {
            let tool = find(session, &name).await?;
            let arguments = of_tool(&tool, &self.words, &input)?;
            let progress = session.progress.clone();
            let call = session.client.call(&name, arguments).on_progress(move |notice| progress.show(&notice));
            let result = call.await?.into_result();
            session.progress.clear();
            if self.server.json {
                screen.json(&result)?;
            } else {
                show(screen, &result, &name, folder.as_ref())?;
            }
            screen.flush()?;
            Ok(if result.is_failure() { ExitCode::from(1) } else { ExitCode::SUCCESS })
        })
        .await
    }
}

/// Reads all of standard input. This happens before anything else does, so that Ctrl-C still ends the command at once.
fn standard_input() -> Result<String, Failure> {
    std::io::read_to_string(std::io::stdin())
        .map_err(|error| Failure::usage("standard input cannot be read").why(error.to_string()))
}

/// Finds the tool, which says how its arguments are read.
async fn find(session: &Session, name: &str) -> Result<Tool, Failure> {
    let mut listing = session.client.tools();
    let mut names = Vec::new();
    while let Some(tool) = listing.next().await {
        let tool = tool?;
        if tool.name == name {
            return Ok(tool);
        }
        names.push(one_line(&tool.name).into_owned());
    }
    let meant = likely(name, names.iter().map(String::as_str)).map(|meant| format!("did you mean {meant}?"));
    let has = if names.is_empty() { "it has no tools".to_owned() } else { format!("it has {}", names.join(", ")) };
    Err(Failure::usage(format!("the server has no tool {name:?}")).why(has).hint_if(meant))
}

fn show(screen: &mut Screen, result: &CallToolResult, name: &str, folder: Option<&Folder>) -> Result<(), Failure> {
    let structured = result.structured_content.as_ref();
    let mirrored = structured.map(jackfield::protocol::RawJson::to_value);
    let mut is_shown = false;
    for content in &result.content {
        // Servers repeat structured content as text for older clients; once is enough.
        let repeats = content.as_text().and_then(|text| serde_json::from_str::<Value>(text).ok());
        if let (Some(structured), true) = (structured, repeats.is_some() && repeats == mirrored) {
            if !is_shown {
                screen.json(structured)?;
            }
            is_shown = true;
            continue;
        }
        match block(content, name, folder)? {
            Shown::Text(text) => screen.text(&text)?,
            Shown::Described(line) => screen.page(&format!("{line}\n"))?,
        }
    }
    match structured {
        Some(structured) if !is_shown => screen.json(structured),
        _ => Ok(()),
    }
}
