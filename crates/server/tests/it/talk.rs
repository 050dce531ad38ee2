//! Conversations with a server over a real connection in memory, written as text.
//!
//! ```text
//! @ 2025-11-25 {"sampling": {}}        the client's revision and capabilities; a handshake where there is one
//! > 1 tools/list {"cursor": "x"}       the client sends a request …
//! > notifications/initialized          … or a notification
//! > ? {"action": "accept"}             … or the answer to the server's last question
//! > ? error -1 "no"                    … or an error instead
//! > raw {"jsonrpc": …}                 … or this text
//! < 1 {"tools": "$tools"}              the server answers: members that are named must be there and fit
//! < 1 error -32602 some words          … with an error whose message has these words; then perhaps `data {…}`
//! < notifications/progress {…}         … sends a notification
//! < ? elicitation/create {…}           … or a question
//! < nothing                            … or nothing, for an hour
//! ```
//!
//! In what is expected, `"$name"` fits everything and remembers it, `"*"` fits everything, `"!"` fits only what is absent. In what
//! is sent, `"$name"` is what was remembered. `//` begins a comment.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use jackfield_peer::{ByteStream, Connection, Principal, Shutdown, ShutdownTrigger};
use jackfield_protocol::Revision;
use jackfield_server::{RunningServer, Server};
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

/// The revisions with a handshake.
pub(crate) fn legacy() -> Vec<Revision> {
    Revision::ALL.into_iter().filter(|revision| revision.has_handshake()).collect()
}

/// Plays a conversation with one revision after the other, each over a new connection.
#[track_caller]
pub(crate) fn check_each(
    revisions: impl IntoIterator<Item = Revision>,
    server: impl Fn() -> Server,
    conversation: &str,
) {
    for revision in revisions {
        check(server(), &conversation.replace("REVISION", revision.as_str()));
    }
}

/// Plays a conversation.
#[track_caller]
pub(crate) fn check(server: impl Serve, conversation: &str) {
    let server = server.running();
    runtime().block_on(async move {
        let mut talk = Talk::new(server);
        talk.play(conversation).await;
    });
}

/// What a conversation is held with: a server that runs, or one that is started for it.
pub(crate) trait Serve {
    fn running(self) -> RunningServer;
}

impl Serve for Server {
    #[track_caller]
    fn running(self) -> RunningServer {
        started(self)
    }
}

impl Serve for RunningServer {
    fn running(self) -> RunningServer {
        self
    }
}

impl Serve for &RunningServer {
    fn running(self) -> RunningServer {
        self.clone()
    }
}

/// Starts a server that has nothing to wait for.
#[track_caller]
pub(crate) fn started(server: Server) -> RunningServer {
    let mut context = Context::from_waker(Waker::noop());
    match std::pin::pin!(server.start()).poll(&mut context) {
        Poll::Ready(running) => running.unwrap_or_else(|error| panic!("{error}")),
        Poll::Pending => panic!("the server waits for something before it starts"),
    }
}

/// A runtime whose clock stands still unless everyone waits.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// A client at the other end of a connection.
pub(crate) struct Talk {
    lines: tokio::io::Lines<BufReader<Box<dyn AsyncRead + Send + Unpin>>>,
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    meta: Option<Value>,
    known: HashMap<String, Value>,
    question: Value,
    /// A state that a task only passes through may be told or not, depending on who is faster.
    pub(crate) skips_working: bool,
    pub(crate) shutdown: ShutdownTrigger,
    _serving: tokio::task::JoinSet<()>,
}

impl Talk {
    #[track_caller]
    pub(crate) fn new(server: impl Serve) -> Self {
        Self::with(server, None)
    }

    #[track_caller]
    pub(crate) fn of_user(server: impl Serve, user: &str) -> Self {
        Self::with(server, Some(Principal::new("https://issuer.example", user)))
    }

    #[track_caller]
    pub(crate) fn with(server: impl Serve, user: Option<Principal>) -> Self {
        let (near, far) = ByteStream::pair(1 << 20);
        let (shutdown, listener) = Shutdown::new();
        let mut connection = Connection::new(Arc::new(server.running())).with_shutdown(listener);
        if let Some(user) = user {
            connection = connection.with_principal(user);
        }
        let mut serving = tokio::task::JoinSet::new();
        serving.spawn(async move { connection.serve(far).await.unwrap() });
        let (reader, writer) = near.into_parts();
        Self {
            lines: BufReader::new(reader).lines(),
            writer: Some(writer),
            meta: None,
            known: HashMap::new(),
            question: Value::Null,
            skips_working: false,
            shutdown,
            _serving: serving,
        }
    }

    pub(crate) async fn play(&mut self, conversation: &str) {
        for line in conversation.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")) {
            let (sign, rest) = line.split_at(1);
            match sign {
                "@" => self.begin(rest.trim()).await,
                ">" => self.send_line(rest.trim()).await,
                "<" => self.expect_line(line, rest.trim()).await,
                _ => panic!("what is {line:?}?"),
            }
        }
    }

    async fn begin(&mut self, line: &str) {
        let (revision, capabilities) = line.split_once(' ').unwrap_or((line, "{}"));
        let capabilities: Value = serde_json::from_str(capabilities).unwrap();
        let revision: Revision = revision.parse().unwrap();
        if revision.has_handshake() {
            let params = json!({"protocolVersion": revision, "capabilities": capabilities, "clientInfo": {"name": "t", "version": "1"}});
            self.send(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})).await;
            let answer = self.receive().await.expect("an answer to initialize");
            assert_eq!(answer["result"]["protocolVersion"], revision.as_str(), "{answer}");
            self.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        } else {
            self.meta = Some(json!({
                "io.modelcontextprotocol/protocolVersion": revision,
                "io.modelcontextprotocol/clientCapabilities": capabilities,
                "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            }));
        }
    }

    async fn send_line(&mut self, line: &str) {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let message = match first {
            "raw" => return self.send_text(rest).await,
            "?" => match rest.strip_prefix("error ") {
                Some(error) => {
                    let (code, message) = error.split_once(' ').unwrap();
                    let error = json!({"code": code.parse::<i64>().unwrap(), "message": message});
                    json!({"jsonrpc": "2.0", "id": self.question, "error": error})
                }
                None => json!({"jsonrpc": "2.0", "id": self.question, "result": self.fill(parse(rest))}),
            },
            method if method.starts_with("notifications/") => {
                let mut message = json!({"jsonrpc": "2.0", "method": method});
                if !rest.is_empty() {
                    message["params"] = self.fill(parse(rest));
                }
                message
            }
            id => {
                let (method, params) = rest.split_once(' ').unwrap_or((rest, "{}"));
                let mut params = self.fill(parse(params));
                if let Some(Value::Object(meta)) = self.meta.clone() {
                    let own = params["_meta"].take();
                    let mut all = meta;
                    all.extend(own.as_object().cloned().unwrap_or_default());
                    params["_meta"] = Value::Object(all);
                }
                let id: Value = serde_json::from_str(id).unwrap();
                json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
            }
        };
        self.send(message).await;
    }

    async fn expect_line(&mut self, whole: &str, line: &str) {
        if line == "nothing" {
            let found = tokio::time::timeout(Duration::from_secs(3600), self.lines.next_line()).await;
            assert!(found.is_err(), "expected nothing, got {found:?}");
            return;
        }
        let message = self.receive().await.unwrap_or_else(|| panic!("the connection closed, expected {whole}"));
        let (first, rest) = line.split_once(' ').unwrap_or((line, "{}"));
        let fits = match first {
            "?" => {
                let (method, params) = rest.split_once(' ').unwrap_or((rest, "{}"));
                self.question = message["id"].clone();
                message["method"] == method
                    && !message["id"].is_null()
                    && self.fits(&parse(params), message.get("params"))
            }
            method if method.starts_with("notifications/") => {
                message["method"] == method
                    && message.get("id").is_none()
                    && self.fits(&parse(rest), message.get("params"))
            }
            id => {
                let id: Value = serde_json::from_str(id).unwrap();
                let same = message["id"] == id && message["jsonrpc"] == "2.0";
                same && match rest.strip_prefix("error ") {
                    Some(error) => {
                        let (code, words) = error.split_once(' ').unwrap_or((error, ""));
                        let (words, data) = words.split_once(" data ").unwrap_or((words, "\"*\""));
                        let has_data = data == "\"*\"" || self.fits(&parse(data), message["error"].get("data"));
                        let text = message["error"]["message"].as_str().unwrap_or_default();
                        message["error"]["code"] == json!(code.parse::<i64>().unwrap())
                            && text.contains(words)
                            && has_data
                            && message.get("result").is_none()
                    }
                    None => message.get("error").is_none() && self.fits(&parse(rest), message.get("result")),
                }
            }
        };
        assert!(fits, "\nexpected {whole}\n     got {message}\n");
    }

    fn fits(&mut self, expected: &Value, found: Option<&Value>) -> bool {
        match (expected, found) {
            (Value::String(text), None) if text == "!" => true,
            (Value::Object(members), None) => members.is_empty(),
            (_, None) => false,
            (Value::String(text), _) if text == "*" => true,
            (Value::String(text), Some(found)) if text.starts_with('$') => {
                self.known.insert(text.clone(), found.clone());
                true
            }
            (Value::Object(members), Some(Value::Object(found))) => {
                members.iter().all(|(name, value)| self.fits(value, found.get(name)))
            }
            (Value::Array(items), Some(Value::Array(found))) => {
                items.len() == found.len() && items.iter().zip(found).all(|(item, found)| self.fits(item, Some(found)))
            }
            (expected, Some(found)) => expected == found,
        }
    }

    /// Puts what was remembered into what is sent.
    fn fill(&self, value: Value) -> Value {
        match value {
            Value::String(text) if text.starts_with('$') => {
                self.known.get(&text).cloned().unwrap_or_else(|| panic!("{text} is not known"))
            }
            Value::Array(items) => items.into_iter().map(|item| self.fill(item)).collect(),
            Value::Object(members) => {
                Value::Object(members.into_iter().map(|(name, value)| (name, self.fill(value))).collect::<Map<_, _>>())
            }
            other => other,
        }
    }

    /// Returns what was remembered.
    pub(crate) fn known(&self, name: &str) -> &Value {
        &self.known[name]
    }

    pub(crate) fn remember(&mut self, name: &str, value: Value) {
        self.known.insert(name.to_owned(), value);
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.send_text(&message.to_string()).await;
    }

    async fn send_text(&mut self, text: &str) {
        let writer = self.writer.as_mut().unwrap();
        writer.write_all(format!("{text}\n").as_bytes()).await.unwrap();
    }

    pub(crate) async fn receive(&mut self) -> Option<Value> {
        loop {
            let line = tokio::time::timeout(Duration::from_secs(7200), self.lines.next_line()).await;
            let line = line.unwrap_or_else(|_| panic!("the server says nothing")).unwrap()?;
            let message: Value = serde_json::from_str(&line).unwrap();
            let is_passing = message["method"] == "notifications/tasks" && message["params"]["status"] == "working";
            if !(self.skips_working && is_passing) {
                return Some(message);
            }
        }
    }

    /// Returns the next message as it was written.
    pub(crate) async fn receive_text(&mut self) -> String {
        let line = tokio::time::timeout(Duration::from_secs(7200), self.lines.next_line()).await;
        line.expect("the server says something").unwrap().expect("the connection is open")
    }

    /// Returns all that comes until nothing comes for an hour.
    pub(crate) async fn rest(&mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        while let Ok(line) = tokio::time::timeout(Duration::from_secs(3600), self.lines.next_line()).await {
            messages.push(parse(&line.unwrap().expect("the server closed the connection")));
        }
        messages
    }

    /// Closes the client's side.
    pub(crate) async fn close(&mut self) {
        if let Some(mut writer) = self.writer.take() {
            writer.shutdown().await.unwrap();
        }
    }
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}
