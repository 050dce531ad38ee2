//! `cargo xtask soak`: events over many streams whose connections are cut again and again. None may be lost, doubled, reordered, or
//! come on the stream of somebody else. With `--minutes` instead: a mixed load, and a fault every minute.

mod mixed;
mod stream;

use std::net::SocketAddr;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;
use jackfield_wire::Numbers;
use tokio::task::JoinSet;

use crate::child::Listening;
use crate::workspace::Workspace;
use stream::{Stream, open_session};

/// How much to send.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Options {
    /// Events in all.
    #[arg(long, default_value_t = 1_000_000)]
    events: u64,
    /// Streams that carry them, all at once.
    #[arg(long, default_value_t = 10_000)]
    streams: u64,
    /// Where the random numbers begin; the same number cuts at the same places.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Run clients of all revisions over all transports for so long instead, with a fault every minute.
    #[arg(long, conflicts_with_all = ["events", "streams"])]
    minutes: Option<u64>,
    /// Seconds from one fault to the next.
    #[arg(long, default_value_t = 60, requires = "minutes")]
    fault_every: u64,
    /// Use the programs that the tests use, instead of optimized ones.
    #[arg(long)]
    debug: bool,
}

impl Options {
    /// Events over streams that are cut, and a mixed load, for about two minutes in all and with the programs of the tests.
    pub(crate) fn short() -> (Self, Self) {
        let events = Self { events: 20_000, streams: 200, seed: 1, minutes: None, fault_every: 10, debug: true };
        let mixed = Self { minutes: Some(1), ..events };
        (events, mixed)
    }

    /// The same with a million events, and for a quarter of an hour.
    pub(crate) fn long() -> (Self, Self) {
        let events = Self { events: 1_000_000, streams: 10_000, seed: 1, minutes: None, fault_every: 60, debug: false };
        let mixed = Self { minutes: Some(15), ..events };
        (events, mixed)
    }
}

impl std::fmt::Display for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.minutes {
            None => write!(f, "{} events over {} streams", self.events, self.streams),
            Some(minutes) => write!(f, "{minutes} min with a fault every {} s", self.fault_every),
        }
    }
}

/// Streams that share a session.
const PER_SESSION: u64 = 100;
/// How long everything may take.
const PATIENCE: Duration = Duration::from_mins(30);

/// Starts the server, follows all streams to their ends, and says what was seen.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    if let Some(minutes) = options.minutes {
        return mixed::run(workspace, options, minutes);
    }
    let program = match options.debug {
        true => workspace.tested_program("bench_streams")?,
        false => workspace.build_example("bench_streams")?,
    };
    let folder = workspace.target.join("bench");
    std::fs::create_dir_all(&folder)?;
    let start = |address: SocketAddr| {
        let mut command = Command::new(program);
        command.args(["--http", &address.to_string()]);
        command
    };
    let server = Listening::start(start, &folder.join("soak.log"))?;
    let started = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let cuts = runtime.block_on(async {
        let followed = tokio::time::timeout(PATIENCE, follow_all(server.address, options)).await;
        followed.context("the streams do not come to their ends")?
    })?;
    let Options { events, streams, .. } = options;
    println!(
        "{} events over {streams} streams, cut {cuts} times, in {:.0} s: none lost, doubled, reordered or misdelivered",
        events / streams * streams,
        started.elapsed().as_secs_f64()
    );
    server.stop()
}

async fn follow_all(address: SocketAddr, options: &Options) -> Result<u64> {
    let each = options.events / options.streams;
    ensure!(each > 0, "there are more streams than events");
    let mut followers = JoinSet::new();
    let mut session = String::new();
    for number in 0..options.streams {
        if number % PER_SESSION == 0 {
            session = open_session(address).await?;
        }
        let numbers = Numbers::new(options.seed.wrapping_mul(options.streams).wrapping_add(number));
        followers.spawn(follow(address, session.clone(), number, each, numbers));
    }
    let mut cuts = 0;
    while let Some(followed) = followers.join_next().await {
        cuts += followed??;
    }
    Ok(cuts)
}

/// Reads the stream of one call to its end, with cuts. Returns how often it was cut.
async fn follow(address: SocketAddr, session: String, number: u64, events: u64, mut numbers: Numbers) -> Result<u64> {
    let mut stream = Stream::call(address, &session, number, events).await?;
    let (mut next, mut cuts, mut until_cut) = (1, 0, numbers.below(40));
    loop {
        let event = stream.event().await?.with_context(|| format!("stream {number} ended before its answer"))?;
        if !event.data.is_empty() {
            let message: serde_json::Value = serde_json::from_str(&event.data)?;
            if message["id"] == number {
                ensure!(next == events + 1, "stream {number} has {} of {events} events", next - 1);
                ensure!(message["result"].is_object(), "stream {number} ended with {message}");
                ensure!(stream.event().await?.is_none(), "stream {number} goes on after its answer");
                return Ok(cuts);
            }
            let expected = format!("{number}/{next}");
            ensure!(message["params"]["data"] == expected, "stream {number}: {message} instead of {expected}");
            next += 1;
        }
        if until_cut == 0 {
            drop(stream);
            cuts += 1;
            until_cut = 1 + numbers.below(60);
            stream = Stream::resume(address, &session, &event.id).await?;
        }
        until_cut -= 1;
    }
}
