//! A client of a few lines, close to the wire, for servers that may die at any moment.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;

use jackfield::http::sse::{SseDecoder, SseEvent};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The head of a response, and its body if that is no stream.
#[derive(Debug, Default)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The header fields, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, of responses with a length.
    pub body: Vec<u8>,
}

impl Answer {
    /// Returns a header field.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether the body is a stream of events.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"))
    }

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
        let mut answer = self.head().await?;
        if let Some(length) = answer.header("content-length").and_then(|length| length.parse::<usize>().ok()) {
            while self.buffer.len() < length {
                self.fill().await?;
            }
            answer.body = self.buffer.drain(..length).collect();
        }
        Ok(answer)
    }

    async fn head(&mut self) -> io::Result<Answer> {
        let end = loop {
            match self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                Some(end) => break end,
                None => self.fill().await?,
            }
        };
        let head: Vec<u8> = self.buffer.drain(..end.saturating_add(4)).collect();
        let head = String::from_utf8_lossy(&head).into_owned();
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or_default();
        let field = |line: &str| line.split_once(':').map(|(k, v)| (k.to_lowercase(), v.trim().to_owned()));
        Ok(Answer { status, headers: lines.filter_map(field).collect(), body: Vec::new() })
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
        let end = loop {
            match self.buffer.windows(2).position(|window| window == b"\r\n") {
                Some(end) => break end,
                None => self.fill().await?,
            }
        };
        let length = self.buffer.get(..end).and_then(|text| std::str::from_utf8(text).ok());
        let length = length.and_then(|text| usize::from_str_radix(text, 16).ok());
        let length = length.ok_or_else(|| io::Error::other("the length of a chunk can not be read"))?;
        let begin = end.saturating_add(2);
        let whole = begin.saturating_add(length).saturating_add(2);
        while self.buffer.len() < whole {
            self.fill().await?;
        }
        let chunk: Vec<u8> = self.buffer.drain(..whole).skip(begin).take(length).collect();
        Ok((length > 0).then_some(chunk))
    }

    async fn fill(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}
