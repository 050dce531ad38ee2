//! The outlet of a connection that shares one stream among all its requests.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use jackfield_protocol::envelope::{Answer, ResultText};
use jackfield_protocol::{ErrorObject, RequestId, json};
use tokio::sync::{mpsc, oneshot};

use crate::{AskError, Closed, Limits, Outlet, RequestKey, Shutdown};

/// A message of a handler, and its place among the answers.
pub(crate) type Queued = (Place, Vec<u8>);

/// Where a message stands among the answers of its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Anywhere.
    Any,
    /// Before the answer to this request; later it is thrown away.
    Before(RequestKey),
    /// After the answer to this request, if that is still to come.
    After(RequestKey),
}

impl From<Option<RequestKey>> for Place {
    fn from(about: Option<RequestKey>) -> Self {
        about.map_or(Self::Any, Self::Before)
    }
}

/// Takes the messages of handlers to the connection, and keeps the questions that wait for an answer.
#[derive(Debug)]
pub(crate) struct Wire {
    queue: mpsc::Sender<Queued>,
    questions: Mutex<Questions>,
    question_timeout: Duration,
    shutdown: Shutdown,
}

#[derive(Debug)]
struct Questions {
    /// `None` when the other side can answer no more.
    waiting: Option<HashMap<u64, oneshot::Sender<Result<Bytes, ErrorObject>>>>,
    next: u64,
    limit: usize,
    /// How many answers came that nobody waits for.
    stray: u64,
}

impl Wire {
    pub(crate) fn new(limits: &Limits, shutdown: Shutdown) -> (Arc<Self>, mpsc::Receiver<Queued>) {
        let (queue, receiver) = mpsc::channel(limits.queued_messages);
        let questions = Questions { waiting: Some(HashMap::new()), next: 1, limit: limits.questions_waiting, stray: 0 };
        let wire =
            Self { queue, questions: Mutex::new(questions), question_timeout: limits.question_timeout, shutdown };
        (Arc::new(wire), receiver)
    }

    fn questions(&self) -> MutexGuard<'_, Questions> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands an answer to the one who waits for it. An answer that nobody waits for is counted and dropped.
    pub(crate) fn answer(&self, answer: Answer) {
        let mut questions = self.questions();
        let waiting = match (&answer.id, questions.waiting.as_mut()) {
            (Some(RequestId::Integer(id)), Some(waiting)) => u64::try_from(*id).ok().and_then(|id| waiting.remove(&id)),
            _ => None,
        };
        match waiting {
            // The asker may have gone in the meantime; then nobody misses the answer.
            Some(asker) => drop(asker.send(answer.outcome.map(ResultText::into_bytes))),
            None => {
                questions.stray = questions.stray.saturating_add(1);
                tracing::debug!(count = questions.stray, "an answer came that nobody waits for");
            }
        }
    }

    /// Ends all questions: the other side will not answer any more.
    pub(crate) fn close_questions(&self) {
        self.questions().waiting = None;
    }

    fn reserve(&self) -> Result<(u64, oneshot::Receiver<Result<Bytes, ErrorObject>>), AskError> {
        let mut questions = self.questions();
        let id = questions.next;
        let limit = questions.limit;
        let waiting = questions.waiting.as_mut().ok_or(AskError::Closed)?;
        if waiting.len() >= limit {
            return Err(AskError::TooMany);
        }
        let (sender, receiver) = oneshot::channel();
        waiting.insert(id, sender);
        questions.next = id.saturating_add(1);
        Ok((id, receiver))
    }

    async fn question(&self, method: &'static str, params: Vec<u8>) -> Result<Bytes, AskError> {
        // The answer may come before the write returns, so the slot is taken first.
        let (id, answer) = self.reserve()?;
        let _cancel = CancelOnDrop { wire: self, id };
        let mut message = Vec::with_capacity(params.len().saturating_add(64));
        message.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        json::write_u64(&mut message, id);
        message.extend_from_slice(b",\"method\":");
        json::write_str(&mut message, method);
        if !params.is_empty() {
            message.extend_from_slice(b",\"params\":");
            message.extend_from_slice(&params);
        }
        message.push(b'}');
        let asked = async {
            self.queue.send((Place::Any, message)).await.map_err(|_| AskError::Closed)?;
            answer.await.map_err(|_| AskError::Closed)?.map_err(AskError::Refused)
        };
        tokio::time::timeout(self.question_timeout, asked).await.unwrap_or(Err(AskError::TimedOut))
    }
}

impl Outlet for Wire {
    fn notify(
        &self,
        about: Option<RequestKey>,
        message: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<(), Closed>> + Send + '_>> {
        Box::pin(async move { self.queue.send((about.into(), message)).await.map_err(|_| Closed) })
    }

    fn try_notify(&self, about: Option<RequestKey>, message: Vec<u8>) -> bool {
        self.queue.try_send((about.into(), message)).is_ok()
    }

    fn try_notify_after(&self, request: RequestKey, message: Vec<u8>) -> bool {
        self.queue.try_send((Place::After(request), message)).is_ok()
    }

    fn ask<'a>(
        &'a self,
        method: &'static str,
        params: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<Bytes, AskError>> + Send + 'a>> {
        Box::pin(self.question(method, params))
    }

    fn shutdown(&self) -> Shutdown {
        self.shutdown.clone()
    }
}

/// Tells the other side that a question is no longer wanted, unless it has been answered.
struct CancelOnDrop<'a> {
    wire: &'a Wire,
    id: u64,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        let unanswered =
            self.wire.questions().waiting.as_mut().is_some_and(|waiting| waiting.remove(&self.id).is_some());
        if unanswered {
            let message = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{},"reason":"no longer needed"}}}}"#,
                self.id
            );
            // When the queue is full the other side learns it by the answer that is ignored.
            self.try_notify_cancel(message);
        }
    }
}

impl CancelOnDrop<'_> {
    fn try_notify_cancel(&self, message: String) {
        let _ = self.wire.queue.try_send((Place::Any, message.into_bytes()));
    }
}
