//! `jackfield complete`: proposals for an argument.

use std::process::ExitCode;

use clap::Args;
use jackfield::protocol::Reference;

use super::next;
use crate::arguments::texts;
use crate::failure::Failure;
use crate::session::{Persistence, with_server};
use crate::show::{Screen, one_line};
use crate::target::ServerOptions;

/// The arguments of `jackfield complete`.
#[derive(Debug, Args)]
#[command(
    override_usage = "jackfield complete [OPTIONS] TARGET prompt|resource NAME ARGUMENT [PREFIX] [NAME=VALUE]...\n       \
                      jackfield complete [OPTIONS] prompt|resource NAME ARGUMENT [PREFIX] [NAME=VALUE]... -- COMMAND [ARGUMENT]...",
    after_help = "NAME is that of a prompt, or the URI template of a resource. Arguments that are known already can help the server: \
name=value.\n\n\
Examples:\n  jackfield complete github prompt review language py\n  \
jackfield complete prompt completable-prompt name A department=Sales -- jackfield serve everything"
)]
pub(crate) struct Complete {
    /// The server: a URL, or a name in an mcp.json; then whose argument, which one, and how it begins
    #[arg(value_name = "TARGET|WORD")]
    words: Vec<String>,
    #[command(flatten)]
    server: ServerOptions,
}

impl Complete {
    pub(crate) async fn run(mut self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        let target = self.server.target(&mut self.words).await?;
        let kind = next(&mut self.words, "the word prompt or resource")?;
        let name = next(&mut self.words, "the name of a prompt, or the template of a resource,")?;
        let reference = match kind.as_str() {
            "prompt" => Reference::prompt(name),
            "resource" | "template" => Reference::resource(name),
            _ => return Err(Failure::usage(format!("{kind:?} cannot be completed")).hint("write prompt or resource")),
        };
        let argument = next(&mut self.words, "the name of an argument")?;
        let typed = match self.words.first() {
            Some(word) if !word.contains('=') => self.words.remove(0),
            _ => String::new(),
        };
        let known = texts(&self.words)?;
        with_server(&self.server, target, Persistence::Once, async |session| {
            let result = session.client.complete(reference, argument, typed, known).await?;
            if self.server.json {
                screen.json(&result)?;
            } else {
                for value in &result.completion.values {
                    screen.page(&format!("{}\n", one_line(value)))?;
                }
            }
            screen.flush()?;
            if result.completion.has_more == Some(true) {
                let all = result.completion.total.map(|total| format!(" of {total}")).unwrap_or_default();
                eprintln!("note: these are {}{all}; there are more", result.completion.values.len());
            }
            Ok(ExitCode::SUCCESS)
        })
        .await
    }
}
