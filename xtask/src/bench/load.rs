//! `cargo xtask bench --load`: requests per second over HTTP beside a bare hyper server that reads the JSON and answers.
//!
//! The two servers take many short turns, so that a busy machine is as unfair to one as to the other, and have one processor to
//! themselves while the sender has another. Both are started several times, because a process is as lucky with its memory as it is. Each
//! has one thread; the share in processor time tells more than the share in requests per second when the sender, not the server, is what
//! limits both.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};

use super::processors::Processors;
use super::rate;
use super::scenario::{SCENARIOS, Scenario};
use crate::child::Listening;
use crate::workspace::Workspace;

/// How often both servers are started.
const STARTS: usize = 5;
/// Turns of each server after a start, and how long a turn is. The first does not count.
const TURNS: usize = 10;
const TURN: Duration = Duration::from_millis(120);
/// The least share of the bare server's requests per second.
const LEAST_SHARE: f64 = 0.90;

/// Measures all scenarios; fails when a share is too small.
pub(super) fn run(workspace: &Workspace, folder: &Path) -> Result<()> {
    let example = |name| workspace.build_example(name);
    let processors = Processors::find();
    let programs = [example("bench_server")?, example("bench_limit")?];
    let _stay = processors.stay()?;
    let mut turns: Vec<Vec<(Turn, Turn)>> = SCENARIOS.iter().map(|_| Vec::new()).collect();
    for _ in 0..STARTS {
        let [ours, bare] = &programs;
        let (ours, bare) = (start(ours, &processors, folder)?, start(bare, &processors, folder)?);
        for (scenario, turns) in SCENARIOS.iter().zip(&mut turns) {
            turns.extend(take_turns(&ours, &bare, scenario)?);
        }
        ours.stop()?;
        bare.stop()?;
    }
    println!("{:<24} {:>10} {:>10} {:>8} {:>16}", "requests per second", "ours", "hyper", "share", "processor share");
    let mut low = Vec::new();
    for (scenario, turns) in SCENARIOS.iter().zip(&turns) {
        let share = rate::median(turns.iter().map(|(ours, bare)| ours.rate / bare.rate));
        let cost = |of: fn(&(Turn, Turn)) -> &Turn| {
            let seconds: f64 = turns.iter().map(|turn| of(turn).seconds).sum();
            seconds / turns.iter().map(|turn| of(turn).count).sum::<u64>() as f64
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
    if !low.is_empty() {
        bail!("less than {:.0} % of the bare server's requests per second: {}", LEAST_SHARE * 100.0, low.join(", "));
    }
    Ok(())
}

fn start(program: &Path, processors: &Processors, folder: &Path) -> Result<Listening> {
    let log = folder.join(format!("{}-http.log", program.file_name().unwrap_or_default().to_string_lossy()));
    Listening::start(
        |address| {
            let mut command = processors.server(program);
            command.args(["--http", &address.to_string()]);
            command
        },
        &log,
    )
}

/// Lets the two servers take their turns.
fn take_turns(ours: &Listening, bare: &Listening, scenario: &Scenario) -> Result<Vec<(Turn, Turn)>> {
    let mut turns = Vec::new();
    for number in 0..=TURNS {
        // Who goes first changes, so that what slows down in a turn slows both down.
        let (first, second) = if number % 2 == 0 { (ours, bare) } else { (bare, ours) };
        let (one, other) = (turn(first, scenario)?, turn(second, scenario)?);
        turns.push(if number % 2 == 0 { (one, other) } else { (other, one) });
    }
    turns.remove(0);
    Ok(turns)
}

/// What a turn showed.
struct Turn {
    /// Requests per second.
    rate: f64,
    /// Requests, and the processor time they took.
    count: u64,
    seconds: f64,
}

fn turn(server: &Listening, scenario: &Scenario) -> Result<Turn> {
    let posts = rate::Posts::prepare(server.address, scenario)?;
    let before = rate::processor_time(server.process())?;
    let turn = posts.turn(TURN)?;
    let seconds = rate::processor_time(server.process())? - before;
    Ok(Turn { rate: turn.rate(), count: turn.requests, seconds })
}
