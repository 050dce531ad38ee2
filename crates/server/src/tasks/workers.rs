//! What runs the tasks of a server, and ends them with it.

use std::collections::HashSet;
use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jackfield_peer::Background;

/// Owns the futures of all tasks. Dropping it ends them at once.
#[derive(Debug, Default)]
pub(crate) struct Workers {
    background: Background,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// The tasks that are being worked on here.
    ids: HashSet<String>,
    /// Whether someone says from time to time that they are.
    beating: bool,
}

impl Workers {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on a task.
    pub(crate) fn spawn(&self, id: String, work: impl Future<Output = ()> + Send + 'static) {
        self.known().ids.insert(id);
        self.background.spawn(work);
    }

    /// Does something beside the tasks.
    pub(crate) fn spawn_beside(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.background.spawn(work);
    }

    /// Notes that a task is no longer worked on.
    pub(crate) fn done(&self, id: &str) {
        self.known().ids.remove(id);
    }

    /// Whether the caller has to begin saying that tasks are being worked on.
    pub(crate) fn begins_beating(&self) -> bool {
        !std::mem::replace(&mut self.known().beating, true)
    }

    /// Returns the tasks that are being worked on; if there are none, the caller stops saying so.
    pub(crate) fn alive(&self) -> Vec<String> {
        let mut known = self.known();
        known.beating = !known.ids.is_empty();
        known.ids.iter().cloned().collect()
    }

    /// Whether a task is being worked on here.
    pub(crate) fn works_on(&self, id: &str) -> bool {
        self.known().ids.contains(id)
    }

    /// Waits until all have ended, but no longer than `limit`; what still runs then is dropped.
    pub(crate) async fn join(&self, limit: Duration) {
        if !self.background.drain(limit).await {
            tracing::warn!("some tasks could not be ended in time");
        }
    }
}
