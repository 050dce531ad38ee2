//! Requests that the server may answer with questions: they are asked again with the answers until there is a result.

use std::collections::BTreeMap;

use jackfield_protocol::envelope::ResultText;
use jackfield_protocol::{
    CallToolParams, ClientRequest, GetPromptParams, InputRequired, InputResponses, Meta, Method, Outcome, RawJson,
    ReadResourceParams, ResultBody, TaskHandle,
};
use serde::de::DeserializeOwned;

use crate::connection::Core;
use crate::connection::Session;
use crate::error::Cause;
use crate::request::Outbound;
use crate::request::RequestOptions;
use crate::{BadAnswer, Error};

/// A request that may take several rounds.
#[derive(Debug)]
pub(crate) enum Repeatable<'a> {
    CallTool(ToolCall<'a>),
    GetPrompt(&'a GetPromptParams),
    ReadResource(&'a ReadResourceParams),
}

/// A call of a tool, as the caller wants it.
#[derive(Debug)]
pub(crate) struct ToolCall<'a> {
    pub(crate) name: &'a str,
    /// An object as JSON text.
    pub(crate) arguments: Option<&'a str>,
    pub(crate) meta: Option<&'a Meta>,
}

impl ToolCall<'_> {
    pub(crate) fn params(&self) -> Result<CallToolParams, Error> {
        let mut params = CallToolParams::new(self.name);
        params.arguments = self.arguments.map(RawJson::from_text).transpose().map_err(Cause::Arguments)?;
        params.meta = self.meta.cloned();
        Ok(params)
    }
}

impl Repeatable<'_> {
    fn method(&self) -> Method {
        match self {
            Self::CallTool(_) => Method::CallTool,
            Self::GetPrompt(_) => Method::GetPrompt,
            Self::ReadResource(_) => Method::ReadResource,
        }
    }

    /// Whether nothing changes at the server if it is asked twice.
    fn only_reads(&self) -> bool {
        matches!(self, Self::GetPrompt(_) | Self::ReadResource(_))
    }

    fn outbound(&self, answers: Option<InputResponses>, state: Option<String>) -> Result<Outbound<'_>, Error> {
        macro_rules! with {
            ($params:expr, $variant:ident) => {{
                let mut params = $params;
                params.input_responses = answers;
                params.request_state = state;
                Outbound::Any(ClientRequest::$variant(params))
            }};
        }
        Ok(match self {
            Self::CallTool(ToolCall { name, arguments, meta: None }) if answers.is_none() && state.is_none() => {
                Outbound::Call { name, arguments: *arguments }
            }
            Self::CallTool(call) => with!(call.params()?, CallTool),
            Self::GetPrompt(params) => with!((*params).clone(), GetPrompt),
            Self::ReadResource(params) => with!((*params).clone(), ReadResource),
        })
    }
}

/// How the last round ended.
pub(crate) enum Finished<T> {
    /// With the result, and its text if it is the answer to the very first round.
    Result(T, Option<ResultText>),
    /// With a task.
    Task(TaskHandle),
}

impl Core {
    /// Asks until there is a result or a task.
    pub(crate) async fn request_in_rounds<T: ResultBody + DeserializeOwned>(
        &self,
        session: &Session,
        what: &Repeatable<'_>,
        options: &mut RequestOptions,
    ) -> Result<Finished<T>, Error> {
        let method = what.method().name();
        let (mut answers, mut state) = (None, None);
        let mut agreed = Vec::new();
        // In sessions the rest of a stream that broke is asked for instead.
        let mut may_repeat = !session.revision.has_handshake() && (what.only_reads() || options.is_repeatable);
        for round in 0..=self.options.limits.rounds {
            if round > 0 {
                options.deadline.check(method)?;
                options.told = f64::NEG_INFINITY;
            }
            let again = (may_repeat && round > 0).then(|| (answers.clone(), state.clone()));
            // It is sent here and not in a future of its own, which would keep room for the request until the answer is there.
            let sent = self.send(session, what.outbound(answers, state)?, options)?;
            let text = match sent.answer(options).await {
                Ok(text) => text,
                Err(error) if round < self.options.limits.rounds && error.required_pages().is_some() => {
                    drop(sent);
                    Box::pin(self.visit_pages(error, session, &mut agreed, options.deadline)).await?;
                    (answers, state) = (None, None);
                    continue;
                }
                Err(lost) if lost.is_lost() && std::mem::take(&mut may_repeat) => {
                    let (answers, state) = again.unwrap_or_default();
                    Box::pin(self.resend(lost, session, what.outbound(answers, state)?, options)).await?
                }
                Err(error) => return Err(error),
            };
            match Outcome::read_text(&text, session.revision) {
                Ok(Outcome::Complete(result)) => return Ok(Finished::Result(result, (round == 0).then_some(text))),
                Ok(Outcome::Task(task)) => return Ok(Finished::Task(*task)),
                // Nobody is asked for answers that would not be sent.
                Ok(Outcome::InputRequired(_)) if round == self.options.limits.rounds => break,
                Ok(Outcome::InputRequired(questions)) => {
                    drop((sent, text));
                    // Rare and large, so its state is kept out of the future of every call.
                    (answers, state) = Box::pin(self.answer_questions(method, questions)).await?;
                }
                Ok(_) => return Err(Error::bad_answer(method, BadAnswer::Kind)),
                Err(cause) => return Err(Error::bad_answer(method, BadAnswer::Content(cause))),
            }
        }
        Err(Error::limit("the number of rounds of questions", self.options.limits.rounds))
    }

    async fn answer_questions(
        &self,
        method: &str,
        questions: InputRequired,
    ) -> Result<(Option<InputResponses>, Option<String>), Error> {
        let InputRequired { input_requests, request_state, .. } = questions;
        if input_requests.is_none() && request_state.is_none() {
            let cause = BadAnswer::Message("it asks for input without any question".to_owned());
            return Err(Error::bad_answer(method, cause));
        }
        let limit = self.options.limits.request_state_bytes;
        if request_state.as_ref().is_some_and(|state| state.len() > limit) {
            return Err(Error::limit("the length of the request state", limit));
        }
        let answers = match input_requests {
            Some(questions) => Some(self.answer_all(questions).await?),
            None => None,
        };
        Ok((answers, request_state))
    }

    /// Answers all questions of a result, one after the other: a person cannot do two things at once.
    pub(crate) async fn answer_all(
        &self,
        questions: BTreeMap<String, jackfield_protocol::InputRequest>,
    ) -> Result<InputResponses, Error> {
        let limit = self.options.limits.questions_per_round;
        if questions.len() > limit {
            return Err(Error::limit("the number of questions in one answer", limit));
        }
        let mut answers = InputResponses::new();
        for (key, question) in questions {
            answers.insert(key, self.options.handlers.answer(question).await?);
        }
        Ok(answers)
    }
}
