//! How the end of a task is kept, and read again.

use bytes::Bytes;
use jackfield_peer::Reply;
use jackfield_protocol::{AnyResult, CallToolResult, ErrorObject, Outcome};
use jackfield_store::{StoreError, TaskChange, TaskEnd};

use super::TaskCall;
use super::retry::Retry;

/// Turns the answer of a call into the end of its task.
pub(super) fn of(reply: Reply) -> TaskChange {
    match reply {
        Ok(Outcome::Complete(AnyResult::CallTool(result))) => match serde_json::to_vec(&result) {
            Ok(bytes) if result.is_failure() => {
                TaskChange::end(TaskEnd::Unsuccessful(bytes.into())).with_message(why(&result))
            }
            Ok(bytes) => TaskChange::end(TaskEnd::Completed(bytes.into())),
            Err(error) => failed(&ErrorObject::internal(format!("the result cannot be kept: {error}"))),
        },
        Ok(Outcome::InputRequired(_)) => {
            failed(&ErrorObject::internal("a task asks with its context, not by ending with questions"))
        }
        Ok(_) => failed(&ErrorObject::internal("the task ended without the result of a tool")),
        Err(error) => failed(&error),
    }
}

/// The end of a task that has an error instead of a result.
pub(super) fn failed(error: &ErrorObject) -> TaskChange {
    let bytes = serde_json::to_vec(error).unwrap_or_default();
    TaskChange::end(TaskEnd::Failed(bytes.into())).with_message(error.message.clone())
}

/// The first words of a tool that failed.
fn why(result: &CallToolResult) -> String {
    let text = result.content.iter().find_map(|block| block.as_text()).unwrap_or("the tool failed");
    text.chars().take(500).collect()
}

/// Keeps the end of a task. Someone else may have ended it before; then that end stays. A store that is away is tried again until nobody
/// would find the task any more; all that time it is one that is worked on.
pub(super) async fn keep(task: &TaskCall, mut end: TaskChange) {
    let mut retry = Retry::default();
    loop {
        let user = task.user.as_deref();
        match task.change(end.clone()).await {
            Ok(Some(_)) => return tracing::info!(task = ?task.id, user, "a task has ended"),
            Ok(None) => return tracing::debug!(task = ?task.id, user, "a task had ended before its work did"),
            Err(StoreError::Full(_)) if !matches!(end.end, Some(TaskEnd::Failed(_))) => {
                end = failed(&ErrorObject::internal("there is no room to keep the result of the task"));
            }
            Err(error) if task.is_over() => {
                return tracing::error!(%error, task = ?task.id, user, "the end of a task was never kept, and its time is over");
            }
            Err(error) => {
                tracing::warn!(%error, task = ?task.id, user, "the end of a task could not be kept yet");
                retry.pause().await;
            }
        }
    }
}

/// Reads a result again.
pub(super) fn read_result(bytes: &Bytes) -> Result<CallToolResult, ErrorObject> {
    serde_json::from_slice(bytes).map_err(|error| unreadable(&error))
}

/// Reads an error again.
pub(super) fn read_error(bytes: &Bytes) -> ErrorObject {
    serde_json::from_slice(bytes).unwrap_or_else(|error| unreadable(&error))
}

fn unreadable(error: &serde_json::Error) -> ErrorObject {
    tracing::error!(%error, "what is kept of a task cannot be read");
    ErrorObject::internal("what is kept of the task cannot be read")
}
