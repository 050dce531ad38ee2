//! What all tasks of a server share.

use std::future::Future;
use std::sync::{Arc, Weak};
use std::time::Duration;

use jackfield_peer::{Caller, Incoming, Shutdown, ShutdownTrigger};
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, TASKS_EXTENSION};
use jackfield_store::{NewTask, StoreError, TaskChange, TaskEnd, TaskId, TaskRecord, TaskStore, Updated};
use tokio::sync::Semaphore;

use super::delivery::Claims;
use super::rate::Rate;
use super::{TaskCall, Tasks, Workers, results};
use crate::Cx;
use crate::callers::owner::Owner;

/// How long is waited before a store that is away is told again that tasks are being worked on.
const AGAIN: Duration = Duration::from_millis(250);
/// How long tasks have to note their end when the server stops.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// What all tasks of a server share. It does not own them, so that they may own it.
pub(crate) struct TaskRuntime {
    pub(crate) store: Arc<dyn TaskStore>,
    pub(crate) config: Tasks,
    workers: Weak<Workers>,
    room: Arc<Semaphore>,
    stop: ShutdownTrigger,
    pub(crate) stopping: Shutdown,
    pub(super) claims: Claims,
    rate: Rate,
}

impl TaskRuntime {
    pub(crate) fn new(config: Tasks, store: Arc<dyn TaskStore>, workers: &Arc<Workers>) -> Self {
        let (stop, stopping) = Shutdown::new();
        let room = Arc::new(Semaphore::new(config.running.min(Semaphore::MAX_PERMITS)));
        let rate = Rate::new(config.per_second);
        Self { store, config, workers: Arc::downgrade(workers), room, stop, stopping, claims: Claims::default(), rate }
    }

    /// Creates a task for a call. When it returns, the task can be found.
    pub(crate) async fn create(self: &Arc<Self>, cx: &Cx, ttl: Option<u64>) -> Result<TaskCall, ErrorObject> {
        if self.stopping.is_triggered() {
            return Err(ErrorObject::internal("the server is shutting down"));
        }
        let most = self.config.running;
        let permit = self.room.clone().try_acquire_owned().map_err(|_| {
            ErrorObject::new(code::TOO_MANY_REQUESTS, format!("more than {most} tasks are running; try again later"))
        })?;
        let owner = self.owner(&cx.call().incoming)?;
        let mut new = NewTask::new(owner.name);
        // What everyone shares is bounded by the store alone: one user of many must not lock out the others so easily.
        new.owner_limit = if owner.is_known { self.config.per_owner } else { usize::MAX };
        new.ttl = Some(self.config.ttl_for(ttl));
        new.poll_interval = Some(self.config.poll_interval);
        new.lease = Some(self.config.lease);
        let (record, watch) = self.store.create_watched(new).await.map_err(refusal)?;
        tracing::info!(task = ?record.id, user = owner.user, "a task was created");
        Ok(TaskCall::new(self.clone(), cx, &record, watch, permit))
    }

    /// Works on a task until it ends.
    pub(crate) fn spawn(
        self: &Arc<Self>,
        task: Arc<TaskCall>,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ErrorObject> {
        let gone = || ErrorObject::internal("the server is shutting down");
        let workers = self.workers.upgrade().ok_or_else(gone)?;
        task.begin();
        let done = Done { workers: self.workers.clone(), id: task.id.to_string() };
        workers.spawn(task.id.to_string(), async move {
            let _done = done;
            work.await;
        });
        if workers.begins_beating() {
            workers.spawn_beside(beat(self.clone()));
        }
        Ok(())
    }

    /// Finds out who is asking for something about tasks, and refuses those who ask too often.
    pub(super) fn owner(&self, incoming: &Incoming) -> Result<Owner, ErrorObject> {
        let owner = Owner::of(incoming);
        if owner.is_known && !self.rate.allows(&owner.name) {
            let most = self.config.per_second;
            let message = format!("more than {most} requests about tasks in a second; try again in a moment");
            return Err(ErrorObject::new(code::TOO_MANY_REQUESTS, message));
        }
        Ok(owner)
    }

    /// Finds a task of a caller. Those of others are not found.
    pub(crate) async fn find(&self, incoming: &Incoming) -> Result<TaskRecord, ErrorObject> {
        let id = incoming.params.string("taskId")?.into_owned();
        let owner = self.owner(incoming)?;
        let (method, user) = (incoming.method.as_str(), owner.user.as_deref());
        let Some(record) = self.look(&id).await?.filter(|record| record.owner == owner.name) else {
            // Who tries many ids leaves a trail.
            tracing::info!(method, user, "a task was asked for that is not there, or belongs to someone else");
            return Err(not_found());
        };
        tracing::debug!(task = ?record.id, method, user, "a task was asked for");
        Ok(record)
    }

    /// Finds a task, whosever it is. If its worker died, it ends now.
    pub(crate) async fn look(&self, id: &str) -> Result<Option<TaskRecord>, ErrorObject> {
        let Some(record) = self.store.get(id).await.map_err(refusal)? else { return Ok(None) };
        // A store that was away for long could not be told that the worker lives; whoever is the worker knows it.
        if !record.abandoned || self.workers.upgrade().is_some_and(|workers| workers.works_on(id)) {
            return Ok(Some(record));
        }
        let failed = results::failed(&ErrorObject::internal("the server that worked on the task has gone"));
        Ok(match self.store.update(id, failed).await.map_err(refusal)? {
            Updated::Applied(record) | Updated::Ended(record) => Some(record),
            Updated::Gone => None,
        })
    }

    /// Cancels a task that nobody was told about.
    pub(super) fn forget(&self, id: TaskId) {
        let Some(workers) = self.workers.upgrade() else { return };
        let store = self.store.clone();
        workers.spawn_beside(async move {
            let cancelled = TaskChange::end(TaskEnd::Cancelled);
            if let Err(error) = store.update(id.as_str(), cancelled).await {
                tracing::warn!(%error, "a task that nobody knows could not be ended");
            }
        });
    }

    /// Ends all tasks; each notes that the server stopped.
    pub(crate) async fn stop(&self) {
        self.stop.trigger();
        if let Some(workers) = self.workers.upgrade() {
            workers.join(STOP_LIMIT).await;
        }
    }
}

/// Notes that a task is no longer worked on, however that came.
struct Done {
    workers: Weak<Workers>,
    id: String,
}

impl Drop for Done {
    fn drop(&mut self) {
        if let Some(workers) = self.workers.upgrade() {
            workers.done(&self.id);
        }
    }
}

/// Says from time to time that tasks are being worked on, as long as there are some.
async fn beat(runtime: Arc<TaskRuntime>) {
    let lease = runtime.config.lease;
    let mut pause = lease / 3;
    loop {
        tokio::select! {
            () = runtime.stopping.triggered() => return,
            () = tokio::time::sleep(pause) => {}
        }
        let alive = runtime.workers.upgrade().map(|workers| workers.alive()).unwrap_or_default();
        if alive.is_empty() {
            return;
        }
        pause = match runtime.store.renew(&alive, lease).await {
            Ok(()) => lease / 3,
            Err(error) => {
                tracing::warn!(%error, "the store of tasks does not know that they are being worked on");
                // When the store is back, others have to hear of it before they look.
                AGAIN.min(lease / 3)
            }
        };
    }
}

/// Whether a caller takes tasks as answers.
pub(crate) fn speaks_extension(caller: &Caller) -> bool {
    caller.revision.has_tasks_extension()
        && caller.capabilities.extensions.as_ref().is_some_and(|known| known.contains_key(TASKS_EXTENSION))
}

/// -32021: the caller would have to take tasks as answers.
pub(crate) fn missing_extension() -> ErrorObject {
    let required = serde_json::json!({ "extensions": { TASKS_EXTENSION: {} } });
    ErrorObject::missing_capability(format!("the client does not support the extension {TASKS_EXTENSION}"), required)
}

/// What a caller is told who asks for a task that is not there.
pub(super) fn not_found() -> ErrorObject {
    ErrorObject::invalid_params("task not found: it has expired, or never was")
}

/// What a caller is told when the store refuses.
pub(super) fn refusal(error: StoreError) -> ErrorObject {
    match error {
        StoreError::Full(_) | StoreError::TooMany { .. } => {
            ErrorObject::new(code::TOO_MANY_REQUESTS, error.to_string())
        }
        StoreError::BadCursor => {
            ErrorObject::invalid_params("parameter `cursor` is not one of this list; begin again without it")
        }
        error => {
            tracing::error!(error = &error as &dyn std::error::Error, "the store of tasks failed");
            let status = serde_json::json!({ "status": code::UNAVAILABLE });
            ErrorObject::internal("tasks are not available at the moment; try again later").with_data(status)
        }
    }
}

impl std::fmt::Debug for TaskRuntime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskRuntime").field("config", &self.config).finish_non_exhaustive()
    }
}
