//! `cargo xtask test`: everything that must hold before a change is merged.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::conformance::Direction;
use crate::coverage::{Coverage, Tools};
use crate::workspace::{ALL_SERVERS, Workspace, program};
use crate::{bench, conformance, fuzz, install, interop, requirements, tidy, tree};

/// The requirements that tests have covered once stay covered.
const COVERED_REQUIREMENTS: usize = 749;

const NOT_ASKED: &str = "the tests were asked to run plainly";

/// How much to run.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Leave out what is slow or installs something: measurements, documentation, dependency checks.
    #[arg(long)]
    quick: bool,
    /// Run the tests as they are, without counting the lines they reach.
    #[arg(long)]
    plain: bool,
}

/// One thing to run.
struct Step {
    name: &'static str,
    is_slow: bool,
    run: fn(&Machine<'_>) -> Result<Ended>,
}

/// How a step ended when it did not fail.
enum Ended {
    Passed,
    /// With a figure worth showing.
    PassedWith(String),
    Skipped(String),
}

/// In the order that finds the most mistakes in the least time.
const STEPS: &[Step] = &[
    Step { name: "format", is_slow: false, run: |on| on.cargo(&["fmt", "--all", "--check"]) },
    Step { name: "tidy", is_slow: false, run: |on| tidy::run(on.workspace).map(passed) },
    Step { name: "clippy", is_slow: false, run: clippy },
    Step { name: "tests", is_slow: false, run: tests },
    Step { name: "doc tests", is_slow: false, run: doc_tests },
    Step { name: "coverage", is_slow: true, run: reached_lines },
    Step { name: "documentation", is_slow: true, run: documentation },
    Step { name: "crate count", is_slow: true, run: |on| tree::run(on.workspace).map(passed) },
    Step { name: "measurements", is_slow: true, run: measurements },
    Step { name: "real clients", is_slow: true, run: real_clients },
    Step { name: "conformance", is_slow: true, run: |on| conforming(on, Direction::Server) },
    Step { name: "… as client", is_slow: true, run: |on| conforming(on, Direction::Client) },
    Step { name: "… as authorization server", is_slow: true, run: |on| conforming(on, Direction::Authorization) },
    Step { name: "requirements", is_slow: false, run: covered_requirements },
    Step { name: "fuzzing", is_slow: true, run: fuzzing },
    Step { name: "cargo deny", is_slow: true, run: deny },
];

/// Runs the steps up to the first failure, then prints how each ended.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let missing = if options.quick { Vec::new() } else { install::run() };
    let plain = options.quick || options.plain;
    let tools = if plain { Err(NOT_ASKED.to_owned()) } else { Tools::install(workspace) };
    let coverage = match tools {
        Ok(tools) => Ok(Coverage::new(workspace, tools)?),
        Err(reason) => Err(reason),
    };
    let machine = Machine { workspace, missing, coverage };
    let mut lines = Vec::new();
    let mut failed = None;
    for step in STEPS.iter().filter(|step| !(options.quick && step.is_slow)) {
        if failed.is_some() {
            lines.push(Line { name: step.name, result: "not run".to_owned(), took: Duration::ZERO });
            continue;
        }
        println!("\n=== {} ===", step.name);
        let start = Instant::now();
        let result = match (step.run)(&machine) {
            Ok(Ended::Passed) => "passed".to_owned(),
            Ok(Ended::PassedWith(figure)) => format!("passed: {figure}"),
            Ok(Ended::Skipped(reason)) => format!("skipped: {reason}"),
            Err(error) => {
                failed = Some((step.name, error));
                "FAILED".to_owned()
            }
        };
        lines.push(Line { name: step.name, result, took: start.elapsed() });
    }
    println!("\n{}", summary(&lines));
    for notice in machine.notices() {
        println!("note: {notice}");
    }
    match failed {
        None => Ok(()),
        Some((name, error)) => Err(error.context(format!("the step `{name}` failed"))),
    }
}

/// What the steps run on.
struct Machine<'a> {
    workspace: &'a Workspace,
    /// What could not be installed, and what is therefore skipped.
    missing: Vec<String>,
    /// How tests count the lines they reach, or why they do not.
    coverage: Result<Coverage<'a>, String>,
}

impl Machine<'_> {
    fn cargo(&self, arguments: &[&str]) -> Result<Ended> {
        succeed(self.workspace.cargo().args(arguments))
    }

    /// Says what could not be tested here.
    fn notices(&self) -> Vec<String> {
        let mut notices = self.missing.clone();
        if std::env::var_os("MCP_SCHEMA_DIR").is_none() {
            notices
                .push("MCP_SCHEMA_DIR is not set; skipped: tests against the official schemas and examples".to_owned());
        }
        notices
    }
}

fn clippy(on: &Machine<'_>) -> Result<Ended> {
    on.cargo(&["clippy", "--workspace", "--all-targets", "--features", ALL_SERVERS, "--", "-D", "warnings"])
}

fn tests(on: &Machine<'_>) -> Result<Ended> {
    if let Ok(coverage) = &on.coverage {
        return coverage.test(&[]).map(passed);
    }
    // The tests of the examples start them as programs. `--all-targets` would build them as tests instead.
    on.cargo(&["build", "--workspace", "--examples", "--features", ALL_SERVERS])?;
    match program("cargo-nextest") {
        Some(_) => on.cargo(&["nextest", "run", "--workspace", "--features", ALL_SERVERS]),
        None => on.cargo(&["test", "--workspace", "--lib", "--bins", "--tests", "--features", ALL_SERVERS]),
    }
}

fn doc_tests(on: &Machine<'_>) -> Result<Ended> {
    match &on.coverage {
        Ok(coverage) => coverage.test_documentation().map(passed),
        Err(_) => on.cargo(&["test", "--workspace", "--doc", "--features", ALL_SERVERS]),
    }
}

/// Needs no run of its own: the tests have counted the lines they reached.
fn reached_lines(on: &Machine<'_>) -> Result<Ended> {
    let coverage = match &on.coverage {
        Ok(coverage) => coverage,
        Err(reason) => return Ok(Ended::Skipped(reason.clone())),
    };
    let table = coverage.table()?;
    print!("{table}");
    table.check()?;
    Ok(Ended::PassedWith(table.overall()))
}

fn documentation(on: &Machine<'_>) -> Result<Ended> {
    succeed(on.workspace.cargo().args(["doc", "--workspace", "--no-deps", "--features", ALL_SERVERS]).env("RUSTDOCFLAGS", "-D warnings"))
}

fn measurements(on: &Machine<'_>) -> Result<Ended> {
    if program("valgrind").is_none() {
        return Ok(Ended::Skipped("valgrind is not installed".to_owned()));
    }
    bench::run(on.workspace, &bench::Options::check()).map(passed)
}

fn real_clients(on: &Machine<'_>) -> Result<Ended> {
    let missing = interop::run(on.workspace, &interop::Options::default())?;
    Ok(if missing.is_empty() { Ended::Passed } else { Ended::Skipped(missing.join("; ")) })
}

fn conforming(on: &Machine<'_>, direction: Direction) -> Result<Ended> {
    if let Some(reason) = conformance::obstacle(on.workspace, direction) {
        return Ok(Ended::Skipped(format!("the suite is not installed ({reason})")));
    }
    conformance::run(on.workspace, &conformance::Options::all(direction)).map(passed)
}

fn covered_requirements(on: &Machine<'_>) -> Result<Ended> {
    let options = requirements::Options { at_least: COVERED_REQUIREMENTS, ..requirements::Options::default() };
    requirements::run(on.workspace, &options).map(passed)
}

fn fuzzing(on: &Machine<'_>) -> Result<Ended> {
    // The fuzzer itself is C++.
    if program("c++").is_none() {
        return Ok(Ended::Skipped("there is no C++ compiler".to_owned()));
    }
    fuzz::run(on.workspace, &fuzz::Options { seconds: 30, targets: Vec::new() }).map(passed)
}

fn deny(on: &Machine<'_>) -> Result<Ended> {
    if program("cargo-deny").is_none() {
        return Ok(Ended::Skipped(
            "cargo-deny is not installed; `cargo install --locked cargo-deny` brings it".to_owned(),
        ));
    }
    on.cargo(&["deny", "--all-features", "check", "bans", "licenses", "sources"])?;
    // The advisories do not come from the registry, and their place can not be reached from everywhere.
    match install::quietly(on.workspace.cargo().args(["deny", "fetch", "db"])) {
        Ok(()) => on.cargo(&["deny", "--all-features", "check", "advisories"]),
        Err(reason) => Ok(Ended::Skipped(format!("the advisories only: {reason}"))),
    }
}

fn passed((): ()) -> Ended {
    Ended::Passed
}

fn succeed(command: &mut Command) -> Result<Ended> {
    let status = command.status().context("can not run cargo")?;
    if !status.success() {
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
        bail!("`cargo {}` ended with {status}", words.join(" "));
    }
    Ok(Ended::Passed)
}

/// How one step ended.
struct Line {
    name: &'static str,
    result: String,
    took: Duration,
}

fn summary(lines: &[Line]) -> String {
    let mut text = format!("{:<14} {:>8}  result\n", "step", "seconds");
    for line in lines {
        text.push_str(&format!("{:<14} {:>8.1}  {}\n", line.name, line.took.as_secs_f64(), line.result));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_has_a_line_for_each_step() {
        let line = |name, result: &str, tenths: u64| Line {
            name,
            result: result.into(),
            took: Duration::from_millis(tenths * 100),
        };
        let text = summary(&[line("format", "passed", 12), line("tests", "FAILED", 345), line("deny", "not run", 0)]);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1], ["format", "1.2", "passed"]);
        assert_eq!(lines[2], ["tests", "34.5", "FAILED"]);
        assert_eq!(lines[3], ["deny", "0.0", "not", "run"]);
    }

    #[test]
    fn a_failing_command_is_named() {
        let error = succeed(Command::new("sh").args(["-c", "exit 3"])).err().unwrap();
        assert!(error.to_string().starts_with("`cargo -c exit 3`"), "{error}");
    }
}
