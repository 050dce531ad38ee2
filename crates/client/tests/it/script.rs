//! Conversations as text: what a server does, and what the client's user does and gets.
//!
//! ```text
//! modern                      the server answers the probe; or `legacy 2025-06-18`: it refuses the probe, then shakes hands
//! @ call = ok                 the user does something; the outcome is compared
//! > tools/call {"name":"t"}   the server waits for this message; the parameters hold at least this
//! < {"result":{}}             the server answers the last request
//! <! text                     the server writes a line; `$id` is the id of the last request
//! <~ text                     the server writes bytes without a line end
//! * 100 < …                   the same, several times; `$n` counts, ` ;; ` stands between several lines
//! close                       the server closes the connection
//! ```
//!
//! When its lines are over, the server goes on reading and says nothing. The clock is paused: waiting takes no time.

use std::time::Duration;

use jackfield_client::{Builder, ByteStream, Client, Error, ErrorKind};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Lines};
use tokio::task::JoinSet;

/// The other end of the client's connection.
pub(crate) struct Server {
    lines: Lines<BufReader<Box<dyn AsyncRead + Send + Unpin>>>,
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    last: Value,
    pub(crate) count: usize,
}

impl Server {
    pub(crate) fn new(stream: ByteStream) -> Self {
        let (reader, writer) = stream.into_parts();
        Self { lines: BufReader::new(reader).lines(), writer: Some(writer), last: Value::Null, count: 0 }
    }

    /// Returns the next message of the client.
    pub(crate) async fn receive(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.ok().flatten()?;
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        let message = self.receive().await.unwrap_or_else(|| panic!("the client is gone, but {method} was expected"));
        assert_eq!(message["method"], method, "{message}");
        self.last = message["id"].clone();
        message
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        // A client that has gone away reads no more; that is not the server's fault.
        if let Some(writer) = &mut self.writer {
            let _ = writer.write_all(bytes).await;
            let _ = writer.flush().await;
        }
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes()).await;
    }

    pub(crate) async fn answer(&mut self, result: Value) {
        let message = json!({"jsonrpc": "2.0", "id": self.last, "result": result});
        self.send(&message).await;
    }

    pub(crate) async fn modern(&mut self) {
        self.expect("server/discover").await;
        self.answer(discovery()).await;
    }

    pub(crate) async fn legacy(&mut self, version: &str) {
        self.expect("server/discover").await;
        let refusal = json!({"jsonrpc": "2.0", "id": self.last, "error": {"code": -32601, "message": "what?"}});
        self.send(&refusal).await;
        self.initialize(version).await;
    }

    pub(crate) async fn initialize(&mut self, version: &str) {
        self.expect("initialize").await;
        self.answer(greeting(version)).await;
        self.expect("notifications/initialized").await;
    }

    pub(crate) async fn close(&mut self) {
        if let Some(mut writer) = self.writer.take() {
            let _ = writer.shutdown().await;
        }
    }

    /// Reads until the client is gone.
    pub(crate) async fn ignore_the_rest(&mut self) {
        while self.lines.next_line().await.is_ok_and(|line| line.is_some()) {}
    }

    async fn play(&mut self, line: &str) {
        let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
        let filled = rest.replace("$id", &self.last.to_string()).replace("$n", &self.count.to_string());
        match command {
            "modern" => self.modern().await,
            "legacy" => self.legacy(rest).await,
            ">" => {
                let (method, params) = rest.split_once(' ').unwrap_or((rest, "{}"));
                let message = self.expect(method).await;
                let wanted: Value = serde_json::from_str(params).unwrap();
                assert!(holds(&message["params"], &wanted), "{message} does not hold {wanted}");
            }
            ">=" => {
                let message = self.receive().await.expect("an answer of the client");
                let wanted: Value = serde_json::from_str(&filled).unwrap();
                assert!(holds(&message, &wanted), "{message} does not hold {wanted}");
            }
            "<" => {
                let mut message: Value = serde_json::from_str(&filled).unwrap_or_else(|e| panic!("{e}: {filled}"));
                message["jsonrpc"] = "2.0".into();
                if message.get("method").is_none() && message.get("id").is_none() {
                    message["id"] = self.last.clone();
                }
                self.send(&message).await;
            }
            "<!" => self.write(format!("{filled}\n").as_bytes()).await,
            "<~" => self.write(filled.as_bytes()).await,
            "*" => {
                let (count, line) = rest.split_once(' ').unwrap();
                for n in 0..count.parse().unwrap() {
                    self.count = n;
                    for line in line.split(" ;; ") {
                        Box::pin(self.play(line)).await;
                    }
                }
            }
            "close" => self.close().await,
            other => panic!("the script says {other:?}"),
        }
    }
}

/// Whether `value` has at least the members of `wanted`.
pub(crate) fn holds(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (_, Value::Object(wanted)) if wanted.is_empty() => true,
        (Value::Object(value), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| value.get(key).is_some_and(|value| holds(value, wanted)))
        }
        _ => value == wanted,
    }
}

pub(crate) fn capabilities() -> Value {
    json!({
        "tools": {"listChanged": true}, "prompts": {"listChanged": true}, "logging": {}, "completions": {},
        "resources": {"subscribe": true, "listChanged": true}
    })
}

pub(crate) fn discovery() -> Value {
    json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities(),
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "scripted", "version": "1"}}})
}

pub(crate) fn greeting(version: &str) -> Value {
    let mut capabilities = capabilities();
    if version == "2025-11-25" {
        capabilities["tasks"] = json!({"requests": {"tools": {"call": {}}}, "cancel": {}});
    }
    json!({"protocolVersion": version, "capabilities": capabilities, "serverInfo": {"name": "scripted", "version": "1"}})
}

/// Names an outcome in few words.
pub(crate) fn name<T>(outcome: &Result<T, Error>) -> String {
    let Err(error) = outcome else { return "ok".to_owned() };
    match error.kind() {
        ErrorKind::Server if error.is_task_cancelled() => "task cancelled".into(),
        ErrorKind::Server => format!("server {}", error.code().unwrap_or_default()),
        ErrorKind::Timeout => "timeout".into(),
        ErrorKind::Closed if error.is_lost() => "lost".into(),
        ErrorKind::Closed => "closed".into(),
        ErrorKind::Connect if error.is_no_common_revision() => "no common revision".into(),
        ErrorKind::Connect => "unreachable".into(),
        ErrorKind::Protocol if error.is_undeclared_question() => "undeclared".into(),
        ErrorKind::Protocol if error.to_string().contains("the same cursor twice") => "repeated cursor".into(),
        ErrorKind::Protocol => match error.status() {
            Some(status) => format!("status {status}"),
            None => "bad answer".into(),
        },
        ErrorKind::Unsupported if error.is_not_offered() => "not offered".into(),
        ErrorKind::Unsupported => "not in revision".into(),
        ErrorKind::Local if error.is_refused_question() => "refused".into(),
        ErrorKind::Local if error.is_limit() => "limit".into(),
        ErrorKind::Output => "bad output".into(),
        other => format!("{other:?}"),
    }
}

/// Says why the connection ended on which an answer was lost.
#[track_caller]
pub(crate) fn end_reason<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
    let error = outcome.unwrap_err();
    assert!(error.is_lost(), "{error:?}");
    std::error::Error::source(&error).unwrap().to_string()
}

/// Does what one `@` line says.
pub(crate) async fn act(client: &Client, action: &str) -> String {
    let (verb, rest) = action.split_once(' ').unwrap_or((action, ""));
    match verb {
        "call" => name(&client.call("t", json!({"a": 1})).await),
        "typed" => {
            let output = client.call("t", json!({"a": 1})).await;
            name(&output.and_then(|output| output.structured::<i64>()))
        }
        "list" => name(&client.tools().all().await),
        "resources" => name(&client.resources().all().await),
        "templates" => name(&client.resource_templates().all().await),
        "prompts" => name(&client.prompts().all().await),
        "read" => name(&client.read("r://1").await),
        "prompt" => name(&client.prompt("p", [("a", "b")]).await),
        "complete" => {
            let what = jackfield_protocol::Reference::prompt("p");
            name(&client.complete(what, "a", "b", [].into()).await)
        }
        "ping" => name(&client.ping().await),
        "level" => name(&client.set_log_level(jackfield_protocol::LoggingLevel::Warning).await),
        "subscribe" => name(&client.subscribe().tools().resource("r://1").await),
        "custom" => name(&client.request(rest, jackfield_protocol::JsonObject::new()).await),
        other => panic!("the script says @ {other:?}"),
    }
}

/// Plays a conversation with a client that has the usual settings.
#[track_caller]
pub(crate) fn check(conversation: &str) {
    check_with(Client::builder(), conversation);
}

/// Plays a conversation.
#[track_caller]
pub(crate) fn check_with(builder: Builder, conversation: &str) {
    let lines: Vec<String> = conversation.lines().map(str::trim).filter(|l| !l.is_empty()).map(str::to_owned).collect();
    paused(async move {
        let (ours, theirs) = ByteStream::pair(1 << 16);
        let (actions, played): (Vec<_>, Vec<_>) = lines.into_iter().partition(|line| line.starts_with('@'));
        let mut server = JoinSet::new();
        server.spawn(async move {
            let mut server = Server::new(theirs);
            for line in played {
                server.play(&line).await;
            }
            server.ignore_the_rest().await;
        });
        let mut actions = actions.iter().map(|line| line[1..].trim().rsplit_once(" = ").expect("`@ action = outcome`"));
        let connected = builder.over(ours).await;
        let client = match connected {
            Ok(client) => client,
            error => {
                let (action, wanted) = actions.next().expect("the connection failed");
                assert_eq!((action, name(&error).as_str()), ("connect", wanted), "{error:?}");
                finish(server).await;
                return;
            }
        };
        for (action, wanted) in actions {
            if action == "connect" {
                assert_eq!(wanted, "ok");
                continue;
            }
            let outcome = act(&client, action).await;
            assert_eq!(outcome, wanted, "@ {action}");
        }
        drop(client);
        finish(server).await;
    });
}

async fn finish(mut server: JoinSet<()>) {
    if let Some(Err(error)) = server.join_next().await {
        std::panic::resume_unwind(error.into_panic());
    }
}

/// Runs a test whose clock stands still; a week of that clock is the most any test takes.
pub(crate) fn paused<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        tokio::time::timeout(Duration::from_secs(7 * 24 * 3600), test).await.expect("the conversation did not end")
    })
}

/// A client and a server in memory.
pub(crate) struct Pair;

impl Pair {
    pub(crate) fn streams() -> (ByteStream, Server) {
        let (ours, theirs) = ByteStream::pair(1 << 16);
        (ours, Server::new(theirs))
    }

    pub(crate) async fn modern(builder: Builder) -> (Client, Server) {
        let (ours, mut server) = Self::streams();
        let (client, ()) = tokio::join!(builder.over(ours), server.modern());
        (client.unwrap(), server)
    }

    pub(crate) async fn legacy(builder: Builder, version: &str) -> (Client, Server) {
        let (ours, mut server) = Self::streams();
        let (client, ()) = tokio::join!(builder.over(ours), server.legacy(version));
        (client.unwrap(), server)
    }
}
