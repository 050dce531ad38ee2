//! A server that can be cut, and comes back.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use jackfield_client::{BoxFuture, Connector, EndReason, Inbox, Link, NotSent, OpenConnection, Outgoing, OutgoingKind};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::script::greeting;

/// A server of the legacy era whose connection ends when a tool is called. What it does with other requests is said by a function.
pub(crate) struct Cut<F> {
    connections: AtomicU32,
    answer: Arc<F>,
}

/// A request.
pub(crate) struct Asked<'a> {
    /// The number of the connection, from 0.
    pub(crate) connection: u32,
    pub(crate) id: u64,
    pub(crate) method: &'a str,
    pub(crate) params: &'a Value,
    /// Takes an answer that comes later.
    pub(crate) inbox: &'a Inbox,
}

/// What is done with a request.
pub(crate) enum Done {
    Answered(Value),
    Later,
    Unknown,
}

struct CutLink<F> {
    number: u32,
    inbox: Inbox,
    closed: watch::Sender<bool>,
    answer: Arc<F>,
}

impl<F: Fn(Asked<'_>) -> Done + Send + Sync + 'static> Cut<F> {
    pub(crate) fn new(answer: F) -> Self {
        Self { connections: AtomicU32::new(0), answer: Arc::new(answer) }
    }
}

/// Hands an answer to the client.
pub(crate) fn reply(inbox: &Inbox, id: u64, mut answer: Value) {
    (answer["jsonrpc"], answer["id"]) = ("2.0".into(), id.into());
    inbox.receive(answer.to_string().into_bytes().into());
}

impl<F: Fn(Asked<'_>) -> Done + Send + Sync + 'static> Connector for Cut<F> {
    fn connect(&self, inbox: Inbox) -> BoxFuture<'_, io::Result<OpenConnection>> {
        let number = self.connections.fetch_add(1, Ordering::SeqCst);
        let (closed, mut ended) = watch::channel(false);
        let link = Arc::new(CutLink { number, inbox, closed, answer: self.answer.clone() });
        let run = Box::pin(async move {
            let _ = ended.wait_for(|closed| *closed).await;
            EndReason::new("cut")
        });
        Box::pin(async move { Ok(OpenConnection { link, run }) })
    }

    fn can_reconnect(&self) -> bool {
        true
    }
}

impl<F: Fn(Asked<'_>) -> Done + Send + Sync + 'static> Link for CutLink<F> {
    fn send(&self, message: Outgoing<'_>) -> Result<(), NotSent> {
        let OutgoingKind::Request(facts) = message.kind else { return Ok(()) };
        let request: Value = serde_json::from_slice(message.text).unwrap();
        let (id, method, inbox) = (facts.id, facts.method, &self.inbox);
        let asked = Asked { connection: self.number, id, method, params: &request["params"], inbox };
        let done = match method {
            "initialize" => Done::Answered(greeting("2025-06-18")),
            "tools/call" => {
                self.close();
                Done::Later
            }
            _ => (self.answer)(asked),
        };
        match done {
            Done::Answered(result) => reply(inbox, id, json!({ "result": result })),
            Done::Unknown => reply(inbox, id, json!({"error": {"code": -32601, "message": "what?"}})),
            Done::Later => {}
        }
        Ok(())
    }

    fn close(&self) {
        self.closed.send_replace(true);
    }
}

impl<F> fmt::Debug for Cut<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cut")
    }
}

impl<F> fmt::Debug for CutLink<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CutLink")
    }
}
