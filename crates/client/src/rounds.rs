//! Requests that the server may answer with questions: they are asked again with the answers until there is a result.

use std::collections::BTreeMap;

use bytes::Bytes;
use jackfield_protocol::{
    CallToolParams, ClientRequest, GetPromptParams, InputRequired, InputResponses, Outcome, ReadResourceParams,
    TaskHandle,
};
use serde::de::DeserializeOwned;

use crate::asking::Asking;
use crate::core::Core;
use crate::sending::Wanted;
use crate::session::Session;
use crate::{BadAnswer, Error};

/// A request that may take several rounds.
#[derive(Clone, Debug)]
pub(crate) enum Repeatable {
    CallTool(CallToolParams),
    GetPrompt(GetPromptParams),
    ReadResource(ReadResourceParams),
}

impl Repeatable {
    fn wanted(&self, answers: Option<InputResponses>, state: Option<String>) -> Wanted<'_> {
        if let Self::CallTool(CallToolParams { name, arguments, task: None, meta: None, .. }) = self
            && answers.is_none()
            && state.is_none()
        {
            return Wanted::Call { name, arguments: arguments.as_ref() };
        }
        macro_rules! with {
            ($params:expr, $variant:ident) => {{
                let mut params = $params.clone();
                params.input_responses = answers;
                params.request_state = state;
                Wanted::Any(ClientRequest::$variant(params))
            }};
        }
        match self {
            Self::CallTool(params) => with!(params, CallTool),
            Self::GetPrompt(params) => with!(params, GetPrompt),
            Self::ReadResource(params) => with!(params, ReadResource),
        }
    }
}

/// How the last round ended.
pub(crate) enum Settled<T> {
    /// With the result, and its text if it is the answer to the very first round.
    Result(T, Option<Bytes>),
    /// With a task.
    Task(TaskHandle),
}

impl Core {
    /// Asks until there is a result or a task.
    pub(crate) async fn ask_in_rounds<T: DeserializeOwned>(
        &self,
        session: &Session,
        what: &Repeatable,
        asking: &mut Asking,
    ) -> Result<Settled<T>, Error> {
        let (mut answers, mut state) = (None, None);
        let mut agreed = Vec::new();
        for round in 0..=self.options.limits.rounds {
            let wanted = what.wanted(answers, state);
            let method = wanted.method().map_or("a request", jackfield_protocol::Method::name);
            let text = match self.ask(session, wanted, asking).await {
                Ok(text) => text,
                Err(error) if round < self.options.limits.rounds && error.required_pages().is_some() => {
                    Box::pin(self.visit_pages(error, session, &mut agreed, asking.patience)).await?;
                    (answers, state) = (None, None);
                    continue;
                }
                Err(error) => return Err(error),
            };
            match Outcome::read(&text, session.revision) {
                Ok(Outcome::Complete(result)) => return Ok(Settled::Result(result, (round == 0).then_some(text))),
                Ok(Outcome::Task(task)) => return Ok(Settled::Task(task)),
                Ok(Outcome::InputRequired(questions)) => {
                    drop(text);
                    // Rare and large, so its state is kept out of the future of every call.
                    (answers, state) = Box::pin(self.answer_questions(method, questions)).await?;
                }
                Ok(_) => return Err(Error::bad_answer(method, BadAnswer::Kind)),
                Err(cause) => return Err(Error::bad_answer(method, BadAnswer::Content(cause))),
            }
        }
        Err(Error::Limit { what: "the number of rounds of questions", limit: self.options.limits.rounds })
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
            return Err(Error::Limit { what: "the length of the request state", limit });
        }
        let answers = match input_requests {
            Some(questions) => Some(self.answer_all(questions).await?),
            None => None,
        };
        Ok((answers, request_state))
    }

    /// Answers all questions of a result, one after the other: a person can not do two things at once.
    pub(crate) async fn answer_all(
        &self,
        questions: BTreeMap<String, jackfield_protocol::InputRequest>,
    ) -> Result<InputResponses, Error> {
        let limit = self.options.limits.questions_per_round;
        if questions.len() > limit {
            return Err(Error::Limit { what: "the number of questions in one answer", limit });
        }
        let mut answers = InputResponses::new();
        for (key, question) in questions {
            answers.insert(key, self.options.handlers.answer(question).await?);
        }
        Ok(answers)
    }
}
