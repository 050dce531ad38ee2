//! The `jackfield` command.

mod arguments;
mod command;
mod commands;
mod failure;
mod gateway;
mod interrupt;
mod login;
mod password;
mod progress;
mod protected;
mod questions;
#[cfg_attr(not(feature = "rdf"), path = "without_rdf.rs")]
mod rdf;
mod serve;
mod session;
mod show;
mod stderr;
mod tape;
mod target;
mod typed_line;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::main()
}
