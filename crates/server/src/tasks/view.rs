//! What is told about a task, in both forms.

use std::time::Duration;

use jackfield_protocol::{DetailedTask, ErrorObject, InputRequests, RawJson, Task, TaskHandle, TaskState, TaskStatus};
use jackfield_store::{TaskEnd, TaskRecord, TaskStage};

use super::results;

/// The task as the core of 2025-11-25 tells it. There a tool that fails is a task that failed.
pub(super) fn core(record: &TaskRecord) -> Task {
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

/// The task as it is told when it has just been created.
pub(super) fn handle(record: &TaskRecord) -> TaskHandle {
    core(record).into()
}

/// The task as the extension tells it, with what its state brings. There a tool that fails is a task with a result.
pub(super) fn detailed(record: &TaskRecord) -> Result<DetailedTask, ErrorObject> {
    let state = match &record.end {
        None if record.stage() == TaskStage::InputRequired => TaskState::InputRequired(questions(record)?),
        None => TaskState::Working,
        Some(TaskEnd::Completed(result) | TaskEnd::Unsuccessful(result)) => TaskState::Completed(tagged(result)?),
        Some(TaskEnd::Failed(error)) => TaskState::Failed(results::read_error(error)),
        Some(TaskEnd::Cancelled) => TaskState::Cancelled,
        Some(_) => return Err(ErrorObject::internal("the task ended in a way that is not known here")),
    };
    Ok(DetailedTask::new(handle(record), state))
}

fn questions(record: &TaskRecord) -> Result<InputRequests, ErrorObject> {
    let read =
        |json| serde_json::from_slice(json).map_err(|error| ErrorObject::internal(format!("a question: {error}")));
    record.outstanding().map(|input| Ok((input.key.clone(), read(&input.request)?))).collect()
}

/// The result as its own request would have been answered with it.
fn tagged(result: &[u8]) -> Result<RawJson, ErrorObject> {
    let members = std::str::from_utf8(result).ok().and_then(|text| text.strip_prefix('{'));
    let tagged = members.map(|members| format!(r#"{{"resultType":"complete",{members}"#));
    let raw = tagged.and_then(|text| RawJson::from_text(text).ok());
    raw.ok_or_else(|| ErrorObject::internal("what is kept of the task can not be read"))
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
