//! What is told about a task.

use std::time::Duration;

use jackfield_protocol::{Task, TaskStatus};
use jackfield_store::{TaskEnd, TaskRecord, TaskStage};

/// Returns a task as the core of 2025-11-25 tells it, whichever side works on it. There a tool that fails is a task that failed.
#[must_use]
pub fn task_of(record: &TaskRecord) -> Task {
    let status = match (&record.end, record.stage()) {
        (Some(TaskEnd::Completed(_)), _) => TaskStatus::Completed,
        (Some(TaskEnd::Cancelled), _) => TaskStatus::Cancelled,
        (Some(_), _) => TaskStatus::Failed,
        (None, TaskStage::InputRequired) => TaskStatus::InputRequired,
        (None, _) => TaskStatus::Working,
    };
    let mut task = Task::new(record.id.as_str(), status, record.created.to_string());
    task.last_updated_at = record.updated.to_string();
    task.status_message.clone_from(&record.message);
    task.ttl = record.ttl.map(millis);
    task.poll_interval = record.poll_interval.map(millis);
    task
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
