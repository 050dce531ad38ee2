//! `cargo xtask coverage`: which of our lines the tests reach, by cargo-llvm-cov.
//!
//! Counted are the sources of the crates that people use. Left out are tests, examples, measurements, fuzz targets, the testkit and
//! this program.

mod table;
mod tools;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::install;
use crate::steps::{Outcome, succeed};
use crate::workspace::{Workspace, program};

use table::Table;
use tools::Tools;

/// What to run, and what to show.
#[derive(Debug, Default, Args)]
pub(crate) struct Options {
    /// Test these packages only; then no bar has to be reached.
    #[arg(long, short)]
    package: Vec<String>,
    /// Build and run nothing: show what the last run reached.
    #[arg(long)]
    last: bool,
    /// Show the lines that no test reached in files whose path contains this.
    #[arg(long)]
    missed: Option<String>,
}

/// Runs the tests, shows what they reached, and fails below a bar. Without the tools it says so and does nothing.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let tools = match Tools::install(workspace) {
        Ok(tools) => tools,
        Err(reason) => {
            println!("coverage is skipped: {reason}");
            return Ok(());
        }
    };
    let table = measure(workspace, &tools, options)?;
    if let Some(part) = &options.missed {
        print!("{}", table.missed_lines(part));
    }
    if options.package.is_empty() { table.check() } else { Ok(()) }
}

/// The same for all packages, as a slow check.
pub(crate) fn check(workspace: &Workspace) -> Result<Outcome> {
    if program("cargo-nextest").is_none() {
        return Ok(Outcome::Skipped("cargo-nextest is not installed".to_owned()));
    }
    let tools = match Tools::install(workspace) {
        Ok(tools) => tools,
        Err(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let table = measure(workspace, &tools, &Options::default())?;
    table.check()?;
    Ok(Outcome::Measured(table.overall()))
}

fn measure(workspace: &Workspace, tools: &Tools, options: &Options) -> Result<Table> {
    if !options.last {
        // What earlier runs reached does not count.
        succeed(tools.cargo_llvm_cov(workspace).args(["clean", "--workspace", "--profraw-only"]))?;
        let mut command = tools.cargo_llvm_cov(workspace);
        command.args(["nextest", "--no-report", "--no-cfg-coverage", "--all-features"]);
        if options.package.is_empty() {
            command.arg("--workspace");
        }
        succeed(command.args(options.package.iter().flat_map(|name| ["--package", name])))?;
    }
    let report = report(workspace);
    let mut command = tools.cargo_llvm_cov(workspace);
    install::quietly(command.args(["report", "--lcov", "--output-path"]).arg(&report)).map_err(anyhow::Error::msg)?;
    let text = std::fs::read_to_string(&report).with_context(|| format!("cannot read {}", report.display()))?;
    let table = Table::new(workspace, &text)?;
    print!("{table}");
    Ok(table)
}

fn report(workspace: &Workspace) -> PathBuf {
    workspace.target.join("coverage.lcov")
}
