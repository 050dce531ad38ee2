//! The extension `io.modelcontextprotocol/tasks`: a server answers a call with a task, and the client looks at it again.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::content::need;
use crate::{ErrorObject, InputRequests, InputResponses, Meta, RawJson, Task, TaskStatus};

/// The identifier of the extension.
pub const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// A task that has been created: the result with `resultType` `task`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TaskHandle {
    /// Names the task.
    pub task_id: String,
    /// What state it is in.
    pub status: TaskStatus,
    /// What to tell about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// When it was created, as an ISO 8601 time.
    pub created_at: String,
    /// When it last changed, as an ISO 8601 time.
    pub last_updated_at: String,
    /// How many milliseconds it is kept from its creation; without end if absent (`null` on the wire).
    #[serde(deserialize_with = "crate::number::optional_count")]
    pub ttl_ms: Option<u64>,
    /// How many milliseconds to wait between two looks.
    #[serde(default, deserialize_with = "crate::number::optional_count", skip_serializing_if = "Option::is_none")]
    pub poll_interval_ms: Option<u64>,
    /// Anything else.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl TaskHandle {
    /// Makes a task that is kept without end.
    pub fn new(task_id: impl Into<String>, status: TaskStatus, created_at: impl Into<String>) -> Self {
        Task::new(task_id, status, created_at).into()
    }
}

/// A task with what its state brings: the answer to `tasks/get`, and the parameters of `notifications/tasks`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DetailedTask {
    /// Names the task.
    pub task_id: String,
    /// What state it is in.
    pub state: TaskState,
    /// What to tell about it.
    pub status_message: Option<String>,
    /// When it was created, as an ISO 8601 time.
    pub created_at: String,
    /// When it last changed, as an ISO 8601 time.
    pub last_updated_at: String,
    /// How many milliseconds it is kept from its creation; without end if absent.
    pub ttl_ms: Option<u64>,
    /// How many milliseconds to wait between two looks.
    pub poll_interval_ms: Option<u64>,
    /// Anything else.
    pub meta: Option<Meta>,
}

/// The state of a task with what it brings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TaskState {
    /// It is being worked on.
    Working,
    /// It waits for answers to these questions.
    InputRequired(InputRequests),
    /// It has this result, an object.
    Completed(RawJson),
    /// It has failed with this error.
    Failed(ErrorObject),
    /// It was ended before it had a result.
    Cancelled,
}

impl TaskState {
    /// Returns the state without what it brings.
    #[must_use]
    pub fn status(&self) -> TaskStatus {
        match self {
            Self::Working => TaskStatus::Working,
            Self::InputRequired(_) => TaskStatus::InputRequired,
            Self::Completed(_) => TaskStatus::Completed,
            Self::Failed(_) => TaskStatus::Failed,
            Self::Cancelled => TaskStatus::Cancelled,
        }
    }
}

impl DetailedTask {
    /// Adds what the state brings to a task.
    #[must_use]
    pub fn new(task: TaskHandle, state: TaskState) -> Self {
        let TaskHandle { task_id, status_message, created_at, last_updated_at, ttl_ms, poll_interval_ms, meta, .. } =
            task;
        Self { task_id, state, status_message, created_at, last_updated_at, ttl_ms, poll_interval_ms, meta }
    }

    /// Returns the task's state.
    #[must_use]
    pub fn status(&self) -> TaskStatus {
        self.state.status()
    }
}

impl Serialize for DetailedTask {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("DetailedTask", 9)?;
        object.serialize_field("taskId", &self.task_id)?;
        object.serialize_field("status", &self.status())?;
        if let Some(message) = &self.status_message {
            object.serialize_field("statusMessage", message)?;
        }
        object.serialize_field("createdAt", &self.created_at)?;
        object.serialize_field("lastUpdatedAt", &self.last_updated_at)?;
        object.serialize_field("ttlMs", &self.ttl_ms)?;
        if let Some(interval) = &self.poll_interval_ms {
            object.serialize_field("pollIntervalMs", interval)?;
        }
        match &self.state {
            TaskState::InputRequired(requests) => object.serialize_field("inputRequests", requests)?,
            TaskState::Completed(result) => object.serialize_field("result", result)?,
            TaskState::Failed(error) => object.serialize_field("error", error)?,
            TaskState::Working | TaskState::Cancelled => {}
        }
        if let Some(meta) = &self.meta {
            object.serialize_field("_meta", meta)?;
        }
        object.end()
    }
}

impl<'de> Deserialize<'de> for DetailedTask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Any {
            task_id: String,
            status: TaskStatus,
            status_message: Option<String>,
            created_at: String,
            last_updated_at: String,
            #[serde(deserialize_with = "crate::number::optional_count")]
            ttl_ms: Option<u64>,
            #[serde(default, deserialize_with = "crate::number::optional_count")]
            poll_interval_ms: Option<u64>,
            input_requests: Option<InputRequests>,
            result: Option<RawJson>,
            error: Option<ErrorObject>,
            #[serde(rename = "_meta")]
            meta: Option<Meta>,
        }

        let any = Any::deserialize(deserializer)?;
        Ok(Self {
            task_id: any.task_id,
            state: match any.status {
                TaskStatus::Working => TaskState::Working,
                TaskStatus::InputRequired => TaskState::InputRequired(need(any.input_requests, "inputRequests")?),
                TaskStatus::Completed => TaskState::Completed(need(any.result, "result")?),
                TaskStatus::Failed => TaskState::Failed(need(any.error, "error")?),
                TaskStatus::Cancelled => TaskState::Cancelled,
            },
            status_message: any.status_message,
            created_at: any.created_at,
            last_updated_at: any.last_updated_at,
            ttl_ms: any.ttl_ms,
            poll_interval_ms: any.poll_interval_ms,
            meta: any.meta,
        })
    }
}

model! {
    /// The parameters of `tasks/update`.
    UpdateTaskParams {
        /// The task.
        task_id: String,
        /// Answers to questions of the task.
        input_responses: InputResponses,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

impl From<Task> for TaskHandle {
    fn from(task: Task) -> Self {
        let Task { task_id, status, status_message, created_at, last_updated_at, ttl, poll_interval, meta } = task;
        let (ttl_ms, poll_interval_ms) = (ttl, poll_interval);
        Self { task_id, status, status_message, created_at, last_updated_at, ttl_ms, poll_interval_ms, meta }
    }
}

impl From<TaskHandle> for Task {
    fn from(task: TaskHandle) -> Self {
        let TaskHandle { task_id, status, status_message, created_at, last_updated_at, ttl_ms, poll_interval_ms, meta } =
            task;
        let (ttl, poll_interval) = (ttl_ms, poll_interval_ms);
        Self { task_id, status, status_message, created_at, last_updated_at, ttl, poll_interval, meta }
    }
}

impl From<DetailedTask> for TaskHandle {
    fn from(task: DetailedTask) -> Self {
        let status = task.status();
        let DetailedTask {
            task_id, status_message, created_at, last_updated_at, ttl_ms, poll_interval_ms, meta, ..
        } = task;
        Self { task_id, status, status_message, created_at, last_updated_at, ttl_ms, poll_interval_ms, meta }
    }
}
