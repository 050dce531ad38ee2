//! Talks to a server over one HTTP connection, one request after the other.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::scenario::{INITIALIZE, INITIALIZED, Scenario, post};

/// A server under valgrind is slow, but not that slow.
const DEADLINE: Duration = Duration::from_secs(30);

/// Sends that many requests and reads their answers.
pub(super) fn hold(address: SocketAddr, scenario: &Scenario, requests: u64) -> Result<()> {
    let mut connection = Connection::open(address)?;
    let session = if scenario.is_legacy { connection.initialize()? } else { None };
    for id in 1..=requests {
        let answer = connection.exchange(&scenario.post(address, id, session.as_deref()))?;
        let (status, head) = (answer.status, &answer.body[..answer.body.len().min(400)]);
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

/// The answer to a request.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) session: Option<String>,
    pub(super) body: Vec<u8>,
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
        ensure!(initialized.status == 202, "a notification was answered with {}", initialized.status);
        Ok(Some(session))
    }

    /// Opens a session and leaves it at that.
    pub(super) fn open_session(&mut self) -> Result<Option<String>> {
        let answer = self.exchange(&post(self.address, "", INITIALIZE.trim_end()))?;
        ensure!(answer.status == 200, "initialize was answered with {}", answer.status);
        Ok(answer.session)
    }

    fn exchange(&mut self, request: &[u8]) -> Result<Answer> {
        self.stream.write_all(request)?;
        let mut chunk = [0; 16_384];
        loop {
            if let Some((head, total)) = whole(&self.buffer)? {
                let body = self.buffer[head..total].to_vec();
                let text = String::from_utf8_lossy(&self.buffer[..head]).into_owned();
                self.buffer.drain(..total);
                return Answer::of(&text, body);
            }
            let read = self.stream.read(&mut chunk).context("no answer")?;
            ensure!(read > 0, "the connection was closed before the answer");
            self.buffer.extend_from_slice(&chunk[..read]);
        }
    }
}

impl Answer {
    fn of(head: &str, body: Vec<u8>) -> Result<Self> {
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).context("no status")?;
        Ok(Self { status, session: header(head, "mcp-session-id").map(str::to_owned), body })
    }
}

/// Returns the lengths of the head and of the whole answer at the beginning of `bytes`, if it is complete.
pub(super) fn whole(bytes: &[u8]) -> Result<Option<(usize, usize)>> {
    let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&bytes[..end])?;
    let Some(length) = header(head, "content-length") else {
        ensure!(header(head, "transfer-encoding") == Some("chunked"), "an answer without a length");
        return Ok(chunks(&bytes[end + 4..])?.map(|length| (end + 4, end + 4 + length)));
    };
    let total = end + 4 + length.parse::<usize>()?;
    Ok((bytes.len() >= total).then_some((end + 4, total)))
}

/// Returns the length of a body that comes in chunks, sizes included, if it is complete.
fn chunks(bytes: &[u8]) -> Result<Option<usize>> {
    let mut at = 0;
    loop {
        let Some(line) = bytes[at..].windows(2).position(|window| window == b"\r\n") else { return Ok(None) };
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[at..at + line])?.trim(), 16)?;
        at += line + 2 + size + 2;
        if bytes.len() < at {
            return Ok(None);
        }
        if size == 0 {
            return Ok(Some(at));
        }
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut fields = head.split("\r\n").filter_map(|line| line.split_once(':'));
    fields.find(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

pub(super) fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_whole_with_its_last_byte() {
        let text = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nMcp-Session-Id: a\r\n\r\n{}rest";
        let end = text.len() - 4;
        assert_eq!(whole(&text[..end - 1]).unwrap(), None);
        assert_eq!(whole(text).unwrap(), Some((end - 2, end)));
        assert!(whole(b"HTTP/1.1 200 OK\r\n\r\n").is_err(), "a length is needed");
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
        for end in 1..chunked.len() {
            assert_eq!(whole(&chunked[..end]).unwrap(), None, "{end}");
        }
        assert_eq!(whole(chunked).unwrap().unwrap().1, chunked.len());
        let answer = Answer::of(std::str::from_utf8(&text[..end - 2]).unwrap(), Vec::new()).unwrap();
        assert_eq!((answer.status, answer.session.as_deref()), (200, Some("a")));
    }
}
