//! `cargo xtask bench`: what one request costs, counted rather than timed, so that every machine says the same.
//!
//! Each figure is the difference of a long and a short run divided by the difference of their lengths: start and end of the
//! process cancel out. The server is `bench_server` of the examples; two hand-written loops in `bench_limit` show how far
//! the figure is from what is possible at all.

mod auth;
mod baseline;
mod client;
mod command;
mod conversation;
mod counter;
mod figure;
mod http;
mod load;
mod memory;
mod peers;
mod processors;
mod rate;
mod scenario;
mod servers;
mod system_calls;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;

use crate::parallel;
use crate::workspace::{Workspace, program};
use baseline::Baseline;
use counter::Counter;
use figure::Figure;
use scenario::{ECHO, SCENARIOS, Scenario};

/// What to measure and compare.
#[derive(Debug, Default, Args)]
pub(crate) struct Options {
    /// Remember the figures in bench/baseline.json.
    #[arg(long, conflicts_with = "check")]
    save: bool,
    /// Measure the server alone, without the hand-written loops.
    #[arg(long)]
    check: bool,
    /// Compare with other software instead: packages of others, installed into target/peers.
    #[arg(long, conflicts_with_all = ["save", "check", "server"])]
    peers: bool,
    /// Of the other servers only those whose name begins like this, such as `python`; no clients and no linked data.
    #[arg(long, requires = "peers")]
    only: Option<String>,
    /// Compare requests per second over HTTP with a bare hyper server instead.
    #[arg(long, conflicts_with_all = ["save", "check", "peers", "server"])]
    load: bool,
    /// Measure the memory of idle sessions and open streams instead, ten thousand of each.
    #[arg(long, conflicts_with_all = ["save", "check", "peers", "load", "server"])]
    memory: bool,
    /// Measure the reference servers beside their originals instead, which are installed into target/originals.
    #[arg(long, conflicts_with_all = ["save", "check", "peers", "load", "memory", "server"])]
    servers: bool,
    /// Measure instead what a bearer check adds to a call, and whether the time of a refusal tells something.
    #[arg(long, conflicts_with_all = ["save", "check", "peers", "load", "memory", "server"])]
    auth: bool,
    /// Measure this program instead of the example `bench_server`; words are separated by blanks.
    #[arg(long, conflicts_with = "save")]
    server: Option<String>,
}

/// Counts what our programs cost, as a slow check; with `all`, also what thousands of sessions and a bearer check cost.
pub(crate) fn check(workspace: &Workspace, all: bool) -> Result<()> {
    run(workspace, &Options { check: true, ..Options::default() })?;
    if all {
        run(workspace, &Options { memory: true, ..Options::default() })?;
        run(workspace, &Options { auth: true, ..Options::default() })?;
        run(workspace, &Options { load: true, ..Options::default() })?;
    }
    Ok(())
}

/// Measures, prints, and fails when a limit is exceeded or a figure has grown.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if options.peers {
        return peers::run(workspace, &server(workspace, options)?, options.only.as_deref());
    }
    if options.auth {
        return auth::run(workspace);
    }
    let folder = workspace.target.join("bench");
    std::fs::create_dir_all(&folder)?;
    if options.load {
        return load::run(workspace, &folder);
    }
    if options.servers {
        return servers::run(workspace, &folder);
    }
    if options.memory {
        return memory::run(workspace, &folder, false);
    }
    if program("valgrind").is_none() {
        bail!("measuring needs valgrind; `cargo xtask verify bench` installs it where it can");
    }
    let server = server(workspace, options)?;
    let mut programs = vec![(Who::Server, server.clone())];
    if !options.check {
        let limit = workspace.build_example("bench_limit")?;
        programs.push((Who::Fixed, Program { path: limit.clone(), arguments: vec!["fixed".to_owned()] }));
        programs.push((Who::Ideal, Program { path: limit.clone(), arguments: vec!["ideal".to_owned()] }));
        programs.push((Who::Hyper, Program { path: limit, arguments: Vec::new() }));
    }

    let jobs: Vec<Job<'_>> = jobs(&programs);
    // Counting is not disturbed by company.
    let counts = parallel::map(&jobs, |job| job.measure(&folder)).into_iter().collect::<Result<Vec<f64>>>()?;
    let mut figures = figures(&jobs, &counts);
    if program("strace").is_some() {
        figures.extend(system_calls::figures(&server, &folder)?);
    } else {
        println!("skipped: system calls per request (strace is not installed)");
    }

    if options.server.is_none() {
        figures.extend(client::figures(workspace, &server, &folder)?);
        figures.push(command::figure(workspace, &server, &folder)?);
        println!("{}", command::wall_time(workspace, &server)?);
    }

    let path = workspace.root.join("bench/baseline.json");
    let baseline = Baseline::read(&path)?;
    println!("{}", figure::table(&figures, &baseline));
    if options.save {
        Baseline::of(&figures).write(&path)?;
        println!("saved in bench/baseline.json");
        return Ok(());
    }
    let broken: Vec<String> = figures.iter().filter_map(|figure| figure.complaint(&baseline)).collect();
    if !broken.is_empty() {
        bail!("{}", broken.join("; "));
    }
    if options.check && cfg!(target_os = "linux") {
        memory::run(workspace, &folder, true)?;
    }
    Ok(())
}

/// A program that serves on its standard input and output.
#[derive(Clone, Debug)]
struct Program {
    path: PathBuf,
    arguments: Vec<String>,
}

/// Whose figure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Server,
    /// Copies the id into a fixed answer.
    Fixed,
    /// Reads and writes with borrowed serde_json.
    Ideal,
    /// The same on bare hyper; serves HTTP only.
    Hyper,
}

/// One figure to count: a program in a scenario.
struct Job<'a> {
    who: Who,
    program: &'a Program,
    scenario: &'static Scenario,
    counter: Counter,
}

impl Job<'_> {
    fn measure(&self, folder: &Path) -> Result<f64> {
        let (short, long) = self.counter.lengths();
        let run = |requests| self.counter.count(self.program, self.scenario, requests, folder);
        Ok(per_request(run(short)?, run(long)?, long - short))
    }
}

fn server(workspace: &Workspace, options: &Options) -> Result<Program> {
    let Some(words) = &options.server else {
        return Ok(Program { path: workspace.build_example("bench_server")?, arguments: Vec::new() });
    };
    let mut words = words.split_whitespace();
    let path = words.next().unwrap_or_default().into();
    Ok(Program { path, arguments: words.map(str::to_owned).collect() })
}

fn jobs(programs: &[(Who, Program)]) -> Vec<Job<'_>> {
    let mut jobs = Vec::new();
    for (who, program) in programs {
        let job = |scenario, counter| Job { who: *who, program, scenario, counter };
        if *who != Who::Hyper {
            jobs.extend(SCENARIOS.iter().map(|scenario| job(scenario, Counter::Instructions)));
            jobs.push(job(&ECHO, Counter::Allocations));
        }
        if matches!(who, Who::Server | Who::Hyper) {
            let over_http = SCENARIOS.iter().filter(|scenario| scenario.over_http);
            jobs.extend(over_http.map(|scenario| job(scenario, Counter::HttpInstructions)));
        }
    }
    jobs
}

fn figures(jobs: &[Job<'_>], counts: &[f64]) -> Vec<Figure> {
    let value = |of: &Job<'_>, who| {
        let same = |job: &Job<'_>| job.scenario.name == of.scenario.name && job.counter == of.counter && job.who == who;
        jobs.iter().zip(counts).find(|(job, _)| same(job)).map(|(_, count)| *count)
    };
    let of_server = jobs.iter().zip(counts).filter(|(job, _)| job.who == Who::Server);
    of_server
        .map(|(job, count)| Figure {
            name: format!("{}, {}", job.counter.unit(), job.scenario.name),
            value: *count,
            limit: job.counter.limit(job.scenario),
            must_not_grow: true,
            fixed: value(job, Who::Fixed),
            ideal: value(job, Who::Ideal).or_else(|| value(job, Who::Hyper)),
        })
        .collect()
}

fn per_request(short: u64, long: u64, requests: u64) -> f64 {
    (long as f64 - short as f64) / requests as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_and_end_cancel_out() {
        assert_eq!(per_request(1_000_000 + 1_000 * 42, 1_000_000 + 11_000 * 42, 10_000), 42.0);
        assert_eq!(per_request(10, 5, 10), -0.5);
    }

    #[test]
    fn figures_stand_beside_those_of_the_loops() {
        let program = Program { path: "x".into(), arguments: Vec::new() };
        let programs = [(Who::Server, program.clone()), (Who::Fixed, program)];
        let jobs = jobs(&programs);
        let counts: Vec<f64> = (0..jobs.len()).map(|index| index as f64).collect();
        let figures = figures(&jobs, &counts);
        let over_http = SCENARIOS.iter().filter(|scenario| scenario.over_http).count();
        assert_eq!(figures.len(), SCENARIOS.len() + 1 + over_http);
        assert_eq!(figures[0].value, 0.0);
        assert_eq!(figures[0].fixed, Some((SCENARIOS.len() + 1 + over_http) as f64));
        assert_eq!(figures[0].ideal, None);
    }
}
