//! The `jackfield` command.

mod rdf;
mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Run and develop Model Context Protocol servers.
#[derive(Debug, Parser)]
#[command(name = "jackfield", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a reference server
    Serve(serve::Serve),
    /// Turn messages and servers into linked data
    Rdf(rdf::Rdf),
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // Standard output belongs to the protocol; logs go to standard error.
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("JACKFIELD_LOG"))
        .init();
    let outcome = match arguments.command {
        Command::Serve(serve) => serve.run().await,
        Command::Rdf(rdf) => rdf.run().await,
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
