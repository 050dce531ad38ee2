//! What runs the tasks of a server, and ends them with it.

use std::collections::HashSet;
use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

/// Owns the futures of all tasks. Dropping it ends them at once.
#[derive(Debug, Default)]
pub(crate) struct Workers(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    set: JoinSet<()>,
    /// The tasks that are being worked on here.
    ids: HashSet<String>,
    /// Whether someone says from time to time that they are.
    beating: bool,
}

impl Workers {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on a task.
    pub(crate) fn spawn(&self, id: String, work: impl Future<Output = ()> + Send + 'static) {
        let mut inner = self.inner();
        while inner.set.try_join_next().is_some() {}
        inner.ids.insert(id);
        inner.set.spawn(work);
    }

    /// Does something beside the tasks.
    pub(crate) fn spawn_beside(&self, work: impl Future<Output = ()> + Send + 'static) {
        if tokio::runtime::Handle::try_current().is_ok() {
            self.inner().set.spawn(work);
        }
    }

    /// Notes that a task is no longer worked on.
    pub(crate) fn done(&self, id: &str) {
        self.inner().ids.remove(id);
    }

    /// Whether the caller has to begin saying that tasks are being worked on.
    pub(crate) fn begins_beating(&self) -> bool {
        !std::mem::replace(&mut self.inner().beating, true)
    }

    /// Returns the tasks that are being worked on; if there are none, the caller stops saying so.
    pub(crate) fn alive(&self) -> Vec<String> {
        let mut inner = self.inner();
        inner.beating = !inner.ids.is_empty();
        inner.ids.iter().cloned().collect()
    }

    /// Whether a task is being worked on here.
    pub(crate) fn works_on(&self, id: &str) -> bool {
        self.inner().ids.contains(id)
    }

    /// Waits until all have ended, but no longer than `limit`; what still runs then is dropped.
    pub(crate) async fn join(&self, limit: Duration) {
        let mut set = std::mem::take(&mut self.inner().set);
        let all = async { while set.join_next().await.is_some() {} };
        if tokio::time::timeout(limit, all).await.is_err() {
            tracing::warn!("some tasks could not be ended in time");
        }
    }
}
