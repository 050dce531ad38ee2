//! `cargo xtask conformance`: the official suite against our fixture server and our fixture client.
//!
//! The suite calls a scenario passed when no check failed, even when none ran. Here a scenario run has passed when a check of
//! its own succeeded, none failed and none warned, and a client ended by itself with an exit code that the scenario allows.

mod authorization;
mod suite;
mod verdict;

use std::process::Command;

use anyhow::{Error, Result, bail};
use clap::{Args, ValueEnum};

use crate::child::Listening;
use crate::workspace::Workspace;
use suite::{LEGS, Leg, Suite};
use verdict::Verdict;

/// Which side of ours is tested, and how much.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The side of ours that is tested.
    direction: Direction,
    /// Run only this scenario, in each leg that has it.
    #[arg(long)]
    scenario: Option<String>,
    /// What to test instead of our fixture: the URL of a server, or the command of a client.
    #[arg(long, hide = true)]
    subject: Option<String>,
}

/// A side of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Direction {
    Server,
    Client,
    /// Our authorization server.
    Authorization,
}

impl Direction {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
            Self::Authorization => "authorization",
        }
    }

    fn fixture(self) -> &'static str {
        match self {
            Self::Server => "conformance-server",
            Self::Client => "conformance-client",
            Self::Authorization => "conformance-auth-server",
        }
    }
}

/// What the suite talks to.
#[derive(Debug)]
enum Subject {
    /// A URL.
    Server(String),
    /// A command; the suite appends a URL.
    Client(String),
    /// The address of an authorization server.
    Authorization(std::net::SocketAddr),
}

impl Subject {
    fn direction(&self) -> Direction {
        match self {
            Self::Server(_) => Direction::Server,
            Self::Client(_) => Direction::Client,
            Self::Authorization(_) => Direction::Authorization,
        }
    }
}

impl Options {
    /// All scenarios.
    pub(crate) fn all(direction: Direction) -> Self {
        Self { direction, scenario: None, subject: None }
    }

    fn wants(&self, scenario: &str) -> bool {
        self.scenario.as_ref().is_none_or(|only| only == scenario)
    }
}

/// Says why the suite cannot be installed here, if it cannot.
pub(crate) fn obstacle(workspace: &Workspace, direction: Direction) -> Option<String> {
    Suite::install(workspace, direction).err()
}

/// Runs all legs, prints how each scenario went, and fails when one has not passed. Returns how many have.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<String> {
    let suite = Suite::install(workspace, options.direction)
        .map_err(|reason| Error::msg(reason).context("cannot install the conformance suite"))?;
    suite.clear()?;
    let (subject, _server) = subject(workspace, options, &suite)?;
    let mut runs = Vec::new();
    for &leg in LEGS {
        runs.extend(of_leg(&suite, &subject, leg, options)?);
    }
    if runs.is_empty() {
        bail!("no leg has that scenario");
    }
    println!("{}", summary(&runs));
    println!("results in {}", suite.results().display());
    let failed = runs.iter().filter(|run| !run.verdict.has_passed()).count();
    if failed > 0 {
        bail!("{failed} of {} scenario runs have not passed", runs.len());
    }
    Ok(format!("{0} of {0}", runs.len()))
}

/// Returns what to test; the server ends when it is dropped.
fn subject(workspace: &Workspace, options: &Options, suite: &Suite) -> Result<(Subject, Option<Listening>)> {
    if let Some(given) = options.subject.clone() {
        return Ok(match options.direction {
            Direction::Server => (Subject::Server(given), None),
            Direction::Client => (Subject::Client(given), None),
            Direction::Authorization => (Subject::Authorization(given.parse()?), None),
        });
    }
    let fixture = options.direction.fixture();
    let program = workspace.tested_program(fixture)?;
    if options.direction == Direction::Client {
        return Ok((Subject::Client(program.to_string_lossy().into_owned()), None));
    }
    let start = |address: std::net::SocketAddr| {
        let mut command = Command::new(&program);
        command.arg(address.to_string());
        command
    };
    let server = Listening::start(start, &suite.results().join("server.log"))?;
    let subject = match options.direction {
        Direction::Authorization => Subject::Authorization(server.address),
        _ => Subject::Server(format!("http://{}/mcp", server.address)),
    };
    Ok((subject, Some(server)))
}

/// A scenario in a leg.
struct Run {
    leg: Leg,
    scenario: String,
    verdict: Verdict,
}

fn of_leg(suite: &Suite, subject: &Subject, leg: Leg, options: &Options) -> Result<Vec<Run>> {
    // No extension concerns authorization servers.
    if leg == Leg::Extensions && subject.direction() == Direction::Authorization {
        return Ok(Vec::new());
    }
    let mut scenarios = suite.scenarios(subject.direction(), leg)?;
    scenarios.retain(|scenario| options.wants(scenario));
    // The suite starts all scenarios of a client at once, which is too much for a small machine. Those of a server run one
    // after the other anyway, but extensions are in no such run.
    // Of an authorization server, one scenario needs what another found out.
    let is_in_one_go = match subject.direction() {
        Direction::Server => options.scenario.is_none() && leg != Leg::Extensions,
        Direction::Client => false,
        Direction::Authorization => true,
    };
    let verdicts = if is_in_one_go {
        suite.run_all(subject, leg, &scenarios)?
    } else {
        scenarios.iter().map(|scenario| suite.run_one(subject, leg, scenario)).collect::<Result<_>>()?
    };
    let runs = scenarios.into_iter().zip(verdicts);
    Ok(runs.map(|(scenario, verdict)| Run { leg, scenario, verdict }).collect())
}

/// Returns what has not passed, and a line for each leg.
fn summary(runs: &[Run]) -> String {
    let mut text = String::new();
    for run in runs {
        for complaint in &run.verdict.complaints {
            text.push_str(&format!("failed: {} {}: {complaint}\n", run.leg.name(), run.scenario));
        }
    }
    text.push_str(&format!(
        "{:<12} {:>10} {:>8} {:>8} {:>8} {:>8}\n",
        "leg", "scenarios", "passed", "checks", "failed", "warned"
    ));
    for leg in runs.chunk_by(|a, b| a.leg == b.leg) {
        text.push_str(&totals(leg[0].leg.name(), leg));
    }
    text.push_str(&totals("all", runs));
    text
}

fn totals(name: &str, runs: &[Run]) -> String {
    let passed = runs.iter().filter(|run| run.verdict.has_passed()).count();
    let sum = |count: fn(&Verdict) -> usize| runs.iter().map(|run| count(&run.verdict)).sum::<usize>();
    let checks = sum(|verdict| verdict.passed + verdict.failed + verdict.warned);
    let (failed, warned) = (sum(|verdict| verdict.failed), sum(|verdict| verdict.warned));
    format!("{name:<12} {:>10} {passed:>8} {checks:>8} {failed:>8} {warned:>8}\n", runs.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_are_chosen_by_name() {
        let options = Options::all(Direction::Client);
        assert!(options.wants("initialize") && options.wants("auth/dpop"));
        let options = Options { scenario: Some("initialize".into()), ..options };
        assert!(options.wants("initialize") && !options.wants("sse-retry"));
    }

    #[test]
    fn legs_and_their_sum_are_counted() {
        let run = |leg, passed, failed| Run {
            leg,
            scenario: "ping".into(),
            verdict: Verdict { passed, failed, ..Verdict::default() }.refuse((failed > 0).then(|| "broken".to_owned())),
        };
        let runs = [run(LEGS[1], 2, 0), run(LEGS[1], 1, 1), run(Leg::Extensions, 3, 0)];
        let text = summary(&runs);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["failed:", "2025-06-18", "ping:", "broken"]);
        assert_eq!(lines[2], ["2025-06-18", "2", "1", "4", "1", "0"]);
        assert_eq!(lines[3], ["extensions", "1", "1", "3", "0", "0"]);
        assert_eq!(lines[4], ["all", "3", "2", "7", "1", "0"]);
    }
}
