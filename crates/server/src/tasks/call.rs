//! A call that is a task.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jackfield_peer::{RequestKey, Session};
use jackfield_protocol::{Meta, Revision, TaskHandle, meta::key};
use jackfield_store::{TaskChange, TaskId, TaskRecord, TaskWatch, Updated};
use tokio::sync::OwnedSemaphorePermit;

use super::{TaskRuntime, view};
use crate::Cx;
use crate::changes::encode;

/// A call that is a task: what its handler and its worker know of it.
pub(crate) struct TaskCall {
    pub(crate) id: TaskId,
    pub(super) runtime: Arc<TaskRuntime>,
    pub(super) handle: TaskHandle,
    pub(super) ttl: Option<Duration>,
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
            ttl: record.ttl,
            watch,
            revision: cx.revision(),
            session: cx.session().cloned(),
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

/// Whether a call is a task, which it may become while it runs.
#[derive(Default)]
pub(crate) struct TaskSlot {
    task: OnceLock<Arc<TaskCall>>,
    state: AtomicU8,
}

/// It is an ordinary call.
const PLAIN: u8 = 0;
/// Its task is being created.
const CREATING: u8 = 1;
/// Its task has been created; the work on it has still to leave the request.
const MOVING: u8 = 2;
/// It is a task.
const MOVED: u8 = 3;

impl TaskSlot {
    /// Returns the task, if the call is one.
    pub(crate) fn get(&self) -> Option<&Arc<TaskCall>> {
        if self.state.load(Ordering::Acquire) < MOVING { None } else { self.task.get() }
    }

    /// Begins to create a task; only one may.
    pub(super) fn begin(&self) -> bool {
        self.state.compare_exchange(PLAIN, CREATING, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Notes that there will be no task.
    pub(super) fn give_up(&self) {
        self.state.store(PLAIN, Ordering::Release);
    }

    /// Notes the task; the work has still to leave the request.
    pub(super) fn created(&self, task: Arc<TaskCall>) {
        self.set(task, MOVING);
    }

    /// Notes the task of a call that is one from its beginning.
    pub(super) fn is(&self, task: Arc<TaskCall>) {
        self.set(task, MOVED);
    }

    fn set(&self, task: Arc<TaskCall>, state: u8) {
        if self.task.set(task).is_ok() {
            self.state.store(state, Ordering::Release);
        }
    }

    /// Whether the work has to leave the request now.
    pub(crate) fn is_moving(&self) -> bool {
        self.state.load(Ordering::Acquire) == MOVING
    }

    /// Whether it is not yet clear if the call becomes a task.
    pub(super) fn is_undecided(&self) -> bool {
        matches!(self.state.load(Ordering::Acquire), CREATING | MOVING)
    }

    /// Notes that the work has left the request.
    pub(super) fn moved(&self) {
        self.state.store(MOVED, Ordering::Release);
    }
}
