//! What can happen to a task.

use bytes::Bytes;

use super::TaskRecord;

/// A change of a task that has not ended. All of it happens, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskChange {
    /// What to tell about the task from now on. Without it an end clears what was told, and anything else leaves it.
    pub message: Option<String>,
    /// Questions by key.
    pub ask: Vec<(String, Bytes)>,
    /// How it ends.
    pub end: Option<TaskEnd>,
}

impl TaskChange {
    /// Tells something about the task.
    pub fn message(message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), ..Self::default() }
    }

    /// Asks questions.
    #[must_use]
    pub fn ask(questions: Vec<(String, Bytes)>) -> Self {
        Self { ask: questions, ..Self::default() }
    }

    /// Ends the task.
    #[must_use]
    pub fn end(end: TaskEnd) -> Self {
        Self { end: Some(end), ..Self::default() }
    }

    /// Also tells something about the task.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }
}

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TaskEnd {
    /// With a result.
    Completed(Bytes),
    /// With a result that says itself that the work failed.
    Unsuccessful(Bytes),
    /// With an error instead of a result.
    Failed(Bytes),
    /// It was ended before it had a result.
    Cancelled,
}

impl TaskEnd {
    /// Returns the result or the error.
    #[must_use]
    pub fn payload(&self) -> Option<&Bytes> {
        match self {
            Self::Completed(payload) | Self::Unsuccessful(payload) | Self::Failed(payload) => Some(payload),
            Self::Cancelled => None,
        }
    }
}

/// What became of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Updated {
    /// It happened; this is the task now.
    Applied(TaskRecord),
    /// The task had ended before, like this.
    Ended(TaskRecord),
    /// There is no such task, or not any more.
    Gone,
}
