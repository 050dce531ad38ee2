//! `cargo xtask bench --load`: requests per second over HTTP beside a bare hyper server that reads the JSON and answers.
//!
//! The two servers take many short turns, so that a busy machine is as unfair to one as to the other, and have one processor to
//! themselves while the sender has another. Each has one thread; the share in processor time tells more than the share in requests
//! per second when the sender, not the server, is what limits both.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::http::Connection;
use super::rate;
use super::scenario::{SCENARIOS, Scenario};
use crate::child::Listening;
use crate::workspace::Workspace;

/// Connections at once.
const CONNECTIONS: usize = 16;
/// Turns of each server, and how long a turn is.
const TURNS: usize = 41;
const TURN: Duration = Duration::from_millis(120);
/// The least share of the bare server's requests per second.
const LEAST_SHARE: f64 = 0.90;

/// Measures all scenarios; fails when a share is too small.
pub(super) fn run(workspace: &Workspace, folder: &Path) -> Result<()> {
    let example =
        |name| workspace.build_executable(&["--release", "--package", "jackfield-examples", "--example", name]);
    let ours = start(&example("bench_server")?, folder)?;
    let bare = start(&example("bench_limit")?, folder)?;
    rate::pin(std::process::id(), rate::SENDER)?;
    println!("{:<24} {:>10} {:>10} {:>8} {:>16}", "requests per second", "ours", "hyper", "share", "processor share");
    let mut low = Vec::new();
    for scenario in SCENARIOS {
        let mut turns = Vec::new();
        for number in 0..TURNS {
            // Who goes first changes, so that what slows down in a turn slows both down.
            let (first, second) = if number % 2 == 0 { (&ours, &bare) } else { (&bare, &ours) };
            let (one, other) = (turn(first, scenario)?, turn(second, scenario)?);
            turns.push(if number % 2 == 0 { (one, other) } else { (other, one) });
        }
        let share = rate::median(turns.iter().map(|(ours, bare)| ours.rate / bare.rate));
        let cost = |of: fn(&(Turn, Turn)) -> &Turn| {
            let ticks: u64 = turns.iter().map(|turn| of(turn).ticks).sum();
            ticks as f64 / turns.iter().map(|turn| of(turn).count).sum::<u64>() as f64
        };
        let processor = cost(|turn| &turn.1) / cost(|turn| &turn.0);
        let rate = |of: fn(&(Turn, Turn)) -> f64| rate::median(turns.iter().map(of));
        let (ours, bare) = (rate(|turn| turn.0.rate), rate(|turn| turn.1.rate));
        println!(
            "{:<24} {ours:>10.0} {bare:>10.0} {:>7.0}% {:>15.0}%",
            scenario.name,
            share * 100.0,
            processor * 100.0
        );
        if share < LEAST_SHARE {
            low.push(format!("{}: {:.0} %", scenario.name, share * 100.0));
        }
    }
    ours.stop()?;
    bare.stop()?;
    if !low.is_empty() {
        bail!("less than {:.0} % of the bare server's requests per second: {}", LEAST_SHARE * 100.0, low.join(", "));
    }
    Ok(())
}

fn start(program: &Path, folder: &Path) -> Result<Listening> {
    let log = folder.join(format!("{}-http.log", program.file_name().unwrap_or_default().to_string_lossy()));
    Listening::start(
        |address| {
            let mut command = Command::new("taskset");
            command.args(["--cpu-list", rate::SERVERS]).arg(program).args(["--http", &address.to_string()]);
            command
        },
        &log,
    )
}

/// What a turn showed.
struct Turn {
    /// Requests per second.
    rate: f64,
    /// Requests, and the processor time they took.
    count: u64,
    ticks: u64,
}

fn turn(server: &Listening, scenario: &'static Scenario) -> Result<Turn> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let sessions = (0..CONNECTIONS).map(|_| session(server.address, scenario)).collect::<Result<Vec<_>>>()?;
    let before = processor_ticks(server.process())?;
    let start = Instant::now();
    let count = runtime.block_on(async {
        let mut senders = tokio::task::JoinSet::new();
        for session in sessions {
            senders.spawn(rate::send(server.address, scenario, session, start + TURN));
        }
        let mut count = 0;
        while let Some(sent) = senders.join_next().await {
            count += sent??;
        }
        anyhow::Ok(count)
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let ticks = processor_ticks(server.process())? - before;
    ensure!(count > 0, "nothing was answered");
    Ok(Turn { rate: count as f64 / seconds, count, ticks })
}

fn session(address: SocketAddr, scenario: &Scenario) -> Result<Option<String>> {
    if scenario.is_legacy { Connection::open(address)?.initialize() } else { Ok(None) }
}

/// Returns the processor time a process has used, in ticks of the kernel.
fn processor_ticks(process: u32) -> Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).context("processor times need /proc")?;
    ticks(&text).context("/proc has another form")
}

/// User and system time stand in the fields 14 and 15, counted from the process's id; its name may hold blanks.
fn ticks(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_behind_any_name() {
        assert_eq!(ticks("7 (a) b) S 1 7 7 0 -1 0 0 0 0 0 12 30 0 0 20 0"), Some(42));
        assert_eq!(ticks("7 nothing"), None);
    }
}
