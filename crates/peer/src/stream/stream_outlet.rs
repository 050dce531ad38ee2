//! The outlet of a connection that shares one stream among all its requests.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::{AskError, CallLimits, Closed, Outlet, Questions, RequestKey, Shutdown, StreamLimits};

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
pub(crate) struct StreamOutlet {
    queue: mpsc::Sender<Queued>,
    pub(crate) questions: Questions,
    shutdown: Shutdown,
}

impl StreamOutlet {
    pub(crate) fn new(
        limits: &StreamLimits,
        calls: &CallLimits,
        shutdown: Shutdown,
    ) -> (Arc<Self>, mpsc::Receiver<Queued>) {
        let (queue, receiver) = mpsc::channel(limits.queued_messages);
        let questions = Questions::new(calls.questions_waiting, calls.question_timeout);
        (Arc::new(Self { queue, questions, shutdown }), receiver)
    }

    async fn question(&self, method: &'static str, params: Vec<u8>) -> Result<Bytes, AskError> {
        let send = async |message| self.queue.send((Place::Any, message)).await.map_err(|_| Closed);
        // When the queue is full the other side learns it by the answer that is ignored.
        let withdraw = |message| drop(self.queue.try_send((Place::Any, message)));
        self.questions.ask(method, &params, send, &withdraw).await
    }
}

impl Outlet for StreamOutlet {
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
