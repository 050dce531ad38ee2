//! `jackfield prompt`: gets a prompt, filled in.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jackfield::protocol::{GetPromptResult, Prompt};

use super::next;
use crate::arguments::of_prompt;
use crate::failure::{Failure, likely};
use crate::session::{Persistence, Session, with_server};
use crate::show::{Folder, Screen, Shown, block, one_line};
use crate::target::ServerOptions;

/// The arguments of `jackfield prompt`.
#[derive(Debug, Args)]
#[command(
    override_usage = "jackfield prompt [OPTIONS] TARGET PROMPT [NAME=VALUE]...\n       \
                      jackfield prompt [OPTIONS] PROMPT [NAME=VALUE]... -- COMMAND [ARGUMENT]...",
    after_help = "Arguments of a prompt are texts: name=value, or name=@FILE for the content of a file.\n\n\
Examples:\n  jackfield prompt github review code=@src/main.rs\n  jackfield prompt args-prompt city=Berlin -- jackfield serve everything"
)]
pub(crate) struct GetPrompt {
    /// The server: a URL, or a name in an mcp.json; then the prompt and its arguments
    #[arg(value_name = "TARGET|PROMPT|NAME=VALUE")]
    words: Vec<String>,
    /// Save images, audio and resources of the prompt in this directory
    #[arg(long, short, value_name = "DIRECTORY")]
    output: Option<PathBuf>,
    #[command(flatten)]
    server: ServerOptions,
}

impl GetPrompt {
    pub(crate) async fn run(mut self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        let target = self.server.target(&mut self.words).await?;
        let name = next(&mut self.words, "the name of a prompt")?;
        let folder = self.output.take().map(Folder::new);
        with_server(&self.server, target, Persistence::Once, async |session| {
            let prompt = find(session, &name).await?;
            let arguments = of_prompt(&prompt, &self.words)?;
            let result = session.client.prompt(&name, arguments).await?;
            if self.server.json {
                screen.json(&result)?;
            } else {
                show(screen, &result, &name, folder.as_ref())?;
            }
            screen.flush()?;
            Ok(ExitCode::SUCCESS)
        })
        .await
    }
}

async fn find(session: &Session, name: &str) -> Result<Prompt, Failure> {
    let mut listing = session.client.prompts();
    let mut names = Vec::new();
    while let Some(prompt) = listing.next().await {
        let prompt = prompt?;
        if prompt.name == name {
            return Ok(prompt);
        }
        names.push(one_line(&prompt.name).into_owned());
    }
    let meant = likely(name, names.iter().map(String::as_str)).map(|meant| format!("did you mean {meant}?"));
    let has = if names.is_empty() { "it has no prompts".to_owned() } else { format!("it has {}", names.join(", ")) };
    Err(Failure::usage(format!("the server has no prompt {name:?}")).why(has).hint_if(meant))
}

/// Shows who says what; a prompt of one message is just its text.
fn show(screen: &mut Screen, result: &GetPromptResult, name: &str, folder: Option<&Folder>) -> Result<(), Failure> {
    let style = screen.style();
    let several = result.messages.len() > 1;
    for message in &result.messages {
        if several {
            screen.page(&format!("{}\n", style.heading(&format!("{}:", message.role))))?;
        }
        match block(&message.content, name, folder)? {
            Shown::Text(text) => screen.text(&text)?,
            Shown::Described(line) => screen.page(&format!("{line}\n"))?,
        }
    }
    Ok(())
}
