//! A handler whose behaviour is chosen by the request, and a client that writes and reads lines.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jackfield_peer::{
    Answering, ByteStream, CallLimits, Connection, Handler, Incoming, Reply, Shutdown, ShutdownTrigger, StreamLimits,
};
use jackfield_protocol::envelope::MethodName;
use jackfield_protocol::{AnyResult, ErrorObject, Outcome, Revision};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Lines};
use tokio::task::JoinSet;

/// Does what the parameter `do` of a request says.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) limits: CallLimits,
    pub(crate) dropped: Arc<AtomicUsize>,
    pub(crate) notes: Arc<AtomicUsize>,
}

/// Counts when it is dropped.
struct Guard(Arc<AtomicUsize>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

pub(crate) fn done(value: Value) -> Reply {
    Ok(Outcome::Complete(AnyResult::from(value)))
}

impl Handler for Script {
    fn call_limits(&self) -> CallLimits {
        self.limits.clone()
    }

    fn handle(&self, incoming: Incoming) -> Answering {
        if incoming.id.is_none() {
            self.notes.fetch_add(1, Ordering::SeqCst);
            if incoming.params.optional_string("do").ok().flatten().as_deref() == Some("hang") {
                return Answering::later(std::future::pending());
            }
            return Answering::ready(done(json!({})));
        }
        if let MethodName::Other(name) = &incoming.method {
            return Answering::ready(Err(ErrorObject::method_not_found(name)));
        }
        let what = incoming.params.optional_string("do").ok().flatten().unwrap_or_default().into_owned();
        let guard = Guard(self.dropped.clone());
        match what.as_str() {
            "panic" => panic!("as asked"),
            "panic-later" => Answering::later(async {
                tokio::task::yield_now().await;
                panic!("as asked, later")
            }),
            "later" => Answering::later(async {
                tokio::task::yield_now().await;
                done(json!({"late": true}))
            }),
            "hang" => Answering::later(async move {
                let _guard = guard;
                std::future::pending().await
            }),
            "sleep" => Answering::later(async move {
                jackfield_testkit::pass(Duration::from_secs(1)).await;
                done(json!({"slept": true}))
            }),
            "fail" => Answering::ready(Err(ErrorObject::new(7, "as asked"))),
            "progress" => Answering::later(progress(incoming, false)),
            "progress-hang" => Answering::later(progress(incoming, true)),
            "after" => Answering::ready(after(&incoming, "after")),
            "after-later" => Answering::later(async move {
                let reply = after(&incoming, "after-later");
                tokio::task::yield_now().await;
                reply
            }),
            "after-hang" => Answering::later(async move {
                let _ = after(&incoming, "after-hang");
                std::future::pending().await
            }),
            "ask" => Answering::later(ask(incoming)),
            "newline" => Answering::ready(Ok(Outcome::Complete(AnyResult::Encoded("{\n\"a\":\r\n1}".into())))),
            "newlines" => {
                let text = format!("{{{}\"a\":1}}", "\n".repeat(2_000_000));
                Answering::ready(Ok(Outcome::Complete(AnyResult::Encoded(text.into()))))
            }
            "notify-hang" => Answering::later(async move {
                let note = br#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#;
                while incoming.outlet.notify(incoming.key, note.to_vec()).await.is_ok() {}
                std::future::pending().await
            }),
            "caller" => Answering::ready(done(json!({
                "revision": incoming.caller.revision,
                "client": incoming.caller.client_info.as_ref().map(|info| info.name.clone()),
                "session": incoming.session.is_some(),
                "roots": incoming.caller.capabilities.roots.is_some(),
            }))),
            _ => Answering::ready(done(json!({"method": incoming.method.as_str()}))),
        }
    }
}

async fn progress(incoming: Incoming, hang: bool) -> Reply {
    for step in 1..=5 {
        let note = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": step}});
        let _ = incoming.outlet.notify(incoming.key, note.to_string().into_bytes()).await;
    }
    if hang {
        std::future::pending::<()>().await;
    }
    done(json!({"steps": 5}))
}

/// Says something that has to follow the answer.
fn after(incoming: &Incoming, name: &str) -> Reply {
    let note = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": name}});
    let taken = incoming.outlet.try_notify_after(incoming.key.unwrap(), note.to_string().into_bytes());
    done(json!({"taken": taken}))
}

async fn ask(incoming: Incoming) -> Reply {
    match incoming.outlet.ask("roots/list", Vec::new()).await {
        Ok(answer) => done(json!({"answer": serde_json::from_slice::<Value>(&answer).unwrap()})),
        Err(error) => Err(ErrorObject::internal(error.to_string())),
    }
}

/// The other end of a connection.
pub(crate) struct Client {
    lines: Lines<BufReader<Box<dyn AsyncRead + Send + Unpin>>>,
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    pub(crate) script: Arc<Script>,
    pub(crate) trigger: ShutdownTrigger,
    pub(crate) server: JoinSet<Result<(), jackfield_peer::Error>>,
}

impl Client {
    pub(crate) fn new() -> Self {
        Self::with(StreamLimits::default())
    }

    pub(crate) fn with(limits: StreamLimits) -> Self {
        let (ours, theirs) = ByteStream::pair(1 << 20);
        Self::over(ours, theirs, limits)
    }

    pub(crate) fn over(ours: ByteStream, theirs: ByteStream, limits: StreamLimits) -> Self {
        Self::served(ours, theirs, |connection| connection.with_limits(limits))
    }

    /// A connection to a handler with limits of its own.
    pub(crate) fn with_calls(change: impl FnOnce(&mut CallLimits)) -> Self {
        let (ours, theirs) = ByteStream::pair(1 << 20);
        let mut script = Script::default();
        change(&mut script.limits);
        Self::of(script, ours, theirs, |connection| connection)
    }

    /// A connection that is served as `set_up` says.
    pub(crate) fn served(ours: ByteStream, theirs: ByteStream, set_up: impl FnOnce(Connection) -> Connection) -> Self {
        Self::of(Script::default(), ours, theirs, set_up)
    }

    fn of(script: Script, ours: ByteStream, theirs: ByteStream, set_up: impl FnOnce(Connection) -> Connection) -> Self {
        let script = Arc::new(script);
        let (trigger, shutdown) = Shutdown::new();
        let connection = set_up(Connection::new(script.clone())).with_shutdown(shutdown);
        let mut server = JoinSet::new();
        server.spawn(connection.serve(theirs));
        let (reader, writer) = ours.into_parts();
        Self { lines: BufReader::new(reader).lines(), writer: Some(writer), script, trigger, server }
    }

    pub(crate) async fn send(&mut self, text: impl AsRef<[u8]>) {
        let writer = self.writer.as_mut().unwrap();
        writer.write_all(text.as_ref()).await.unwrap();
        writer.write_all(b"\n").await.unwrap();
        writer.flush().await.unwrap();
    }

    pub(crate) async fn receive(&mut self) -> Value {
        self.try_receive().await.expect("the server closed the connection")
    }

    /// Receives the next message; none if the server closed the connection.
    pub(crate) async fn try_receive(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.unwrap()?;
        Some(serde_json::from_str(&line).unwrap())
    }

    /// Sends a request that does `what` and returns its answer.
    pub(crate) async fn request(&mut self, id: impl Into<Value>, what: &str) -> Value {
        self.send(legacy(id.into(), what)).await;
        self.receive().await
    }

    pub(crate) async fn initialize(&mut self, version: &str) -> Value {
        self.send(
            json!({"jsonrpc": "2.0", "id": "init", "method": "initialize", "params": {
                "protocolVersion": version, "capabilities": {"roots": {}}, "clientInfo": {"name": "test", "version": "1"},
                "do": "caller"
            }})
            .to_string(),
        )
        .await;
        let answer = self.receive().await;
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        answer
    }

    pub(crate) fn take_writer(&mut self) -> Box<dyn AsyncWrite + Send + Unpin> {
        self.writer.take().unwrap()
    }

    /// Sends a text without a line end, and finishes.
    pub(crate) async fn finish_with(mut self, text: String) -> Vec<Value> {
        self.writer.as_mut().unwrap().write_all(text.as_bytes()).await.unwrap();
        self.finish().await
    }

    /// Closes our writing side and returns all that still comes.
    pub(crate) async fn finish(mut self) -> Vec<Value> {
        if let Some(mut writer) = self.writer.take() {
            writer.shutdown().await.unwrap();
        }
        let mut rest = Vec::new();
        while let Some(line) = self.lines.next_line().await.unwrap() {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        self.server.join_next().await.unwrap().unwrap().unwrap();
        rest
    }
}

/// A request without modern `_meta`.
pub(crate) fn legacy(id: impl Into<Value>, what: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": {"do": what}}).to_string()
}

/// A request of the modern era.
pub(crate) fn modern(id: impl Into<Value>, what: &str) -> String {
    modern_as(id, what, Revision::LATEST.as_str())
}

pub(crate) fn modern_as(id: impl Into<Value>, what: &str, version: &str) -> String {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": {"do": what, "_meta": {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "2"},
    }}})
    .to_string()
}

pub(crate) fn cancel(id: impl Into<Value>) -> String {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id.into()}}).to_string()
}
