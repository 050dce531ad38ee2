//! What is told about a task, in both forms.

pub(super) use jackfield_peer::task_of;
use jackfield_protocol::{DetailedTask, ErrorObject, InputRequests, RawJson, TaskHandle, TaskState};
use jackfield_store::{TaskEnd, TaskRecord, TaskStage};

use super::results;

/// The task as it is told when it has just been created.
pub(super) fn handle(record: &TaskRecord) -> TaskHandle {
    task_of(record).into()
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
    raw.ok_or_else(|| ErrorObject::internal("what is kept of the task cannot be read"))
}
