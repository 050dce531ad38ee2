//! `jackfield rdf`: messages and servers as linked data.

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use jackfield_host::Reach;
use jackfield_rdf::cli::{self, CatalogueArgs, Command, Subject};
use jackfield_rdf::{Catalogue, Error};

use crate::commands::{Offer, nothing_more};
use crate::failure::{Class, Failure, chain};
use crate::session::{Persistence, with_server};
use crate::show::Screen;
use crate::target::{ServerOptions, Target};

/// The arguments of `jackfield rdf`.
#[derive(Debug, Args)]
pub(crate) struct Rdf {
    #[command(subcommand)]
    command: Linked,
}

#[derive(Debug, Subcommand)]
enum Linked {
    #[command(flatten)]
    Alone(Command),
    /// Describe a server as one graph.
    Catalogue(Box<Described>),
}

/// The arguments of `jackfield rdf catalogue`.
#[derive(Debug, Args)]
#[command(
    override_usage = "jackfield rdf catalogue [OPTIONS] TARGET\n       \
                      jackfield rdf catalogue [OPTIONS] -- COMMAND [ARGUMENT]...",
    after_help = "Examples:\n  jackfield rdf catalogue https://example.com/mcp > example.ttl\n  \
                  jackfield rdf catalogue --to ntriples -- jackfield serve everything"
)]
struct Described {
    /// The server: a URL, or a name in an mcp.json
    #[arg(value_name = "TARGET")]
    words: Vec<String>,
    #[command(flatten)]
    how: CatalogueArgs,
    #[command(flatten)]
    server: ServerOptions,
}

impl Rdf {
    pub(crate) async fn run(self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        match self.command {
            Linked::Alone(command) => alone(&command, screen),
            Linked::Catalogue(command) => (*command).run(screen).await,
        }
    }
}

fn alone(command: &Command, screen: &mut Screen) -> Result<ExitCode, Failure> {
    let (out, log) = (screen.writer(), &mut std::io::stderr());
    let progress = log.is_terminal() && !std::io::stdin().is_terminal();
    let problem = cli::run(command, &mut std::io::stdin().lock(), out, log, progress).map_err(failure)?;
    screen.flush()?;
    problem.map_or(Ok(ExitCode::SUCCESS), |what| Err(Failure::new(Class::Failed, what)))
}

impl Described {
    async fn run(mut self, screen: &mut Screen) -> Result<ExitCode, Failure> {
        let target = self.server.target(&mut self.words).await?;
        nothing_more(&self.words)?;
        let mut catalogue = self.begin(&target)?;
        with_server(&self.server, target, Persistence::Once, async |session| {
            let offer = Offer::of(&session.client).await?;
            catalogue.revision = offer.revision;
            catalogue.server_info = offer.server_info;
            catalogue.instructions = offer.instructions;
            catalogue.capabilities = Some(offer.capabilities);
            catalogue.tools = offer.tools;
            catalogue.resources = offer.resources;
            catalogue.resource_templates = offer.resource_templates;
            catalogue.prompts = offer.prompts;
            cli::catalogue(&self.how, &catalogue, screen.writer()).map_err(failure)?;
            screen.flush()?;
            Ok(ExitCode::SUCCESS)
        })
        .await
    }

    fn begin(&self, target: &Target) -> Result<Catalogue, Failure> {
        let begun = match &target.reach {
            Reach::Url(url) => self.how.begin(Subject::Url(&url.url)),
            Reach::Command(command) => self.how.begin(Subject::Command(&command.words())),
        };
        begun.map_err(|error| Failure::usage("the server has no IRI").why(chain(&error)).hint("give it one with --iri"))
    }
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Io(error) if error.kind() == std::io::ErrorKind::BrokenPipe => error.into(),
        other => Failure::new(Class::Failed, chain(&other)),
    }
}
