//! Tasks that outlive the request that began them, and their owner.

use std::future::Future;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::task::{AbortHandle, JoinSet};

/// Owns the tasks of an endpoint. Dropping it ends them.
#[derive(Debug, Default)]
pub(crate) struct Tasks(Mutex<JoinSet<()>>);

impl Tasks {
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(task)
    }

    fn take(&self) -> JoinSet<()> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends all tasks. When it returns, none of them does anything any more.
    pub(crate) async fn stop(&self) {
        self.take().shutdown().await;
    }

    /// Waits until all tasks have ended; those that have not after `limit` are dropped.
    pub(crate) async fn drain(&self, limit: Duration) {
        let mut tasks = self.take();
        let _ = tokio::time::timeout(limit, async { while tasks.join_next().await.is_some() {} }).await;
    }
}
