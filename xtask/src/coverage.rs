//! `cargo xtask coverage`: which of our lines the tests reach.
//!
//! Counted are the sources of the crates that people use. Left out are tests, examples, measurements, fuzz targets, the testkit and
//! this program.

mod lcov;
mod profiles;
mod programs;
mod table;
mod tools;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::workspace::{ALL_SERVERS, Workspace, program};

use profiles::Profiles;
use table::Table;
pub(crate) use tools::Tools;

/// What to run, and what to show.
#[derive(Debug, Default, Args)]
pub(crate) struct Options {
    /// Test these packages only; then no bar has to be reached.
    #[arg(long, short)]
    package: Vec<String>,
    /// Build and run nothing: show what the last run reached.
    #[arg(long)]
    last: bool,
    /// Show so many of the files with the most lines that no test reached.
    #[arg(long, default_value_t = 0)]
    files: usize,
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
    let coverage = Coverage::new(workspace, tools)?;
    if !options.last {
        coverage.test(&options.package)?;
        if options.package.is_empty() {
            coverage.test_documentation()?;
        }
    }
    let table = coverage.table()?;
    print!("{table}");
    print!("{}", table.worst_files(options.files));
    if let Some(part) = &options.missed {
        print!("{}", table.missed_lines(part));
    }
    if options.package.is_empty() { table.check() } else { Ok(()) }
}

/// Tests that write down which lines they reach.
#[derive(Debug)]
pub(crate) struct Coverage<'a> {
    workspace: &'a Workspace,
    tools: Tools,
    /// What makes cargo build our crates, and no others, with counters.
    variables: Vec<(String, String)>,
    target: PathBuf,
    profiles: Profiles,
}

impl<'a> Coverage<'a> {
    /// Prepares a target folder of its own: with counters, our crates are different crates.
    pub(crate) fn new(workspace: &'a Workspace, tools: Tools) -> Result<Self> {
        let target = workspace.target.join("coverage");
        std::fs::create_dir_all(&target)?;
        let variables = tools.variables(workspace, &target)?;
        Ok(Self { workspace, tools, variables, profiles: Profiles::new(workspace, &target), target })
    }

    /// Builds the tests and runs them.
    pub(crate) fn test(&self, packages: &[String]) -> Result<()> {
        let chosen: Vec<&str> = match packages {
            [] => vec!["--workspace", "--features", ALL_SERVERS],
            some => some.iter().flat_map(|name| ["--package", name]).collect(),
        };
        self.profiles.clear()?;
        programs::forget_old(self.workspace, &self.target)?;
        // The tests of the examples start them as programs. `--all-targets` would build them as tests instead.
        self.building(&["build", "--workspace", "--examples", "--features", ALL_SERVERS], &[])?;
        let (build, run): (&[&str], &[&str]) = match program("cargo-nextest") {
            Some(_) => (&["nextest", "run", "--no-run"], &["nextest", "run"]),
            None => (&["test", "--lib", "--bins", "--tests", "--no-run"], &["test", "--lib", "--bins", "--tests"]),
        };
        self.building(build, &chosen)?;
        self.profiles.forget_old_macros()?;
        let mut command = self.cargo();
        command.args(run).args(&chosen).env("LLVM_PROFILE_FILE", self.profiles.of_tests());
        let passed = succeed(&mut command);
        self.profiles.gather()?;
        passed
    }

    /// Runs the examples of the documentation.
    pub(crate) fn test_documentation(&self) -> Result<()> {
        let mut command = self.cargo();
        command.args(["test", "--workspace", "--doc", "--features", ALL_SERVERS]).env("LLVM_PROFILE_FILE", self.profiles.of_tests());
        succeed(&mut command)
    }

    fn building(&self, arguments: &[&str], chosen: &[&str]) -> Result<()> {
        let mut command = self.cargo();
        command.args(arguments).args(chosen).env("LLVM_PROFILE_FILE", self.profiles.of_builds());
        succeed(&mut command)
    }

    /// Returns a cargo command that builds our crates with counters, into a folder of their own.
    fn cargo(&self) -> Command {
        let mut command = self.workspace.cargo();
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.env("CARGO_TARGET_DIR", &self.target).env("CARGO_INCREMENTAL", "0");
        command
    }

    /// Returns what the tests have reached.
    pub(crate) fn table(&self) -> Result<Table> {
        let path = self.target.join("lines.info");
        let mut command = self.tools.cargo_llvm_cov();
        command.current_dir(&self.workspace.root).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.env("CARGO_TARGET_DIR", &self.target);
        command.args(["llvm-cov", "report", "--lcov", "--output-path"]).arg(&path);
        crate::install::quietly(&mut command).map_err(anyhow::Error::msg)?;
        let text = std::fs::read_to_string(&path).with_context(|| format!("can not read {}", path.display()))?;
        Table::new(self.workspace, &lcov::files(&text))
    }
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().context("can not run cargo")?;
    let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
    ensure!(status.success(), "`cargo {}` ended with {status}", words.join(" "));
    Ok(())
}
