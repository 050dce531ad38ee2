//! Counts with valgrind: instructions and allocations of a whole run.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::Program;
use super::scenario::Scenario;
use super::{conversation, http};
use crate::child::Listening;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counter {
    Instructions,
    /// Instructions, with the requests coming over HTTP.
    HttpInstructions,
    Allocations,
}

impl Counter {
    pub(super) fn unit(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::HttpInstructions => "HTTP instructions",
            Self::Allocations => "allocations",
        }
    }

    pub(super) fn limit(self, scenario: &Scenario) -> Option<f64> {
        match self {
            Self::Instructions => scenario.instructions.map(|count| count as f64),
            Self::HttpInstructions => scenario.http_instructions.map(|count| count as f64),
            Self::Allocations => None,
        }
    }

    /// Returns the lengths of the short and the long run, in requests.
    pub(super) fn lengths(self) -> (u64, u64) {
        match self {
            Self::Instructions | Self::HttpInstructions => (1_000, 11_000),
            Self::Allocations => (500, 2_500),
        }
    }

    /// Runs the program under valgrind with that many requests, all under way at once, and returns the total.
    pub(super) fn count(self, program: &Program, scenario: &Scenario, requests: u64, folder: &Path) -> Result<u64> {
        let files = Files::of(self, program, scenario, requests, folder);
        let mut command = Command::new("valgrind");
        match self {
            Self::Instructions | Self::HttpInstructions => {
                command.arg("--tool=callgrind").arg(option("--callgrind-out-file=", &files.profile))
            }
            Self::Allocations => command.args(["--tool=memcheck", "--leak-check=no", "--undef-value-errors=no"]),
        };
        command.arg(option("--log-file=", &files.report)).arg(&program.path).args(&program.arguments);
        if self == Self::HttpInstructions {
            let start = |address: std::net::SocketAddr| {
                command.args(["--http", &address.to_string()]);
                command
            };
            let listening = Listening::start(start, &files.log)?;
            http::hold(listening.address, scenario, requests)?;
            listening.stop()?;
        } else {
            conversation::hold(&mut command, &scenario.turns(1, requests), &files.log)?;
        }
        match self {
            Self::Instructions | Self::HttpInstructions => counted_instructions(&files.profile),
            Self::Allocations => {
                let file = files.report.display();
                let text = std::fs::read_to_string(&files.report).with_context(|| format!("cannot read {file}"))?;
                allocations(&text).with_context(|| format!("{file} has no total"))
            }
        }
    }
}

/// What a run leaves behind; the names tell parallel runs apart.
struct Files {
    profile: PathBuf,
    report: PathBuf,
    log: PathBuf,
}

impl Files {
    fn of(counter: Counter, program: &Program, scenario: &Scenario, requests: u64, folder: &Path) -> Self {
        let stem = program.path.file_stem().unwrap_or_default().to_string_lossy();
        let words = [stem.as_ref(), &program.arguments.join("-"), scenario.name, counter.unit(), &requests.to_string()];
        let name = words.join("-").replace([' ', '/'], "-");
        let file = |ending: &str| folder.join(format!("{name}.{ending}"));
        Self { profile: file("callgrind"), report: file("valgrind"), log: file("log") }
    }
}

fn option(name: &str, path: &Path) -> std::ffi::OsString {
    let mut option = std::ffi::OsString::from(name);
    option.push(path);
    option
}

/// Reads the total of a callgrind profile.
pub(super) fn counted_instructions(profile: &Path) -> Result<u64> {
    let text = std::fs::read_to_string(profile).with_context(|| format!("cannot read {}", profile.display()))?;
    instructions(&text).with_context(|| format!("{} has no total", profile.display()))
}

/// Finds the total in a callgrind profile.
fn instructions(profile: &str) -> Option<u64> {
    profile.lines().find_map(|line| line.strip_prefix("summary:"))?.trim().parse().ok()
}

/// Finds the total in memcheck's report: `total heap usage: 1,234 allocs, …`.
fn allocations(report: &str) -> Option<u64> {
    let (_, after) = report.split_once("total heap usage: ")?;
    after.split_whitespace().next()?.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_found() {
        assert_eq!(instructions("# callgrind format\nevents: Ir\nsummary: 123456\n\nfn=(1) main\n"), Some(123_456));
        assert_eq!(instructions("fn=(1) main\n"), None);
        let report = "==7== HEAP SUMMARY:\n==7==   total heap usage: 1,234 allocs, 1,230 frees, 9 bytes allocated\n";
        assert_eq!(allocations(report), Some(1_234));
        assert_eq!(allocations("==7== nothing"), None);
    }
}
