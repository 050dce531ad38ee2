//! Requests to a server for a while, counted.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;

use super::super::http::{Connection, contains};
use super::super::rate;
use super::super::scenario::Scenario;

/// Connections over HTTP, and requests under way on standard input.
const CONNECTIONS: usize = 16;
const UNDER_WAY: u64 = 64;

/// A server on its standard input and output.
pub(super) struct Pipes {
    /// It ends with this.
    _child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Pipes {
    /// Starts a server, and shakes hands if the scenario does.
    pub(super) async fn open(command: &[String], scenario: &Scenario, log: &Path) -> Result<Self> {
        let mut starting = Command::new(&command[0]);
        starting.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = starting.stderr(std::fs::File::create(log)?).kill_on_drop(true).spawn()?;
        let input = child.stdin.take().context("the input is piped")?;
        let output = BufReader::with_capacity(1 << 16, child.stdout.take().context("the output is piped")?);
        let mut pipes = Self { _child: child, input, output };
        for turn in scenario.turns(1, 1) {
            pipes.exchange(&turn.lines, turn.answers).await?;
        }
        Ok(pipes)
    }

    async fn exchange(&mut self, lines: &str, answers: u64) -> Result<()> {
        let (input, output) = (&mut self.input, &mut self.output);
        // Both pipes may be full at the same time.
        let write = async {
            input.write_all(lines.as_bytes()).await?;
            anyhow::Ok(input.flush().await?)
        };
        let read = async {
            let (mut line, mut left) = (Vec::new(), answers);
            while left > 0 {
                line.clear();
                ensure!(output.read_until(b'\n', &mut line).await? > 0, "the server ended");
                // Long answers are not searched from end to end: what is measured is the server.
                let (head, tail) = (&line[..line.len().min(900)], &line[line.len().saturating_sub(900)..]);
                if contains(head, b"\"result\"") {
                    left -= 1;
                    let failed = [head, tail].iter().any(|part| contains(part, b"\"isError\":true"));
                    ensure!(!failed, "it answered {}", String::from_utf8_lossy(head));
                } else {
                    ensure!(!contains(head, b"\"error\""), "it answered {}", String::from_utf8_lossy(head));
                }
            }
            Ok(())
        };
        tokio::try_join!(write, read).map(|_| ())
    }

    /// Sends requests for a while; returns how many were answered in a second.
    pub(super) async fn turn(&mut self, scenario: &Scenario, time: Duration) -> Result<f64> {
        let lines = scenario.turns(1, UNDER_WAY).pop().context("there is a turn")?.lines;
        let (start, mut count) = (Instant::now(), 0);
        while start.elapsed() < time {
            self.exchange(&lines, UNDER_WAY).await?;
            count += UNDER_WAY;
        }
        Ok(count as f64 / start.elapsed().as_secs_f64())
    }
}

/// Opens what the connections of a server need.
pub(super) fn sessions(address: SocketAddr, scenario: &Scenario) -> Result<Vec<Option<String>>> {
    let open = || if scenario.is_legacy { Connection::open(address)?.initialize() } else { Ok(None) };
    (0..CONNECTIONS).map(|_| open()).collect()
}

/// Sends requests over all connections for a while; returns how many were answered in a second.
pub(super) async fn turn(
    address: SocketAddr,
    scenario: &'static Scenario,
    sessions: &[Option<String>],
    time: Duration,
) -> Result<f64> {
    let (start, mut senders, mut count) = (Instant::now(), JoinSet::new(), 0);
    for session in sessions.iter().cloned() {
        senders.spawn(rate::send(address, scenario, session, start + time));
    }
    while let Some(sent) = senders.join_next().await {
        count += sent??;
    }
    Ok(count as f64 / start.elapsed().as_secs_f64())
}
