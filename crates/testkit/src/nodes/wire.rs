//! A client of a few lines, close to the wire, for servers that may die at any moment.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;

use jackfield_http::sse::{SseDecoder, SseEvent};
use jackfield_wire::{Chunk, Head};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The head of a response, and its body if that is no stream.
#[derive(Debug, Default)]
pub struct Answer {
    /// Its head.
    pub head: Head,
    /// The body, of responses with a length.
    pub body: Vec<u8>,
}

impl Answer {
    /// Returns the body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// One connection.
#[derive(Debug)]
pub struct Wire {
    stream: TcpStream,
    buffer: Vec<u8>,
    decoder: SseDecoder,
    events: VecDeque<SseEvent>,
}

impl Wire {
    /// Connects.
    ///
    /// # Errors
    /// Nobody is there.
    pub async fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::new(), decoder: SseDecoder::new(1 << 24), events: VecDeque::new() })
    }

    /// Sends a request, and reads the answer: its head alone if it is a stream.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn ask(
        &mut self,
        verb: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> io::Result<Answer> {
        let body = body.map(Value::to_string);
        let mut text = format!("{verb} {path} HTTP/1.1\r\nhost: localhost\r\n");
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        match &body {
            Some(body) => text += &format!("content-length: {}\r\n\r\n{body}", body.len()),
            None => text += "\r\n",
        }
        self.stream.write_all(text.as_bytes()).await?;
        let head = loop {
            match Head::read(&self.buffer)? {
                Some(head) => break head,
                None => self.fill().await?,
            }
        };
        self.buffer.drain(..head.length);
        let length = head.field("content-length").and_then(|length| length.parse::<usize>().ok()).unwrap_or_default();
        while self.buffer.len() < length {
            self.fill().await?;
        }
        Ok(Answer { head, body: self.buffer.drain(..length).collect() })
    }

    /// Reads the next event of a stream; `None` at its proper end.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn event(&mut self) -> io::Result<Option<SseEvent>> {
        while self.events.is_empty() {
            let Some(chunk) = self.chunk().await? else { return Ok(None) };
            let events = &mut self.events;
            self.decoder.feed(&chunk, |event| events.push_back(event)).map_err(io::Error::other)?;
        }
        Ok(self.events.pop_front())
    }

    async fn chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(chunk) = Chunk::read(&self.buffer)? {
                let (bytes, length) = (chunk.bytes.to_vec(), chunk.length);
                self.buffer.drain(..length);
                return Ok((!bytes.is_empty()).then_some(bytes));
            }
            self.fill().await?;
        }
    }

    async fn fill(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}
