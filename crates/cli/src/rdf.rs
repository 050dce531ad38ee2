//! `jackfield rdf`: messages and servers as linked data.

use std::io::{BufWriter, IsTerminal, Write};

use anyhow::{Context, bail};
use clap::Args;
use jackfield_client::Client;
use jackfield_rdf::Catalogue;
use jackfield_rdf::cli::{self, CatalogueArgs, Command};

/// What to do.
#[derive(Debug, Args)]
pub(crate) struct Rdf {
    #[command(subcommand)]
    command: Command,
}

impl Rdf {
    /// Writes what was asked for to standard output, which is no protocol's here.
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        #[expect(clippy::disallowed_methods, reason = "this command serves no protocol on its standard output")]
        let mut out = BufWriter::new(std::io::stdout());
        match self.command {
            Command::Convert(args) => {
                let log = &mut std::io::stderr();
                let progress = log.is_terminal() && !std::io::stdin().is_terminal();
                let report = cli::convert(&args, &mut std::io::stdin().lock(), &mut out, log, progress)?;
                if report.bad > 0 {
                    out.flush()?;
                    bail!("{} of {} messages could not be converted", report.bad, report.bad + report.messages);
                }
            }
            Command::Schema(args) => cli::schema(&args, &mut out)?,
            Command::Context => cli::context(&mut out)?,
            Command::Ontology => cli::ontology(&mut out)?,
            Command::Catalogue(args) => cli::catalogue(&args, &catalogue(&args).await?, &mut out)?,
            _ => bail!("this version of the command does not know how to do that"),
        }
        Ok(out.flush()?)
    }
}

/// Starts the server, asks it for all it has, and ends it.
async fn catalogue(args: &CatalogueArgs) -> anyhow::Result<Catalogue> {
    let mut catalogue = args.begin()?;
    let (program, arguments) = args.target.split_first().context("name the command that starts the server")?;
    if program.contains("://") {
        bail!("servers are reached by their command only in this version: jackfield rdf catalogue COMMAND [ARGUMENTS]");
    }
    let client =
        Client::spawn(program, arguments).await.with_context(|| format!("{program} can not be used as a server"))?;
    catalogue.revision = client.revision();
    if let Some(server) = client.server() {
        catalogue.server_info.clone_from(&server.info);
        catalogue.instructions.clone_from(&server.instructions);
        catalogue.capabilities = Some(server.capabilities.clone());
        if server.capabilities.tools.is_some() {
            catalogue.tools = client.tools().all().await?;
        }
        if server.capabilities.resources.is_some() {
            catalogue.resources = client.resources().all().await?;
            catalogue.resource_templates = client.resource_templates().all().await?;
        }
        if server.capabilities.prompts.is_some() {
            catalogue.prompts = client.prompts().all().await?;
        }
    }
    client.close().await;
    Ok(catalogue)
}
