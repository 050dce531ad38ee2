//! Questions of a server of 2025-11-25 that it wants answered as tasks: it comes back for the answers.

use std::sync::Arc;
use std::time::Duration;

use jackfield_peer::task_of;
use jackfield_protocol::envelope::Params;
use jackfield_protocol::error::code;
use jackfield_protocol::{
    ClientResult, CreateTaskResult, ErrorObject, InputRequest, ListTasksResult, Method, RawJson, Revision,
    TaskMetadata, meta::key, write_client_result,
};
use jackfield_store::{MemoryTasks, NewTask, StoreError, TaskChange, TaskEnd, TaskRecord, TaskStore, Updated};

/// How long an answer is kept if the server does not say, and at most.
const TTL: Duration = Duration::from_secs(60 * 60);
const LONGEST_TTL: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a server is asked to wait between two looks.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How many tasks a page of a list has.
const PAGE: usize = 50;
/// A connection has one server.
const OWNER: &str = "server";

type Reply = Result<ClientResult, ErrorObject>;

/// The tasks of one connection. They end with it.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedTasks(Arc<MemoryTasks>);

/// A task that has been created.
pub(crate) struct Created {
    tasks: ReceivedTasks,
    record: TaskRecord,
}

/// Takes the wish for a task out of a question; without it the question is an ordinary one.
pub(crate) fn take_wish(question: &mut InputRequest, revision: Revision) -> Option<TaskMetadata> {
    let wish = match question {
        InputRequest::CreateMessage(params) => params.task.take(),
        InputRequest::Elicit(params) => params.task_mut().take(),
        _ => None,
    };
    wish.filter(|_| revision.has_core_tasks())
}

impl ReceivedTasks {
    pub(crate) fn new(limit: usize) -> Self {
        Self(Arc::new(MemoryTasks::new().with_limit(limit)))
    }

    /// Creates a task for a question.
    pub(crate) async fn create(&self, wish: &TaskMetadata) -> Result<Created, ErrorObject> {
        let mut new = NewTask::new(OWNER);
        new.ttl = Some(wish.ttl.map_or(TTL, Duration::from_millis).clamp(POLL_INTERVAL, LONGEST_TTL));
        new.poll_interval = Some(POLL_INTERVAL);
        let record = self.0.create(new).await.map_err(refusal)?;
        Ok(Created { tasks: self.clone(), record })
    }

    /// Answers a request of the server about its tasks.
    pub(crate) async fn answer(&self, method: Method, params: &Params) -> Reply {
        if method == Method::ListTasks {
            return self.list(params).await;
        }
        let id = params.string("taskId")?;
        match method {
            Method::GetTask => Ok(task_of(&self.find(&id).await?).into()),
            Method::CancelTask => self.cancel(&id).await,
            _ => self.result(&id).await,
        }
    }

    async fn find(&self, id: &str) -> Result<TaskRecord, ErrorObject> {
        let found = self.0.get(id).await.map_err(refusal)?;
        found.ok_or_else(|| ErrorObject::invalid_params("task not found: it has expired, or never was"))
    }

    async fn cancel(&self, id: &str) -> Reply {
        self.find(id).await?;
        let cancelled = TaskChange::end(TaskEnd::Cancelled).with_message("the task was cancelled by request");
        match self.0.update(id, cancelled).await.map_err(refusal)? {
            Updated::Applied(record) => Ok(task_of(&record).into()),
            _ => Err(ErrorObject::invalid_params("the task cannot be cancelled: it has ended")),
        }
    }

    async fn list(&self, params: &Params) -> Reply {
        let cursor = params.optional_string("cursor")?;
        let page = self.0.list(OWNER, cursor.as_deref(), PAGE).await.map_err(refusal)?;
        let mut result = ListTasksResult::new(page.tasks.iter().map(task_of).collect::<Vec<_>>());
        result.next_cursor = page.next;
        Ok(result.into())
    }

    /// Waits until the task has ended.
    async fn result(&self, id: &str) -> Reply {
        let gone = || ErrorObject::invalid_params("the task has expired");
        let mut watch = self.0.watch(id).await.map_err(refusal)?;
        if let Some(watch) = &mut watch {
            // Whoever answers ends the task when its time is over.
            watch.ended().await;
        }
        match self.find(id).await?.end.ok_or_else(gone)? {
            TaskEnd::Completed(bytes) => with_related(&bytes, id),
            TaskEnd::Failed(bytes) => Err(serde_json::from_slice(&bytes).unwrap_or_else(|error| unreadable(&error))),
            _ => Err(ErrorObject::internal("the task was cancelled; it has no result")),
        }
    }
}

impl Created {
    /// What the server is told at once.
    pub(crate) fn handle(&self) -> ClientResult {
        CreateTaskResult::new(task_of(&self.record)).into()
    }

    /// Answers the question until the answer is there, the server cancels, or the time is over.
    pub(crate) async fn follow(self, answering: impl Future<Output = Reply>, revision: Revision) {
        let (store, id) = (&self.tasks.0, self.record.id.as_str());
        let Ok(Some(mut watch)) = store.watch(id).await else { return };
        let end = tokio::select! {
            biased;
            () = watch.ended() => return,
            reply = answering => end_of(reply, revision),
            () = tokio::time::sleep(self.record.ttl.unwrap_or(TTL)) => {
                failed(&ErrorObject::internal("the answer took longer than the task's time to live"))
            }
        };
        if let Err(error) = store.update(id, end).await {
            tracing::warn!(%error, "the answer to a question could not be kept");
            let error = ErrorObject::internal("there is no room to keep the answer");
            // There is always room for a short error in place of a long answer.
            let _ = store.update(id, failed(&error)).await;
        }
    }
}

fn end_of(reply: Reply, revision: Revision) -> TaskChange {
    let written = reply.and_then(|result| {
        let mut text = Vec::new();
        let written = write_client_result(&mut text, result, revision);
        written.map(|()| text).map_err(|cause| ErrorObject::internal(cause.to_string()))
    });
    match written {
        Ok(text) => TaskChange::end(TaskEnd::Completed(text.into())),
        Err(error) => failed(&error),
    }
}

fn failed(error: &ErrorObject) -> TaskChange {
    let bytes = serde_json::to_vec(error).unwrap_or_default();
    TaskChange::end(TaskEnd::Failed(bytes.into())).with_message(error.message.clone())
}

/// An answer names its task, because nothing else in it does.
fn with_related(result: &[u8], id: &str) -> Reply {
    let mut result: serde_json::Value = serde_json::from_slice(result).map_err(|error| unreadable(&error))?;
    result["_meta"][key::RELATED_TASK] = serde_json::json!({ "taskId": id });
    Ok(ClientResult::Other(RawJson::from(result)))
}

fn unreadable(error: &serde_json::Error) -> ErrorObject {
    ErrorObject::internal(format!("what is kept of the task cannot be read: {error}"))
}

fn refusal(error: StoreError) -> ErrorObject {
    match error {
        StoreError::BadCursor => ErrorObject::invalid_params("parameter `cursor` is not one of this list"),
        error => ErrorObject::new(code::TOO_MANY_REQUESTS, error.to_string()),
    }
}
