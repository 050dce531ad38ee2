//! Kills nodes in the middle of calls, and looks whether anything goes wrong:
//! `node-storm NODE-PROGRAM --kills N --calls N --sessions N`; or `node-storm NODE-PROGRAM --cost`, which measures what a store costs.

#![expect(clippy::print_stdout, reason = "this program talks to a person, not to a protocol peer")]

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use jackfield_testkit::RedisServer;
use jackfield_testkit::nodes::{Storm, cost};

/// How much more a call of a session may cost with the store than without.
const MOST: f64 = 2.0;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let program: PathBuf = arguments.next().context("the program of a node is missing")?.into();
    let redis = RedisServer::start().context("there is no Redis to share")?;
    let mut storm = Storm { program, store: redis.url(), nodes: 3, kills: 100, calls: 10_000, sessions: 200 };
    let mut measures = false;
    while let Some(argument) = arguments.next() {
        let mut number =
            || arguments.next().and_then(|text| text.parse().ok()).context(format!("{argument} needs a number"));
        match argument.as_str() {
            "--kills" => storm.kills = number()?,
            "--calls" => storm.calls = number()?,
            "--sessions" => storm.sessions = number()?,
            "--cost" => measures = true,
            _ => bail!("{argument} is not an option"),
        }
    }
    if measures {
        let cost = cost(&storm.program, &storm.store).await?;
        println!(
            "calls of a session per second: {:.0} in memory, {:.0} with Redis; a call costs {:.2} times as much",
            cost.memory, cost.shared, cost.ratio
        );
        return if cost.ratio <= MOST { Ok(()) } else { bail!("that is more than {MOST} times") };
    }
    let report = storm.run().await?;
    println!("{report}");
    if report.wrong.is_empty() { Ok(()) } else { bail!("{} things went wrong", report.wrong.len()) }
}
