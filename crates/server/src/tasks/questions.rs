//! Questions that a handler asks while its call is a task: they wait in the task until someone brings the answers.

use std::future::pending;

use bytes::Bytes;
use jackfield_protocol::{ErrorObject, InputRequest, RawJson};
use jackfield_store::{StoreError, TaskChange, TaskRecord, TaskStage};
use serde::{Deserialize, Serialize};

use super::TaskCall;
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
    let mut record = match task.change(TaskChange::ask(encoded)).await {
        Ok(Some(record)) => record,
        Ok(None) => pending().await,
        Err(StoreError::Full(_)) => return Err(QuestionError::TooMany),
        Err(error) => return Err(lost(&error)),
    };
    loop {
        if let Some(answers) = all_answers(&record, &questions) {
            if record.stage() == TaskStage::Working {
                task.announce(&record);
            }
            return answers;
        }
        // Without a word the task is gone, and its worker will notice.
        if watch.changed().await.is_none() {
            pending().await
        }
        record = match task.runtime.store.get(task.id.as_str()).await {
            Ok(Some(record)) => record,
            Ok(None) => pending().await,
            Err(error) => return Err(lost(&error)),
        };
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

fn lost(error: &StoreError) -> QuestionError {
    tracing::warn!(%error, "a question of a task was lost");
    QuestionError::Closed
}
