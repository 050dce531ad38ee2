//! `cargo xtask bench --memory`: what idle sessions and open streams take, and whether they give it back.
//!
//! Memory is what the kernel counts as the server's own (`RssAnon`), so that nothing hides in the allocator; buffers of
//! sockets belong to the kernel and are not in it. What was closed is given back to the allocator, which keeps it for the next.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::http::Connection;
use super::scenario::{listen, opening_get};
use crate::child::Listening;
use crate::workspace::Workspace;

/// Sessions and streams that are held at once.
const MANY: usize = 10_000;
/// The same when there is less time.
const FEW: usize = 1_000;
/// Sessions that the server keeps; further ones take the place of the idlest.
const SESSIONS: usize = 10_000;

const KIB: f64 = 1024.0;
/// The most bytes of an idle session.
const SESSION: f64 = 2.0 * KIB;
/// The most bytes of an open stream.
const STREAM: f64 = 12.0 * KIB;
/// By how much as many streams may make the server grow a second time. The allocator keeps what was given back to it.
const AGAIN: f64 = 0.5 * KIB;
/// The most bytes that each `initialize` without a follow-up leaves behind when the table of sessions is full.
const FLOOD: f64 = 16.0;
/// Sessions and streams that come first, and are not counted.
const WARM: usize = 20;
/// Descriptors that a server needs for itself.
const SPARE: usize = 16;

/// How long the server may take to see that clients have gone.
const PATIENCE: Duration = Duration::from_secs(60);

/// Measures with many, or with few; fails when a limit is exceeded.
pub(super) fn run(workspace: &Workspace, folder: &Path, few: bool) -> Result<()> {
    let count = if few { FEW } else { MANY };
    let program = workspace.build_example("bench_streams")?;
    println!("{:<40} {:>8} {:>8}", format!("bytes each, of {count}"), "counted", "limit");
    let mut broken = Vec::new();
    // Each has a server of its own: what an earlier one left to the allocator would be counted for nothing.
    for weigh in [of_sessions, of_listening, of_flood] {
        let server = start(&program, folder)?;
        for Weight { name, bytes, limit } in weigh(&server, count)? {
            println!("{name:<40} {bytes:>8.0} {limit:>8.0}");
            if bytes > limit {
                broken.push(format!("{name}: {bytes:.0} bytes are above the limit of {limit:.0}"));
            }
        }
        server.stop()?;
    }
    ensure!(broken.is_empty(), "{}", broken.join("; "));
    Ok(())
}

fn start(program: &Path, folder: &Path) -> Result<Listening> {
    let command = |address: std::net::SocketAddr| {
        let mut command = Command::new(program);
        command.args(["--http", &address.to_string()]);
        command
    };
    Listening::start(command, &folder.join("bench_streams.log"))
}

/// What one of many takes.
struct Weight {
    name: &'static str,
    bytes: f64,
    limit: f64,
}

/// Sessions, and the streams that belong to them.
fn of_sessions(server: &Listening, count: usize) -> Result<Vec<Weight>> {
    // The first of each makes what all share.
    let warm = sessions(server, WARM)?;
    hold_and_close(server, warm.iter().map(|session| opening_get(server.address, session)), "id: ")?;
    let before = memory(server)?;
    let opened = sessions(server, count)?;
    let idle = memory(server)? - before;
    let hold = || hold_and_close(server, opened.iter().map(|session| opening_get(server.address, session)), "id: ");
    let (streams, again) = (hold()?, hold()?);
    let each = |bytes: f64| bytes / count as f64;
    Ok(vec![
        Weight { name: "idle session", bytes: each(idle), limit: SESSION },
        Weight { name: "stream of a session (GET)", bytes: each(streams), limit: STREAM },
        Weight { name: "… more, when all come back", bytes: each(again), limit: AGAIN },
    ])
}

fn of_listening(server: &Listening, count: usize) -> Result<Vec<Weight>> {
    hold_and_close(server, (0..WARM).map(|_| listen(server.address)), "acknowledged")?;
    let hold = || hold_and_close(server, (0..count).map(|_| listen(server.address)), "acknowledged");
    let (streams, again) = (hold()?, hold()?);
    let each = |bytes: f64| bytes / count as f64;
    Ok(vec![
        Weight { name: "subscriptions/listen", bytes: each(streams), limit: STREAM },
        Weight { name: "… more, when all come back", bytes: each(again), limit: AGAIN },
    ])
}

/// Opens session after session as somebody who never comes back, ten times as many as the table holds: what each leaves behind
/// once the table is full.
fn of_flood(server: &Listening, _: usize) -> Result<Vec<Weight>> {
    let mut connection = Connection::open(server.address)?;
    let mut open = |count: usize| (0..count).try_for_each(|_| connection.open_session().map(drop));
    open(2 * SESSIONS)?;
    let full = memory(server)?;
    open(8 * SESSIONS)?;
    let bytes = (memory(server)? - full) / (8 * SESSIONS) as f64;
    Ok(vec![Weight { name: "initialize without a follow-up", bytes, limit: FLOOD }])
}

fn sessions(server: &Listening, count: usize) -> Result<Vec<String>> {
    let mut connection = Connection::open(server.address)?;
    (0..count).map(|_| connection.initialize()?.context("the server has no sessions")).collect()
}

/// Opens a stream with each request, waits until all have begun, and closes them. Returns by how much the server grew.
fn hold_and_close(server: &Listening, requests: impl Iterator<Item = Vec<u8>>, begun: &str) -> Result<f64> {
    let (before, connections) = (memory(server)?, descriptors(server)?);
    let streams = requests.map(|request| open(server, &request, begun)).collect::<Result<Vec<_>>>()?;
    let held = memory(server)? - before;
    drop(streams);
    let start = Instant::now();
    while descriptors(server)? > connections.max(SPARE) {
        if start.elapsed() > PATIENCE {
            bail!("the server does not see that its clients have gone");
        }
        crate::child::pause();
    }
    Ok(held)
}

fn open(server: &Listening, request: &[u8], begun: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(server.address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request)?;
    let (mut text, mut chunk) = (Vec::new(), [0; 2048]);
    while !String::from_utf8_lossy(&text).contains(begun) {
        let read = stream.read(&mut chunk).context("a stream does not begin")?;
        ensure!(read > 0, "a stream was closed: {}", String::from_utf8_lossy(&text));
        text.extend_from_slice(&chunk[..read]);
    }
    Ok(stream)
}

fn memory(server: &Listening) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{}/status", server.process())).context("memory needs /proc")?;
    resident(&text).context("/proc has another form")
}

/// Finds the private memory of a process, in bytes.
fn resident(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? * KIB)
}

fn descriptors(server: &Listening) -> Result<usize> {
    Ok(std::fs::read_dir(format!("/proc/{}/fd", server.process())).context("descriptors need /proc")?.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_found() {
        assert_eq!(resident("Name:\tx\nVmRSS:\t  9 kB\nRssAnon:\t      12 kB\n"), Some(12_288.0));
        assert_eq!(resident("Name:\tx\n"), None);
    }
}
