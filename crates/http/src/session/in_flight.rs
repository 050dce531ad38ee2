//! What runs in a session.

use std::collections::HashMap;
use std::sync::Arc;

use jackfield_peer::RequestKey;
use jackfield_protocol::RequestId;
use tokio::task::AbortHandle;

use crate::legacy::Exchange;

/// What runs in a session. Whatever is added has an owner: when the session has come to its end, nothing is added any more.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    running: HashMap<InFlightId, Running>,
    closed: Option<Closing>,
}

/// Names what runs in a session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum InFlightId {
    Request(RequestId),
    Notification(RequestKey),
}

/// A request or notification whose handler was not ready at once.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) key: RequestKey,
    /// Ends the work; not known before it has begun.
    abort: Option<AbortHandle>,
    /// Where the answer goes; a notification has none.
    pub(crate) exchange: Option<Arc<Exchange>>,
}

/// How a session comes to its end in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    /// It is over.
    Ended,
    /// Others go on with it.
    Left,
}

impl InFlight {
    pub(crate) fn len(&self) -> usize {
        self.running.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    pub(crate) fn contains(&self, id: &InFlightId) -> bool {
        self.running.contains_key(id)
    }

    /// Returns how the session came to its end, if it has: whoever would begin something must not.
    pub(crate) fn closed(&self) -> Option<Closing> {
        self.closed
    }

    /// Adds what is about to begin. The caller has seen under the same lock that the session goes on.
    pub(crate) fn insert(&mut self, id: InFlightId, key: RequestKey, exchange: Option<Arc<Exchange>>) {
        debug_assert!(self.closed.is_none(), "nobody would ever end it");
        self.running.insert(id, Running { key, abort: None, exchange });
    }

    /// Notes how to end what has begun. If it is not in the list any more, it has come to its end, or was to be ended before it began.
    pub(crate) fn begun(&mut self, id: &InFlightId, key: RequestKey, abort: Option<AbortHandle>) {
        match self.running.get_mut(id).filter(|running| running.key == key) {
            Some(running) => running.abort = abort,
            None => abort.iter().for_each(AbortHandle::abort),
        }
    }

    pub(crate) fn remove(&mut self, id: &InFlightId) -> Option<Running> {
        self.running.remove(id)
    }

    /// Removes what has come to its end, unless its id stands for something else by now.
    pub(crate) fn finished(&mut self, id: &InFlightId, key: RequestKey) {
        if self.running.get(id).is_some_and(|running| running.key == key) {
            self.running.remove(id);
        }
    }

    /// Lets nothing begin any more. Returns what runs.
    pub(crate) fn close(&mut self, closing: Closing) -> Vec<Running> {
        self.closed.get_or_insert(closing);
        self.running.drain().map(|(_, running)| running).collect()
    }
}

impl Running {
    /// Drops the work. One that has not begun yet is dropped when it does.
    pub(crate) fn abort(&self) {
        self.abort.iter().for_each(AbortHandle::abort);
    }

    /// Ends the work, because its session comes to its end.
    pub(crate) fn end(self, closing: Closing) {
        self.abort();
        match (self.exchange, closing) {
            (Some(exchange), Closing::Ended) => exchange.close(),
            (Some(exchange), Closing::Left) => exchange.leave(),
            (None, _) => {}
        }
    }
}
