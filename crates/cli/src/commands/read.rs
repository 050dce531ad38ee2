//! `jackfield read`: reads a resource.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jackfield::protocol::{ReadResourceResult, ResourceContents};

use super::{next, nothing_more};
use crate::failure::Failure;
use crate::session::{Persistence, with_server};
use crate::show::{Folder, Screen, Shown, decoded, resource};
use crate::target::ServerOptions;

/// The arguments of `jackfield read`.
#[derive(Debug, Args)]
#[command(
    override_usage = "jackfield read [OPTIONS] TARGET URI\n       jackfield read [OPTIONS] URI -- COMMAND [ARGUMENT]...",
    after_help = "Text is written as it is. A binary resource is written as it is to a file or pipe, and described on a terminal.\n\n\
Examples:\n  jackfield read docs file:///README.md\n  jackfield read demo://resource/dynamic/blob/1 -- jackfield serve everything > blob"
)]
pub(crate) struct Read {
    /// The server: a URL, or a name in an mcp.json; then the URI of the resource
    #[arg(value_name = "TARGET|URI")]
    words: Vec<String>,
    /// Save the resource in this directory
    #[arg(long, short, value_name = "DIRECTORY")]
    output: Option<PathBuf>,
    #[command(flatten)]
    server: ServerOptions,
}

impl Read {
    pub(crate) async fn run(mut self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        let target = self.server.target(&mut self.words).await?;
        let uri = next(&mut self.words, "the URI of a resource")?;
        nothing_more(&self.words)?;
        let folder = self.output.take().map(Folder::new);
        with_server(&self.server, target, Persistence::Once, async |session| {
            let result = session.client.read(&uri).await?;
            if self.server.json {
                screen.json(&result)?;
            } else {
                show(screen, &result, folder.as_ref())?;
            }
            screen.flush()?;
            Ok(ExitCode::SUCCESS)
        })
        .await
    }
}

fn show(screen: &mut Screen, result: &ReadResourceResult, folder: Option<&Folder>) -> Result<(), Failure> {
    let alone = result.contents.len() == 1 && folder.is_none() && !screen.is_terminal();
    for contents in &result.contents {
        match contents {
            ResourceContents::Blob(blob) if alone => screen.bytes(&decoded(&blob.blob)?)?,
            // A text that is piped into a file stays exactly what it was.
            ResourceContents::Text(text) if alone => screen.bytes(text.text.as_bytes())?,
            contents => match resource(contents, folder)? {
                Shown::Text(text) => screen.text(&text)?,
                Shown::Described(line) => screen.page(&format!("{line}\n"))?,
            },
        }
    }
    Ok(())
}
