//! `cargo xtask nodes`: several nodes on one Redis, killed in the middle of calls; and what the store costs.

use anyhow::{Result, bail};
use clap::Args;

use crate::workspace::{MEASURED, Workspace};

/// How hard it storms.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How often a node is killed.
    #[arg(long, default_value_t = 100)]
    kills: usize,
    /// How many calls there are.
    #[arg(long, default_value_t = 10_000)]
    calls: usize,
    /// Over how many sessions.
    #[arg(long, default_value_t = 200)]
    sessions: usize,
    /// Measure instead how much more a call of a session costs with Redis than in memory: at most twice as much.
    #[arg(long, conflicts_with_all = ["kills", "calls", "sessions"])]
    cost: bool,
    /// Use the programs that the tests use, instead of optimized ones.
    #[arg(long)]
    debug: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { kills: 100, calls: 10_000, sessions: 200, cost: false, debug: false }
    }
}

impl Options {
    /// A small storm, with the programs that the tests have built.
    pub(crate) fn short() -> Self {
        Self { kills: 10, calls: 1_000, sessions: 20, cost: false, debug: true }
    }
}

impl std::fmt::Display for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} kills during {} calls over {} sessions", self.kills, self.calls, self.sessions)
    }
}

/// Builds the programs and runs them; fails if anything went wrong.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let build = |name| match options.debug {
        true => workspace.tested_program(name),
        false => {
            workspace.build_executable(&[MEASURED[0], MEASURED[1], "--package", "jackfield-testkit", "--bin", name])
        }
    };
    let (node, storm) = (build("testkit-node")?, build("node-storm")?);
    let mut command = std::process::Command::new(storm);
    command.arg(node);
    if options.cost {
        command.arg("--cost");
    } else {
        let number = |name: &str, count: usize| [format!("--{name}"), count.to_string()];
        command.args(number("kills", options.kills));
        command.args(number("calls", options.calls));
        command.args(number("sessions", options.sessions));
    }
    match command.status()?.success() {
        true => Ok(()),
        false => bail!("several nodes are not one server, see above"),
    }
}
