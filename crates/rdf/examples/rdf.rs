//! The commands of `jackfield rdf` that need no server, as a program of their own: `cargo run -p jackfield-rdf --features cli,tape --example rdf -- block --out DIR`.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use clap::Parser;
use jackfield_rdf::cli::{self, Command};

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[expect(clippy::disallowed_methods, reason = "this program talks to a person, not to a protocol peer")]
fn main() -> ExitCode {
    let command = Arguments::parse().command;
    let (mut input, mut out) = (std::io::stdin().lock(), BufWriter::new(std::io::stdout().lock()));
    let done = cli::run(&command, &mut input, &mut out, &mut std::io::stderr(), false);
    let done = done.and_then(|problem| out.flush().map(|()| problem).map_err(Into::into));
    match done {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(problem)) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
