//! A session of the legacy era whose requests go wherever the proxy takes them.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Answer, Wire};

/// How long a client waits before it comes back to a stream, as the server asks it to.
const RETRY: Duration = Duration::from_secs(1);
/// How long a client waits before it tries again what a server could not do or a broken connection has lost.
const BACKOFF: Duration = Duration::from_millis(100);
/// How often it tries. That is long enough for a busy machine to start a node.
const TRIES: usize = 600;
/// After how long a call that does not end is given up. It is only a bound against hanging: a busy machine is slow.
const LIMIT: Duration = Duration::from_secs(60);
const VERSION: &str = "2025-11-25";

/// A session.
#[derive(Clone, Debug)]
pub struct Session {
    /// Where its requests go.
    pub address: SocketAddr,
    /// Its id.
    pub id: String,
}

/// A call, followed to its end.
#[derive(Debug)]
pub struct Call {
    /// How it ended.
    pub ended: Ended,
    /// What came on its stream before the answer.
    pub messages: Vec<Value>,
    /// How long it took from the last time that its connection broke to the end.
    pub after_break: Option<Duration>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// With a result.
    Answered(Value),
    /// With an error that says why: its code and message, or the status of the response.
    Refused(i64, String),
    /// The connection broke before the server said anything, which the client sees at once.
    Broke,
    /// Not at all.
    Never(String),
}

impl Session {
    /// Opens a session.
    ///
    /// # Errors
    /// The connection broke, or the server refused.
    pub async fn open(address: SocketAddr) -> io::Result<Self> {
        let initialize = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": VERSION, "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "storm", "version": "1" } } });
        let mut session = Self { address, id: String::new() };
        let answer = session.send("POST", Some(&initialize), &[]).await?.0;
        let id = answer.head.field("mcp-session-id").filter(|_| answer.head.status == 200);
        id.ok_or_else(|| refused(&answer))?.clone_into(&mut session.id);
        session.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        Ok(session)
    }

    /// Sends a message that is not answered, again if the connection breaks.
    ///
    /// # Errors
    /// It was not taken after many tries.
    pub async fn post(&self, message: &Value) -> io::Result<()> {
        let mut last = io::Error::other("it was not tried");
        for _ in 0..TRIES {
            match self.send("POST", Some(message), &[]).await {
                Ok((answer, _)) if answer.head.status == 202 => return Ok(()),
                Ok((answer, _)) if answer.head.status != 503 => return Err(refused(&answer)),
                Ok((answer, _)) => last = refused(&answer),
                Err(error) => last = error,
            }
            tokio::time::sleep(BACKOFF).await;
        }
        Err(last)
    }

    /// Sends a request on a connection of its own.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn send(&self, verb: &str, body: Option<&Value>, more: &[(&str, &str)]) -> io::Result<(Answer, Wire)> {
        let mut headers = vec![("accept", "application/json, text/event-stream")];
        if body.is_some() {
            headers.push(("content-type", "application/json"));
        }
        if !self.id.is_empty() {
            headers.extend([("mcp-session-id", self.id.as_str()), ("mcp-protocol-version", VERSION)]);
        }
        headers.extend_from_slice(more);
        let mut wire = Wire::connect(self.address).await?;
        let answer = wire.ask(verb, "/mcp", &headers, body).await?;
        Ok((answer, wire))
    }

    /// Calls a tool, answers what it asks, and comes back to its stream as often as that is cut.
    pub async fn call(&self, id: &str, name: &str, arguments: Value) -> Call {
        let params = json!({ "name": name, "arguments": arguments, "_meta": { "progressToken": id } });
        self.request(id, "tools/call", params).await
    }

    /// Sends a request and follows it to its end.
    pub async fn request(&self, id: &str, method: &str, params: Value) -> Call {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let mut call = Call { ended: Ended::Broke, messages: Vec::new(), after_break: None };
        let mut broke = None;
        let followed = tokio::time::timeout(LIMIT, self.follow(id, &message, &mut call, &mut broke)).await;
        call.ended = followed.unwrap_or_else(|_| Ended::Never("it took too long".to_owned()));
        call.after_break = broke.map(|broke| broke.elapsed());
        call
    }

    async fn follow(&self, id: &str, message: &Value, call: &mut Call, broke: &mut Option<Instant>) -> Ended {
        let Ok((answer, mut wire)) = self.send("POST", Some(message), &[]).await else { return Ended::Broke };
        if !answer.head.is_event_stream() {
            return end_of(&answer.json(), answer.head.status);
        }
        let mut last = String::new();
        loop {
            while let Ok(Some(event)) = wire.event().await {
                last.clone_from(&event.id);
                if event.data.is_empty() {
                    continue;
                }
                let message: Value = serde_json::from_str(&event.data).unwrap_or_default();
                if message["method"] == "elicitation/create" {
                    let answer = json!({ "action": "accept", "content": { "name": id } });
                    let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer });
                    if let Err(error) = self.post(&answer).await {
                        return Ended::Never(format!("the answer to a question was not taken: {error}"));
                    }
                } else if message.get("method").is_some() {
                    call.messages.push(message);
                } else if message["id"] == id {
                    return end_of(&message, 200);
                } else {
                    return Ended::Never(format!("misdelivered: {message}"));
                }
            }
            *broke = Some(Instant::now());
            if last.is_empty() {
                return Ended::Broke;
            }
            tokio::time::sleep(RETRY).await;
            wire = match self.come_back(&last).await {
                Ok(wire) => wire,
                Err(ended) => return ended,
            };
        }
    }

    /// Comes back to a stream.
    ///
    /// # Errors
    /// The server does not know it, or nobody answers.
    pub async fn come_back(&self, last: &str) -> Result<Wire, Ended> {
        let more: &[(&str, &str)] = if last.is_empty() { &[] } else { &[("last-event-id", last)] };
        let mut failed = Ended::Broke;
        for _ in 0..TRIES {
            match self.send("GET", None, more).await {
                Ok((answer, wire)) if answer.head.is_event_stream() => return Ok(wire),
                Ok((answer, _)) if answer.head.status == 503 => failed = end_of(&answer.json(), 503),
                Ok((answer, _)) => return Err(end_of(&answer.json(), answer.head.status)),
                Err(_) => failed = Ended::Broke,
            }
            tokio::time::sleep(BACKOFF).await;
        }
        Err(failed)
    }
}

fn end_of(message: &Value, status: u16) -> Ended {
    if let Some(result) = message.get("result") {
        return Ended::Answered(result.clone());
    }
    // Errors about tasks are internal ones by their code; what they come to is in their data.
    let error = &message["error"];
    let code = error["data"]["status"].as_i64().or(error["code"].as_i64()).unwrap_or_else(|| i64::from(status));
    Ended::Refused(code, error["message"].as_str().unwrap_or_default().to_owned())
}

fn refused(answer: &Answer) -> io::Error {
    io::Error::other(format!("{}: {}", answer.head.status, String::from_utf8_lossy(&answer.body)))
}
