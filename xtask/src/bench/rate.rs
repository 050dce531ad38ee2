//! How many requests a server answers in a second, beside others on the same machine.

use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::http;
use super::scenario::Scenario;

/// The processors of the servers and of the sender.
pub(super) const SERVERS: &str = "0";
pub(super) const SENDER: &str = "1";

/// Keeps a process on one processor: where it moves from one to the other, that is all that can be seen.
pub(super) fn pin(process: u32, processor: &str) -> Result<()> {
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", "--pid", processor, &process.to_string()]).stdout(Stdio::null());
    ensure!(command.status().context("taskset could not be started")?.success(), "taskset failed");
    Ok(())
}

/// Sends one request after the other until it is late; returns how many were answered.
pub(super) async fn send(
    address: SocketAddr,
    scenario: &Scenario,
    session: Option<String>,
    end: Instant,
) -> Result<u64> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let request = scenario.post(address, 1, session.as_deref());
    let mut buffer = Vec::with_capacity(1 << 15);
    let mut count = 0;
    while Instant::now() < end {
        stream.write_all(&request).await?;
        buffer.clear();
        while http::whole(&buffer)?.is_none() {
            ensure!(stream.read_buf(&mut buffer).await? > 0, "the connection was closed");
        }
        let head = &buffer[..buffer.len().min(900)];
        let is_result = head.starts_with(b"HTTP/1.1 200") && http::contains(head, b"\"result\"");
        ensure!(is_result, "it answered {}", String::from_utf8_lossy(head));
        count += 1;
    }
    Ok(count)
}

pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 100.0].into_iter()), 3.0);
    }
}
