//! Talks to a server over one HTTP connection, one request after the other.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use jackfield_wire::Response;

use super::scenario::{INITIALIZE, INITIALIZED, Scenario, post};

/// A server under valgrind is slow, but not that slow.
const DEADLINE: Duration = Duration::from_secs(30);

/// Sends that many requests and reads their answers.
pub(super) fn hold(address: SocketAddr, scenario: &Scenario, requests: u64) -> Result<()> {
    let mut connection = Connection::open(address)?;
    let session = if scenario.is_legacy { connection.initialize()? } else { None };
    for id in 1..=requests {
        let answer = connection.exchange(&scenario.post(address, id, session.as_deref()))?;
        let (status, head) = (answer.head.status, &answer.body[..answer.body.len().min(400)]);
        if status != 200 || !contains(head, b"\"result\":") || contains(head, b"\"isError\":true") {
            bail!("it answered {status} {}", String::from_utf8_lossy(head));
        }
    }
    Ok(())
}

/// A connection that is kept alive.
pub(super) struct Connection {
    stream: TcpStream,
    address: SocketAddr,
    buffer: Vec<u8>,
}

impl Connection {
    pub(super) fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(DEADLINE))?;
        Ok(Self { stream, address, buffer: Vec::new() })
    }

    /// Opens a session; a server without sessions returns none.
    pub(super) fn initialize(&mut self) -> Result<Option<String>> {
        let session = self.open_session()?.unwrap_or_else(|| "none".to_owned());
        let headers = format!("Mcp-Session-Id: {session}\r\n");
        let initialized = self.exchange(&post(self.address, &headers, INITIALIZED.trim_end()))?;
        let status = initialized.head.status;
        ensure!(status == 202, "a notification was answered with {status}");
        Ok(Some(session))
    }

    /// Opens a session and leaves it at that.
    pub(super) fn open_session(&mut self) -> Result<Option<String>> {
        let answer = self.exchange(&post(self.address, "", INITIALIZE.trim_end()))?;
        let status = answer.head.status;
        ensure!(status == 200, "initialize was answered with {status}");
        Ok(answer.head.field("mcp-session-id").map(str::to_owned))
    }

    fn exchange(&mut self, request: &[u8]) -> Result<Response> {
        self.stream.write_all(request)?;
        let mut chunk = [0; 16_384];
        loop {
            if let Some(response) = Response::read(&self.buffer)? {
                self.buffer.drain(..response.length);
                return Ok(response);
            }
            let read = self.stream.read(&mut chunk).context("no answer")?;
            ensure!(read > 0, "the connection was closed before the answer");
            self.buffer.extend_from_slice(&chunk[..read]);
        }
    }
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}
