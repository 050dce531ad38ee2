//! What runs in a session.

use std::sync::Arc;

use jackfield_peer::{Running, RunningEntry};

use crate::legacy::Exchange;

/// What runs in a session. Everything that is added has an owner: when the session has come to its end, nothing is added any more.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    /// With each request, where its answer goes; a notification has none.
    pub(crate) running: Running<Option<Arc<Exchange>>>,
    closed: Option<Closing>,
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
    /// Returns how the session came to its end, if it has. Who would begin something must look, under the same lock.
    pub(crate) fn closed(&self) -> Option<Closing> {
        self.closed
    }

    /// Lets nothing begin any more. Returns what runs.
    pub(crate) fn close(&mut self, closing: Closing) -> Vec<RunningEntry<Option<Arc<Exchange>>>> {
        self.closed.get_or_insert(closing);
        self.running.take_all()
    }
}
