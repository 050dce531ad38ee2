//! Ids of tasks that outlive the process which began them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jackfield_store::KvStore;

use crate::Error;
use crate::error::Cause;

/// Where the id of the task of one call is kept.
#[derive(Clone, Debug)]
pub(crate) struct StoredTaskId {
    pub(crate) store: Arc<dyn KvStore>,
    pub(crate) key: String,
}

impl StoredTaskId {
    /// Returns the id of the task that was begun before, if there is one.
    pub(crate) async fn find(&self) -> Result<Option<String>, Error> {
        let found = self.store.get(&self.key).await.map_err(Cause::Store)?;
        Ok(found.and_then(|id| String::from_utf8(id.to_vec()).ok()))
    }

    /// Keeps an id for as long as the server keeps the task.
    pub(crate) async fn put(&self, id: &str, ttl_ms: Option<u64>) {
        let id = Bytes::copy_from_slice(id.as_bytes());
        // The task runs already, and can be followed all the same.
        if let Err(error) = self.store.put(&self.key, id, ttl_ms.map(Duration::from_millis)).await {
            tracing::warn!(%error, "the id of a task cannot be kept");
        }
    }

    /// Forgets an id whose task is over.
    pub(crate) async fn forget(&self) {
        if let Err(error) = self.store.remove(&self.key).await {
            tracing::warn!(%error, "the id of a task that is over cannot be removed");
        }
    }
}
