//! A stream of events as a client reads it, written without the code that is tested.

use std::net::SocketAddr;

use anyhow::{Context, Result, bail, ensure};
use jackfield_wire::{Chunk, Head};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The revision that the client speaks.
const REVISION: &str = "2025-11-25";

/// An event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) id: String,
    pub(super) data: String,
}

/// A response that is a stream of events.
pub(super) struct Stream {
    connection: Connection,
    /// What has come, and is not a whole event yet.
    text: String,
}

/// Opens a session.
pub(super) async fn open_session(address: SocketAddr) -> Result<String> {
    let client = r#"{"name":"soak","version":"1.0.0"}"#;
    let params = format!(r#"{{"protocolVersion":"{REVISION}","capabilities":{{}},"clientInfo":{client}}}"#);
    let body = format!(r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{params}}}"#);
    let (_, head) = Connection::send(address, &post("", &body)).await?;
    let session = head.field("mcp-session-id").with_context(|| format!("no session: {head:?}"))?.to_owned();
    let ready =
        post(&format!("Mcp-Session-Id: {session}\r\n"), r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let (_, head) = Connection::send(address, &ready).await?;
    ensure!(head.status == 202, "a notification was refused");
    Ok(session)
}

impl Stream {
    /// Begins a call that sends `events` events.
    pub(super) async fn call(address: SocketAddr, session: &str, number: u64, events: u64) -> Result<Self> {
        let params = format!(r#"{{"name":"count","arguments":{{"counter":{number},"to":{events}}}}}"#);
        let body = format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":{params}}}"#);
        Self::open(address, &post(&format!("Mcp-Session-Id: {session}\r\n"), &body)).await
    }

    /// Goes on after an event.
    pub(super) async fn resume(address: SocketAddr, session: &str, after: &str) -> Result<Self> {
        let request = format!(
            "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\
             Last-Event-ID: {after}\r\n\r\n"
        );
        Self::open(address, &request).await
    }

    async fn open(address: SocketAddr, request: &str) -> Result<Self> {
        let (connection, head) = Connection::send(address, request).await?;
        ensure!(head.status == 200 && head.is_event_stream(), "no stream: {head:?}");
        Ok(Self { connection, text: String::new() })
    }

    /// Waits for the next event; none at the end.
    pub(super) async fn event(&mut self) -> Result<Option<Event>> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (read(event), rest.to_owned());
                self.text = rest;
                // What tells only how to come back is no event.
                if !event.id.is_empty() {
                    return Ok(Some(event));
                }
                continue;
            }
            match self.connection.chunk().await? {
                Some(text) => self.text.push_str(&text),
                None if self.text.is_empty() => return Ok(None),
                None => bail!("the stream ends in an event: {}", self.text),
            }
        }
    }
}

/// A connection for one request.
struct Connection {
    stream: TcpStream,
    /// What has come and is not read yet.
    buffer: Vec<u8>,
}

impl Connection {
    /// Sends the request, and reads the head of the response.
    async fn send(address: SocketAddr, request: &str) -> Result<(Self, Head)> {
        let mut stream = TcpStream::connect(address).await?;
        stream.write_all(request.as_bytes()).await?;
        let mut connection = Self { stream, buffer: Vec::new() };
        loop {
            if let Some(head) = Head::read(&connection.buffer)? {
                connection.buffer.drain(..head.length);
                return Ok((connection, head));
            }
            connection.fill().await?;
        }
    }

    /// Reads the next chunk of the body; none at its end.
    async fn chunk(&mut self) -> Result<Option<String>> {
        loop {
            if let Some(Chunk { bytes, length }) = Chunk::read(&self.buffer)? {
                let text = (!bytes.is_empty()).then(|| String::from_utf8(bytes.to_vec())).transpose()?;
                self.buffer.drain(..length);
                return Ok(text);
            }
            self.fill().await?;
        }
    }

    async fn fill(&mut self) -> Result<()> {
        ensure!(self.stream.read_buf(&mut self.buffer).await? > 0, "the connection was closed");
        Ok(())
    }
}

fn post(headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    )
}

/// Reads the lines of an event.
fn read(text: &str) -> Event {
    let mut event = Event::default();
    for line in text.lines() {
        match line.split_once(':').map(|(name, value)| (name, value.strip_prefix(' ').unwrap_or(value))) {
            Some(("id", value)) => value.clone_into(&mut event.id),
            Some(("data", value)) => event.data.push_str(value),
            _ => {}
        }
    }
    event
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_have_ids_and_data() {
        let event = Event { id: "7".into(), data: "{}".into() };
        assert_eq!(read("event: message\nid: 7\ndata: {}"), event);
        assert_eq!(read("retry: 5"), Event::default());
    }
}
