//! A call that is a task.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jackfield_peer::{RequestKey, Session};
use jackfield_protocol::{Meta, Revision, TaskHandle, meta::key};
use jackfield_store::{TaskChange, TaskId, TaskRecord, TaskStage, TaskWatch, Updated};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::retry::Retry;
use super::{TaskRuntime, view};
use crate::Cx;
use crate::subscriptions::changes::encode;

/// A call that is a task: what its handler and its worker know of it.
pub(crate) struct TaskCall {
    pub(crate) id: TaskId,
    pub(super) runtime: Arc<TaskRuntime>,
    pub(super) handle: TaskHandle,
    /// Whose it is, if there are users.
    pub(super) user: Option<String>,
    /// When it is forgotten.
    pub(super) expires: Option<Instant>,
    watch: TaskWatch,
    revision: Revision,
    session: Option<Arc<Session>>,
    /// The request that is answered with the task.
    request: Option<RequestKey>,
    /// Whether someone works on it.
    began: AtomicBool,
    /// Its place among those that run.
    _permit: OwnedSemaphorePermit,
}

impl TaskCall {
    pub(super) fn new(
        runtime: Arc<TaskRuntime>,
        cx: &Cx,
        record: &TaskRecord,
        watch: TaskWatch,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        Self {
            id: record.id.clone(),
            runtime,
            handle: view::handle(record),
            user: cx.auth().map(|user| user.subject.clone()),
            expires: record.ttl.and_then(|ttl| Instant::now().checked_add(ttl)),
            watch,
            revision: cx.revision(),
            session: cx.peer_session().cloned(),
            request: None,
            began: AtomicBool::new(false),
            _permit: permit,
        }
    }

    /// Names the request that is answered with the task: notices follow the answer.
    pub(super) fn answering(mut self, request: Option<RequestKey>) -> Self {
        self.request = request;
        self
    }

    /// Notes that someone works on the task from now on.
    pub(super) fn begin(&self) {
        self.began.store(true, Ordering::Relaxed);
    }

    /// Whether its time is over.
    pub(super) fn is_over(&self) -> bool {
        self.expires.is_some_and(|expires| expires <= Instant::now())
    }

    /// Begins to watch the task, from its creation on.
    pub(super) fn watch(&self) -> TaskWatch {
        self.watch.clone()
    }

    /// Changes the task and tells the client, if the form has notices that it need not ask for. `None` if the task is over.
    pub(super) async fn change(&self, change: TaskChange) -> Result<Option<TaskRecord>, jackfield_store::StoreError> {
        match self.runtime.store.update(self.id.as_str(), change).await? {
            Updated::Applied(record) => {
                self.announce(&record);
                Ok(Some(record))
            }
            Updated::Ended(_) | Updated::Gone => Ok(None),
        }
    }

    /// Waits for a change that `watch` tells of, and returns the task as it is then; `None` if it is gone.
    pub(super) async fn next(&self, watch: &mut TaskWatch) -> Option<TaskRecord> {
        // Notices can get lost while a store is away.
        match tokio::time::timeout(self.runtime.config.lease, watch.changed()).await {
            Ok(None) => None,
            Ok(Some(_)) | Err(_) => self.look().await,
        }
    }

    /// Waits until someone else has ended the task, or it is gone.
    pub(super) async fn ended(&self) {
        let mut watch = self.watch();
        let mut stage = Some(watch.stage());
        while stage.is_some_and(|stage| stage != TaskStage::Ended) {
            stage = match tokio::time::timeout(self.runtime.config.lease, watch.changed()).await {
                Ok(stage) => stage,
                Err(_) => self.look().await.map(|record| record.stage()),
            };
        }
    }

    /// Returns the task as it is now. A store that is away is asked again.
    async fn look(&self) -> Option<TaskRecord> {
        let mut retry = Retry::default();
        loop {
            match self.runtime.store.get(self.id.as_str()).await {
                Ok(record) => return record,
                Err(error) => {
                    tracing::warn!(%error, task = ?self.id, "what a task is like cannot be seen at the moment");
                    retry.pause().await;
                }
            }
        }
    }

    /// Tells the client what the task is like now. The notice may be lost; clients do not rely on it.
    pub(super) fn announce(&self, record: &TaskRecord) {
        if let Some(session) = self.session.as_ref().filter(|_| self.revision.has_core_tasks()) {
            let notice = encode(view::task_of(record).into(), self.revision);
            match self.request {
                Some(request) => session.outlet().try_notify_after(request, notice),
                None => session.outlet().try_notify(None, notice),
            };
        }
    }

    /// Names the task in messages that belong to it, where the form asks for that.
    pub(crate) fn related(&self) -> Option<Meta> {
        self.revision.has_core_tasks().then(|| related(self.id.as_str()))
    }

    /// Whether notices about the call still reach the client: in the newer form there are none.
    pub(crate) fn has_notices(&self) -> bool {
        self.revision.has_core_tasks()
    }

    /// Tells when the server ends its tasks.
    pub(crate) fn stopping(&self) -> &jackfield_peer::Shutdown {
        &self.runtime.stopping
    }
}

/// A task that nobody works on, because its call went away at the wrong moment, must not look as if someone did.
impl Drop for TaskCall {
    fn drop(&mut self) {
        if !*self.began.get_mut() {
            self.runtime.forget(self.id.clone());
        }
    }
}

/// Names the task that a message belongs to.
pub(super) fn related(id: &str) -> Meta {
    Meta::new().with(key::RELATED_TASK, serde_json::json!({ "taskId": id }))
}
