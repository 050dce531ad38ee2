//! Questions that a handler asks while its call is a task: they wait in the task until someone brings the answers.

use std::future::pending;

use bytes::Bytes;
use jackfield_protocol::{ErrorObject, InputRequest, RawJson};
use jackfield_store::{StoreError, TaskChange, TaskRecord, TaskStage};
use serde::{Deserialize, Serialize};

use super::TaskCall;
use super::retry::Retry;
use crate::QuestionError;

/// What came back for a question, as it is kept.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answered {
    /// An answer.
    Result(RawJson),
    /// An error.
    Refused(ErrorObject),
    /// Nothing, for too long.
    TimedOut,
}

impl Answered {
    pub(super) fn encode(&self) -> Bytes {
        serde_json::to_vec(self).unwrap_or_default().into()
    }

    fn read(bytes: &Bytes, key: &str) -> Result<RawJson, QuestionError> {
        match serde_json::from_slice(bytes) {
            Ok(Self::Result(raw)) => Ok(raw),
            Ok(Self::Refused(error)) => Err(QuestionError::Refused(error)),
            Ok(Self::TimedOut) => Err(QuestionError::TimedOut),
            Err(error) => Err(QuestionError::BadAnswer { key: key.to_owned(), problem: error.to_string() }),
        }
    }
}

/// Asks several questions at once and waits for all answers. If the task ends meanwhile it does not return: the work is
/// dropped.
pub(crate) async fn ask(
    task: &TaskCall,
    questions: Vec<(String, InputRequest)>,
) -> Result<Vec<RawJson>, QuestionError> {
    let mut encoded = Vec::with_capacity(questions.len());
    for (key, question) in &questions {
        let bytes = serde_json::to_vec(question)
            .map_err(|error| QuestionError::BadQuestion { key: key.clone(), problem: error.to_string() })?;
        encoded.push((key.clone(), Bytes::from(bytes)));
    }
    let mut watch = task.watch();
    let mut record = put(task, encoded).await?;
    loop {
        if let Some(answers) = all_answers(&record, &questions) {
            if record.stage() == TaskStage::Working {
                task.announce(&record);
            }
            return answers;
        }
        record = match task.next(&mut watch).await {
            Some(record) => record,
            // The task is gone, and its worker will notice.
            None => pending().await,
        };
    }
}

/// Puts questions into the task. One that is there already is not put there again, so that a store which is away can be tried again.
async fn put(task: &TaskCall, questions: Vec<(String, Bytes)>) -> Result<TaskRecord, QuestionError> {
    let mut retry = Retry::default();
    loop {
        match task.change(TaskChange::ask(questions.clone())).await {
            Ok(Some(record)) => return Ok(record),
            Ok(None) => pending().await,
            Err(StoreError::Full(_)) => return Err(QuestionError::TooMany),
            Err(error) => {
                tracing::warn!(%error, task = ?task.id, "a question of a task could not be kept yet");
                retry.pause().await;
            }
        }
    }
}

fn all_answers(
    record: &TaskRecord,
    questions: &[(String, InputRequest)],
) -> Option<Result<Vec<RawJson>, QuestionError>> {
    let response = |key: &String| record.input(key)?.response.clone();
    let all: Option<Vec<_>> = questions.iter().map(|(key, _)| Some((key, response(key)?))).collect();
    Some(all?.iter().map(|(key, bytes)| Answered::read(bytes, key)).collect())
}
