//! `jackfield rdf` in a build without linked data: says how to get it.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Args;

use crate::failure::Failure;
use crate::show::Screen;

/// The arguments of `jackfield rdf`, whatever they are.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Rdf {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _arguments: Vec<OsString>,
}

impl Rdf {
    #[expect(clippy::unused_async, reason = "the same signature as in a build with linked data")]
    pub(crate) async fn run(self, _: &mut Screen) -> Result<ExitCode, Failure> {
        Err(Failure::usage("this build of jackfield has no linked data")
            .hint("build it with the feature: cargo install --path crates/cli --features full"))
    }
}
