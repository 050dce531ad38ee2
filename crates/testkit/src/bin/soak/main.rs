//! Uses servers by all transports and revisions for a long time, while things go wrong:
//! `soak JACKFIELD --seconds N --pause SECONDS --seed N --report FILE`.

#![expect(clippy::print_stdout, reason = "this program talks to a person, not to a protocol peer")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use jackfield_testkit::soak::Soak;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<bool> {
    let mut words = std::env::args().skip(1);
    let program: PathBuf = words.next().context("the program that serves is missing")?.into();
    let mut soak = Soak { program, time: Duration::from_secs(600), pause: Duration::from_secs(60), seed: 1 };
    let mut file = None;
    while let Some(option) = words.next() {
        let value = words.next().with_context(|| format!("{option} needs a value"))?;
        match option.as_str() {
            "--seconds" => soak.time = Duration::from_secs(value.parse()?),
            "--pause" => soak.pause = Duration::from_secs(value.parse()?),
            "--seed" => soak.seed = value.parse()?,
            "--report" => file = Some(PathBuf::from(value)),
            _ => bail!("{option} is not an option"),
        }
    }
    let report = soak.run().await?;
    let text = report.to_string();
    println!("{text}");
    if let Some(file) = file {
        std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        println!("written to {}", file.display());
    }
    Ok(report.failures().is_empty())
}
