//! A client of a few lines, close to the wire.

use std::collections::VecDeque;
use std::net::SocketAddr;

use jackfield_http::sse::{SseDecoder, SseEvent};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub(crate) const MODERN: &str = "2026-07-28";

/// One connection.
pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
    decoder: SseDecoder,
    events: VecDeque<SseEvent>,
}

/// A response, or its head alone.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The error code in the body.
    #[track_caller]
    pub(crate) fn code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn text(&self) -> String {
        let json = self.json();
        json["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {json}")).to_owned()
    }
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self::over(stream)
    }

    pub(crate) fn over(stream: TcpStream) -> Self {
        Self { stream, buffer: Vec::new(), decoder: SseDecoder::new(1 << 24), events: VecDeque::new() }
    }

    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// Sends bytes that the server may refuse to take.
    pub(crate) async fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).await.is_ok()
    }

    pub(crate) async fn ask(&mut self, request: &Ask) -> Answer {
        self.send(request.bytes()).await;
        self.answer().await
    }

    /// Sends a request and reads the head of its answer.
    pub(crate) async fn open(&mut self, request: &Ask) -> Answer {
        self.send(request.bytes()).await;
        self.head().await.expect("an answer")
    }

    /// Reads a whole response.
    pub(crate) async fn answer(&mut self) -> Answer {
        self.try_answer().await.expect("an answer")
    }

    /// Reads a whole response; none if the connection is closed instead.
    pub(crate) async fn try_answer(&mut self) -> Option<Answer> {
        let mut answer = self.head().await?;
        match answer.header("content-length").map(|length| length.parse::<usize>().unwrap()) {
            Some(length) => {
                while self.buffer.len() < length {
                    assert!(self.fill().await, "closed in the middle of a body");
                }
                answer.body = self.buffer.drain(..length).collect();
            }
            None if answer.header("transfer-encoding").is_some() => {
                while let Some(chunk) = self.chunk().await {
                    answer.body.extend(chunk);
                }
            }
            None => {}
        }
        Some(answer)
    }

    pub(crate) async fn head(&mut self) -> Option<Answer> {
        let end = loop {
            match self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                Some(end) => break end,
                None if !self.fill().await => return None,
                None => {}
            }
        };
        let head: Vec<u8> = self.buffer.drain(..end + 4).collect();
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| line.split_once(':').unwrap()).map(|(k, v)| (k.to_owned(), v.trim().to_owned()));
        Some(Answer { status, headers: headers.collect(), body: Vec::new() })
    }

    /// Reads the next chunk; none at the end of the body or of the connection.
    pub(crate) async fn chunk(&mut self) -> Option<Vec<u8>> {
        let end = loop {
            match self.buffer.windows(2).position(|window| window == b"\r\n") {
                Some(end) => break end,
                None if !self.fill().await => return None,
                None => {}
            }
        };
        let length = usize::from_str_radix(std::str::from_utf8(&self.buffer[..end]).unwrap(), 16).unwrap();
        while self.buffer.len() < end + 2 + length + 2 {
            if !self.fill().await {
                return None;
            }
        }
        let chunk = self.buffer.drain(..end + 2 + length + 2).collect::<Vec<_>>();
        (length > 0).then(|| chunk[end + 2..end + 2 + length].to_vec())
    }

    /// Reads the next event of a stream; none at its end.
    pub(crate) async fn event(&mut self) -> Option<SseEvent> {
        while self.events.is_empty() {
            let chunk = self.chunk().await?;
            let events = &mut self.events;
            self.decoder.feed(&chunk, |event| events.push_back(event)).unwrap();
        }
        self.events.pop_front()
    }

    /// Reads the next event that has data.
    pub(crate) async fn message(&mut self) -> Option<Value> {
        loop {
            let event = self.event().await?;
            if !event.data.is_empty() {
                return Some(serde_json::from_str(&event.data).unwrap());
            }
        }
    }

    pub(crate) fn retry(&self) -> Option<u64> {
        self.decoder.retry()
    }

    /// Whether the server closes the connection without another byte.
    pub(crate) async fn is_closed(&mut self) -> bool {
        self.buffer.is_empty() && !self.fill().await
    }

    /// Says that nothing more will be sent, and still reads.
    pub(crate) async fn finish(&mut self) {
        self.stream.shutdown().await.unwrap();
    }

    /// Reads all that comes until the server closes the connection.
    pub(crate) async fn rest(&mut self) -> String {
        while self.fill().await {}
        String::from_utf8(std::mem::take(&mut self.buffer)).unwrap()
    }

    async fn fill(&mut self) -> bool {
        self.stream.read_buf(&mut self.buffer).await.is_ok_and(|count| count > 0)
    }
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<String>,
}

impl Ask {
    pub(crate) fn new(method: &'static str, path: &str) -> Self {
        let headers = vec![("host".to_owned(), "localhost".to_owned())];
        Self { method, path: path.to_owned(), headers, body: None }
    }

    pub(crate) fn post(body: impl ToString) -> Self {
        let mut ask = Self::new("POST", "/mcp")
            .with("content-type", "application/json")
            .with("accept", "application/json, text/event-stream");
        ask.body = Some(body.to_string());
        ask
    }

    pub(crate) fn get() -> Self {
        Self::new("GET", "/mcp").with("accept", "text/event-stream")
    }

    /// A modern request with the headers that belong to it, and what belongs to its `_meta`.
    pub(crate) fn modern(method: &str, mut params: Value) -> Self {
        let mut meta = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        if let (Some(meta), Value::Object(more)) = (meta.as_object_mut(), params["_meta"].take()) {
            meta.extend(more);
        }
        params["_meta"] = meta;
        let name = ["name", "uri"].iter().find_map(|key| params[*key].as_str().map(str::to_owned));
        let ask = Self::post(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
            .with("mcp-protocol-version", MODERN)
            .with("mcp-method", method);
        match name {
            Some(name) => ask.with("mcp-name", &name),
            None => ask,
        }
    }

    pub(crate) fn tool(name: &str, arguments: Value) -> Self {
        Self::modern("tools/call", json!({ "name": name, "arguments": arguments }))
    }

    /// Adds a header, or replaces it.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(key, _)| key != name);
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds a header beside one of the same name.
    pub(crate) fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(key, _)| key != name);
        self
    }

    pub(crate) fn verb(mut self, method: &'static str) -> Self {
        self.method = method;
        self
    }

    pub(crate) fn path(mut self, path: &str) -> Self {
        self.path = path.to_owned();
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            text += &format!("{name}: {value}\r\n");
        }
        if let Some(body) = &self.body {
            text += &format!("content-length: {}\r\n\r\n{body}", body.len());
        } else {
            text += "\r\n";
        }
        text.into_bytes()
    }
}

/// A client with a session of the legacy era. Each request has a connection of its own.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) address: SocketAddr,
    pub(crate) id: String,
    pub(crate) version: String,
    /// Put into the header of that name, for the gate of the fixture.
    pub(crate) user: Option<String>,
}

pub(crate) fn initialize(version: &str) -> Ask {
    Ask::post(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": { "elicitation": {}, "sampling": {} }, "clientInfo": { "name": "test", "version": "1" } } }))
}

impl Session {
    pub(crate) async fn open(address: SocketAddr, version: &str) -> Self {
        Self::open_as(address, version, None).await
    }

    pub(crate) async fn open_as(address: SocketAddr, version: &str, user: Option<&str>) -> Self {
        let mut session =
            Self { address, id: String::new(), version: version.to_owned(), user: user.map(str::to_owned) };
        let ask = match user {
            Some(user) => initialize(version).with("user", user),
            None => initialize(version),
        };
        let answer = Client::connect(address).await.ask(&ask).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.json()["result"]["protocolVersion"], version);
        session.id = answer.header("mcp-session-id").unwrap().to_owned();
        let done = session.ask(&session.post(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))).await;
        assert_eq!(done.status, 202);
        session
    }

    /// Adds what each request of the session carries.
    pub(crate) fn sign(&self, ask: Ask) -> Ask {
        let ask = ask.with("mcp-session-id", &self.id).with("mcp-protocol-version", &self.version);
        match &self.user {
            Some(user) => ask.with("user", user),
            None => ask,
        }
    }

    pub(crate) fn post(&self, body: impl ToString) -> Ask {
        self.sign(Ask::post(body))
    }

    pub(crate) fn get(&self) -> Ask {
        self.sign(Ask::get())
    }

    pub(crate) fn tool(&self, id: impl Into<Value>, name: &str, arguments: Value) -> Ask {
        let mut params = json!({ "name": name, "arguments": arguments });
        params["_meta"] = json!({ "progressToken": 1 });
        self.post(json!({ "jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": params }))
    }

    pub(crate) async fn ask(&self, ask: &Ask) -> Answer {
        Client::connect(self.address).await.ask(ask).await
    }

    /// Opens a stream: sends a request and reads the head of the answer.
    pub(crate) async fn stream(&self, ask: &Ask) -> Client {
        let mut client = Client::connect(self.address).await;
        let head = client.open(ask).await;
        assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")), "{head:?}");
        client
    }
}
