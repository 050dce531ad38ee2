//! `cargo xtask loom`: models of what threads share, with every interleaving.

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::workspace::Workspace;

/// How far to look.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How often a thread may be interrupted in one execution. The tests look as far as two; each more takes ten times as long.
    #[arg(long, default_value_t = 3)]
    interruptions: usize,
}

impl Options {
    /// Looks as far as so many interruptions.
    pub(crate) fn deep(interruptions: usize) -> Self {
        Self { interruptions }
    }
}

/// Runs all models.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let mut command = workspace.cargo();
    command.args(["test", "--package", "jackfield-loom"]);
    let status = command.env("LOOM_MAX_PREEMPTIONS", options.interruptions.to_string()).status();
    match status.context("cannot run cargo")?.success() {
        true => Ok(()),
        false => bail!("an interleaving was found that breaks something, see above"),
    }
}
