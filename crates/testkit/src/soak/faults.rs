//! What goes wrong on purpose.

use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use jackfield_wire::Numbers;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::ledger::{Ledger, Place};
use crate::nodes::{NodeProcess, Proxy};

/// What can go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Requests that are none, from many connections. No other client may notice.
    Malformed,
    /// Every connection breaks.
    Cut,
    /// A server ends without a word, and is started again.
    Kill,
    /// Clients that ask and never read. No other client may notice.
    SlowReaders,
    /// A server stops in its tracks for two seconds.
    Freeze,
    /// Servers that are children of their clients end without a word.
    KillChildren,
}

/// The servers, and the ways to them.
pub(super) struct Sites {
    pub(super) steady: NodeProcess,
    pub(super) restless: NodeProcess,
    pub(super) proxies: [Proxy; 2],
    pub(super) seed: u64,
}

/// How many bad clients there are at a time.
const CROWD: usize = 100;

impl Fault {
    pub(super) const ALL: [Self; 6] =
        [Self::Malformed, Self::Cut, Self::Kill, Self::SlowReaders, Self::Freeze, Self::KillChildren];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed requests",
            Self::Cut => "all connections cut",
            Self::Kill => "server killed",
            Self::SlowReaders => "slow readers",
            Self::Freeze => "server frozen",
            Self::KillChildren => "children killed",
        }
    }

    /// Whose errors it explains.
    fn places(self) -> &'static [Place] {
        match self {
            Self::Malformed | Self::SlowReaders => &[],
            Self::Cut => &[Place::Steady, Place::Restless],
            Self::Kill | Self::Freeze => &[Place::Restless],
            Self::KillChildren => &[Place::Children],
        }
    }
}

impl Sites {
    /// Makes a fault, and returns when it is over.
    pub(super) async fn make(&mut self, fault: Fault, ledger: &Ledger) -> Result<()> {
        ledger.fault(fault.name(), fault.places());
        self.seed = self.seed.wrapping_add(1);
        match fault {
            Fault::Malformed => self.crowd(malformed).await,
            Fault::SlowReaders => self.crowd(slow).await,
            Fault::Cut => self.proxies.iter().for_each(Proxy::cut),
            Fault::Kill => self.restless.restart().await.context("the server does not come back")?,
            Fault::Freeze => {
                self.restless.freeze()?;
                tokio::time::sleep(Duration::from_secs(2)).await;
                self.restless.thaw()?;
            }
            Fault::KillChildren => kill_children(&[self.steady.id(), self.restless.id()])?,
        }
        ledger.over();
        Ok(())
    }

    /// Sends bad clients to both servers.
    async fn crowd<F: Future<Output = ()> + Send + 'static>(&self, client: fn(SocketAddr, u64) -> F) {
        let mut crowd = JoinSet::new();
        for number in 0..CROWD as u64 {
            for address in [self.steady.address(), self.restless.address()] {
                crowd.spawn(client(address, self.seed.wrapping_mul(10_000).wrapping_add(number)));
            }
        }
        while crowd.join_next().await.is_some() {}
    }
}

/// Sends something that is no request, or only a part of one, and waits a little for what comes back.
async fn malformed(address: SocketAddr, seed: u64) {
    let mut numbers = Numbers::new(seed);
    for _ in 0..10 {
        let Ok(mut stream) = TcpStream::connect(address).await else { return };
        // It may close the connection before it has read everything.
        let _ = stream.write_all(&nonsense(&mut numbers)).await;
        let mut answer = [0; 1024];
        let _ = tokio::time::timeout(Duration::from_millis(200), stream.read(&mut answer)).await;
    }
}

fn nonsense(numbers: &mut Numbers) -> Vec<u8> {
    let post = |headers: &str, body: &str| {
        let length = body.len();
        format!("POST /mcp HTTP/1.1\r\nhost: localhost\r\n{headers}content-length: {length}\r\n\r\n{body}").into_bytes()
    };
    let json = "content-type: application/json\r\naccept: application/json, text/event-stream\r\n";
    match numbers.below(8) {
        0 => (0..500).map(|_| numbers.below(256) as u8).collect(),
        1 => post(json, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"),
        2 => post(json, &"[".repeat(10_000)),
        3 => post("content-type: text/plain\r\n", "{}"),
        4 => format!("POST /mcp HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "y".repeat(100_000)).into_bytes(),
        5 => b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec(),
        6 => post(
            &format!("{json}mcp-session-id: {}\r\n", numbers.any()),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
        ),
        _ => b"GET /sse HTTP/1.1\r\nhost: evil.example\r\n".to_vec(),
    }
}

/// Asks for much, and reads nothing for some seconds.
async fn slow(address: SocketAddr, _: u64) {
    let Ok(mut stream) = TcpStream::connect(address).await else { return };
    let request = "GET /sse HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n".to_owned();
    let many = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(20_000) + &request;
    let writing = async {
        let _ = stream.write_all(many.as_bytes()).await;
        std::future::pending::<()>().await;
    };
    let _ = tokio::time::timeout(Duration::from_secs(8), writing).await;
}

/// Ends the servers that clients of this process have started.
fn kill_children(spared: &[Option<u32>]) -> Result<()> {
    let own = std::process::id();
    for entry in std::fs::read_dir("/proc").context("there is no /proc")?.flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse::<u32>().ok());
        if parent == Some(own) && !spared.contains(&Some(process)) {
            // It may have ended by itself meanwhile.
            let _ = Command::new("kill").args(["-KILL", &process.to_string()]).status();
        }
    }
    Ok(())
}
