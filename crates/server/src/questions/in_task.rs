//! Questions of a call that is a task.

use std::future::pending;

use jackfield_protocol::{ErrorObject, InputRequest, RawJson};

use super::{QuestionError, check};
use crate::Cx;
use crate::tasks::{self, TaskCall};

/// Asks several questions at once, and waits for all answers.
pub(super) async fn ask(
    cx: &Cx,
    task: &TaskCall,
    questions: Vec<(String, InputRequest)>,
) -> Result<Vec<RawJson>, QuestionError> {
    let round = &cx.call().round;
    let (mut answers, mut open) = (Vec::new(), Vec::new());
    for (key, mut question) in questions {
        check::question(cx.caller(), &mut question)
            .map_err(|problem| QuestionError::BadQuestion { key: key.clone(), problem })?;
        if let Some(missing) = check::missing_capability(cx.caller(), &question) {
            return can_not_ask(cx, missing).await;
        }
        let known = round.recall(&key, &question)?;
        if known.is_none() {
            open.push((key.clone(), question));
        }
        answers.push((key, known));
    }
    let keys: Vec<String> = open.iter().map(|(key, _)| key.clone()).collect();
    if !open.is_empty() {
        for (key, answer) in keys.iter().zip(tasks::ask(task, open).await?) {
            round.remember(key, &answer);
            answers.iter_mut().filter(|(asked, _)| asked == key).for_each(|(_, slot)| *slot = Some(answer.clone()));
        }
    }
    Ok(answers.into_iter().filter_map(|(_, answer)| answer).collect())
}

/// As outside of tasks: an error of the protocol in the modern era, one that the handler can look at in the legacy era.
async fn can_not_ask<T>(cx: &Cx, missing: check::Missing) -> Result<T, QuestionError> {
    if cx.revision().has_server_requests() {
        return Err(QuestionError::NotSupported(missing.name));
    }
    let message = format!("the client does not support {}", missing.name);
    cx.call().round.fail(ErrorObject::missing_capability(message, missing.required));
    pending().await
}
