//! A mixed load with a fault every minute; the programs are those of the testkit.

use std::process::Command;

use anyhow::{Context, Result, bail};

use super::Options;
use crate::workspace::{MEASURED, Workspace};

/// Builds the server and its clients, and runs them; fails if anything went wrong that no fault explains.
pub(super) fn run(workspace: &Workspace, options: &Options, minutes: u64) -> Result<()> {
    let build = |package, name| match options.debug {
        true => workspace.tested_program(name),
        false => workspace.build_executable(&[MEASURED[0], MEASURED[1], "--package", package, "--bin", name]),
    };
    let (server, clients) = (build("jackfield-cli", "jackfield")?, build("jackfield-testkit", "soak")?);
    let folder = workspace.target.join("soak");
    std::fs::create_dir_all(&folder)?;
    let report = folder.join(format!("{minutes}-minutes-seed-{}.md", options.seed));
    let mut command = Command::new(clients);
    command.arg(server).arg("--report").arg(report);
    for (name, number) in [("--seconds", minutes * 60), ("--pause", options.fault_every), ("--seed", options.seed)] {
        command.args([name, &number.to_string()]);
    }
    match command.status().context("cannot run the clients")?.success() {
        true => Ok(()),
        false => bail!("something went wrong that no fault explains, see above"),
    }
}
