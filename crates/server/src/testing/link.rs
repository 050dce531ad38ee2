//! The connection of a test client: lines out, lines in, and who waits for which answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jackfield_peer::ByteStream;
use jackfield_protocol::ErrorObject;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex as AsyncMutex, oneshot, watch};
use tokio::task::JoinSet;

use super::Notification;
use super::answers::Answers;

type Reply = Result<Value, ErrorObject>;

/// An open connection. Dropping it ends the server's side too.
#[derive(Debug)]
pub(super) struct Link {
    shared: Arc<Shared>,
    /// How many notifications have come.
    arrived: watch::Receiver<usize>,
    _tasks: JoinSet<()>,
}

struct Shared {
    writer: AsyncMutex<Box<dyn AsyncWrite + Send + Unpin>>,
    waiting: Mutex<Waiting>,
    notifications: Mutex<Vec<Notification>>,
    answers: Answers,
}

#[derive(Default)]
struct Waiting {
    closed: bool,
    replies: HashMap<u64, oneshot::Sender<Reply>>,
}

impl Link {
    /// Speaks to a server that runs as `server` and has the other end of `stream`.
    pub(super) fn open(
        stream: ByteStream,
        answers: Answers,
        server: impl Future<Output = ()> + Send + 'static,
    ) -> Self {
        let (reader, writer) = stream.into_parts();
        let (sender, arrived) = watch::channel(0);
        let shared = Arc::new(Shared {
            writer: AsyncMutex::new(writer),
            waiting: Mutex::default(),
            notifications: Mutex::default(),
            answers,
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(server);
        tasks.spawn(receive(shared.clone(), reader, sender));
        Self { shared, arrived, _tasks: tasks }
    }

    /// Sends a request and waits for its answer.
    pub(super) async fn request(&self, id: u64, method: &str, params: Value) -> Reply {
        let receiver = self.start(id, method, params).await?;
        receiver.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Sends a request; the answer comes later.
    pub(super) async fn start(
        &self,
        id: u64,
        method: &str,
        params: Value,
    ) -> Result<oneshot::Receiver<Reply>, ErrorObject> {
        let (sender, receiver) = oneshot::channel();
        {
            let mut waiting = self.shared.waiting();
            if waiting.closed {
                return Err(closed());
            }
            waiting.replies.insert(id, sender);
        }
        self.shared.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await?;
        Ok(receiver)
    }

    /// Sends a notification.
    pub(super) async fn notify(&self, method: &str, params: Value) -> Result<(), ErrorObject> {
        self.shared.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await
    }

    /// Returns all notifications that have come.
    pub(super) fn notifications(&self) -> Vec<Notification> {
        self.shared.notifications.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until `find` finds something among the notifications.
    pub(super) async fn wait_for<T>(&self, find: impl Fn(&[Notification]) -> Option<T>) -> Option<T> {
        let mut arrived = self.arrived.clone();
        loop {
            arrived.borrow_and_update();
            if let Some(found) = find(&self.notifications()) {
                return Some(found);
            }
            arrived.changed().await.ok()?;
        }
    }
}

fn closed() -> ErrorObject {
    ErrorObject::internal("the server closed the connection")
}

async fn receive(shared: Arc<Shared>, reader: Box<dyn AsyncRead + Send + Unpin>, arrived: watch::Sender<usize>) {
    let mut lines = BufReader::new(reader).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        match serde_json::from_str(&line) {
            Ok(Value::Array(messages)) => {
                for message in messages {
                    shared.received(message, &arrived).await;
                }
            }
            Ok(message) => shared.received(message, &arrived).await,
            Err(error) => panic!("the server wrote something that is not JSON ({error}): {line}"),
        }
    }
    let mut waiting = shared.waiting();
    waiting.closed = true;
    waiting.replies.clear();
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn write(&self, message: &Value) -> Result<(), ErrorObject> {
        let mut line = message.to_string();
        line.push('\n');
        let mut writer = self.writer.lock().await;
        let written = async {
            writer.write_all(line.as_bytes()).await?;
            writer.flush().await
        };
        written.await.map_err(|_| closed())
    }

    async fn received(&self, mut message: Value, arrived: &watch::Sender<usize>) {
        let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
        let params = message.get_mut("params").map(Value::take).unwrap_or_default();
        match (method, message.get("id").cloned()) {
            (Some(method), Some(id)) => {
                let reply = match self.answers.request(&method, params) {
                    Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                    Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
                };
                // If the server is gone, the answer is of no use to anyone.
                let _ = self.write(&reply).await;
            }
            (Some(method), None) => {
                self.notifications.lock().unwrap_or_else(PoisonError::into_inner).push(Notification { method, params });
                arrived.send_modify(|count| *count = count.saturating_add(1));
            }
            (None, id) => {
                let waiting = id.and_then(|id| id.as_u64()).and_then(|id| self.waiting().replies.remove(&id));
                if let Some(waiting) = waiting {
                    let _ = waiting.send(reply(&mut message));
                }
            }
        }
    }
}

fn reply(message: &mut Value) -> Reply {
    match message.get_mut("error").map(Value::take) {
        None => Ok(message.get_mut("result").map(Value::take).unwrap_or_default()),
        Some(error) => Err(serde_json::from_value(error)
            .unwrap_or_else(|error| ErrorObject::internal(format!("the server wrote an error without form: {error}")))),
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("notifications", &self.notifications).finish_non_exhaustive()
    }
}
