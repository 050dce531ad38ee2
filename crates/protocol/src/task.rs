//! Tasks as the core of 2025-11-25 has them. The newer extension is in `task_extension.rs`.

use serde::{Deserialize, Serialize};

use crate::{Meta, RawJson};

words! {
    /// What state a task is in.
    TaskStatus {
        /// It is being worked on.
        Working = "working",
        /// It waits for an answer of the client.
        InputRequired = "input_required",
        /// It has a result.
        Completed = "completed",
        /// It has failed.
        Failed = "failed",
        /// It was ended before it had a result.
        Cancelled = "cancelled",
    }
}

impl TaskStatus {
    /// Whether the task stays in this state for ever.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

options! {
    /// Asks that a request runs as a task.
    TaskMetadata {
        /// How many milliseconds the task should be kept.
        #[serde(deserialize_with = "crate::number::optional_count")]
        ttl: u64,
    }
}

/// The state of a task; also the answer to `tasks/get` and `tasks/cancel`, and the parameters of
/// `notifications/tasks/status`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Task {
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
    /// How many milliseconds it is kept; without end if absent (`null` on the wire).
    #[serde(deserialize_with = "crate::number::optional_count")]
    pub ttl: Option<u64>,
    /// How many milliseconds to wait between two looks.
    #[serde(default, deserialize_with = "crate::number::optional_count", skip_serializing_if = "Option::is_none")]
    pub poll_interval: Option<u64>,
    /// Anything else; only where the task is itself a result or the parameters of a notification.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Task {
    /// Makes a task that is kept without end.
    pub fn new(task_id: impl Into<String>, status: TaskStatus, created_at: impl Into<String>) -> Self {
        let created_at = created_at.into();
        Self {
            task_id: task_id.into(),
            status,
            status_message: None,
            last_updated_at: created_at.clone(),
            created_at,
            ttl: None,
            poll_interval: None,
            meta: None,
        }
    }
}

/// The answer to `tasks/get`.
pub type GetTaskResult = Task;
/// The answer to `tasks/cancel`.
pub type CancelTaskResult = Task;
/// The parameters of `notifications/tasks/status`.
pub type TaskStatusParams = Task;

model! {
    /// The answer to a request that runs as a task.
    CreateTaskResult {
        /// The task.
        task: Task,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

model! {
    /// The parameters of `tasks/get`, `tasks/result` and `tasks/cancel`; the extension has them too.
    TaskParams {
        /// The task.
        task_id: String,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

/// The parameters of `tasks/get`.
pub type GetTaskParams = TaskParams;
/// The parameters of `tasks/result`.
pub type TaskResultParams = TaskParams;
/// The parameters of `tasks/cancel`.
pub type CancelTaskParams = TaskParams;

model! {
    /// The answer to `tasks/list`.
    ListTasksResult {
        /// The tasks of this page.
        tasks: Vec<Task>,
        ;
        /// Where the next page begins; absent on the last one.
        next_cursor: String,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

/// The answer to `tasks/result`: the result of the request that runs as the task.
pub type TaskPayload = RawJson;
