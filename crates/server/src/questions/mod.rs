//! Questions in the middle of a handler: to the person, to the model, and for the roots.
//!
//! In the legacy era a question is a request to the client, and the handler waits. In the modern era the call ends with the
//! question; the client calls again with the answer, the handler runs again from the top, and the same question returns the
//! answer at once. What was answered before travels with the client, sealed. Therefore each question has a key that is the same
//! in each run, and work between two questions that must not happen twice goes through [`Cx::step`].
//!
//! In a call that is a task a question waits in the task until the client comes for it, in both eras, and the handler waits too.

mod answer;
mod by_request;
mod check;
mod client;
mod form;
mod form_schema;
mod in_task;
mod page;
mod request_state;
pub(crate) mod roots;
pub(crate) mod round;
pub(crate) mod seal;
mod tool_loop;

use std::future::Future;

use jackfield_peer::AskError;
use jackfield_protocol::{
    CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, ElicitSchema, ElicitUrlParams, EmptyParams,
    ErrorObject, InputRequest, JsonObject, ListRootsResult, RawJson, Root, UrlMode,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Cx;

pub(crate) use by_request::READY_LIMIT;
pub(crate) use check::request as as_request;
pub use form::{Form, FormChoice, FormField, FormLayout};
pub use page::PageNotice;
pub(crate) use round::Round;

/// What the person did with a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// Answered it.
    Accepted(T),
    /// Said no.
    Declined,
    /// Went away without deciding.
    Cancelled,
}

impl<T> Elicited<T> {
    /// Returns the answer, if there is one.
    #[must_use]
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(answer) => Some(answer),
            Self::Declined | Self::Cancelled => None,
        }
    }

    fn map<U>(self, change: impl FnOnce(T) -> Result<U, QuestionError>) -> Result<Elicited<U>, QuestionError> {
        Ok(match self {
            Self::Accepted(answer) => Elicited::Accepted(change(answer)?),
            Self::Declined => Elicited::Declined,
            Self::Cancelled => Elicited::Cancelled,
        })
    }
}

/// Why a question has no answer.
///
/// A handler that passes it on fails with its text, which the model can read. In the modern era a client that cannot be asked
/// gets the error -32021, and one that answers with something unreadable -32602; the handler then does not go on at all.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum QuestionError {
    /// The client cannot be asked this.
    #[error("this client cannot be asked: it does not support {0}")]
    NotSupported(&'static str),
    /// Nobody can be asked here: only tools, prompts and resources ask.
    #[error("questions can be asked only while a tool, a prompt or a resource is being worked on")]
    NotHere,
    /// The client answered with an error.
    #[error("the client answered with an error: {}", .0.message)]
    Refused(ErrorObject),
    /// The client did not answer in time.
    #[error("the client did not answer in time")]
    TimedOut,
    /// The connection closed before the answer.
    #[error("the connection closed before the client answered")]
    Closed,
    /// Too many questions wait for an answer already.
    #[error("too many questions are waiting for the client")]
    TooMany,
    /// The answer does not fit the question.
    #[error("the client's answer does not fit the question `{key}`: {problem}")]
    BadAnswer {
        /// The question.
        key: String,
        /// What is wrong.
        problem: String,
    },
    /// The question cannot be asked as it is.
    #[error("the question `{key}` cannot be asked: {problem}")]
    BadQuestion {
        /// The question.
        key: String,
        /// What is wrong.
        problem: String,
    },
}

impl From<AskError> for QuestionError {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Refused(error) => Self::Refused(error),
            AskError::TimedOut => Self::TimedOut,
            AskError::TooMany => Self::TooMany,
            _ => Self::Closed,
        }
    }
}

impl Cx {
    /// Asks the person for a value: `bool`, `String`, a number, or a type of yours that derives [`Form`], which makes a struct a form
    /// with several fields.
    ///
    /// ```ignore
    /// #[derive(Deserialize, JsonSchema, Form)]
    /// struct Trip { city: String, days: u8 }
    ///
    /// let Elicited::Accepted(trip) = cx.elicit::<Trip>("trip", "Where to?").await? else { return Ok("as you like".into()) };
    /// let Elicited::Accepted(true) = cx.elicit("sure", "Shall I book it?").await? else { return Ok("not yet".into()) };
    /// ```
    ///
    /// # Errors
    /// The person could not be asked.
    pub async fn elicit<T: Form>(&self, key: &str, message: &str) -> Result<Elicited<T>, QuestionError> {
        let schema = form::schema::<T>(message)
            .map_err(|problem| QuestionError::BadQuestion { key: key.to_owned(), problem })?;
        self.elicit_form(key, message, schema).await?.map(|content| read_form(key, content))
    }

    /// Asks the person to fill in a form. What is filled in has been checked against the form.
    ///
    /// # Errors
    /// The person could not be asked.
    pub async fn elicit_form(
        &self,
        key: &str,
        message: &str,
        form: ElicitSchema,
    ) -> Result<Elicited<JsonObject>, QuestionError> {
        let checked = form.clone();
        let question = ElicitParams::form(message, form).into();
        self.ask(key, question, move |result: ElicitResult| answer::of_form(result, &checked)).await
    }

    /// Asks the person to visit a page, for what must not pass through the client. That it was accepted means that the person
    /// agreed to open it, not that anything has been done there.
    ///
    /// # Errors
    /// The person could not be asked, or the URL is not `https` (`http` for this machine only).
    pub async fn elicit_url(&self, key: &str, message: &str, url: &str) -> Result<Elicited<()>, QuestionError> {
        self.visit(key, ElicitUrlParams::new(UrlMode::Url, message, url)).await
    }

    async fn visit(&self, key: &str, page: ElicitUrlParams) -> Result<Elicited<()>, QuestionError> {
        self.ask(key, ElicitParams::Url(page).into(), |result: ElicitResult| Ok(answer::of_page(&result))).await
    }

    /// Asks the client's model. With tools, [`sample_with_tools`](Self::sample_with_tools) also runs them.
    ///
    /// # Errors
    /// The model could not be asked, did not answer, or wants to use a tool that it was not given.
    pub async fn sample(&self, key: &str, params: CreateMessageParams) -> Result<CreateMessageResult, QuestionError> {
        let asked = params.clone();
        self.ask(key, params.into(), move |result| answer::of_sample(result, &asked)).await
    }

    /// Asks for the folders that the client lets this server work in. Asking twice in one call asks the client once.
    ///
    /// # Errors
    /// The client has none, or did not answer.
    pub async fn roots(&self) -> Result<Vec<Root>, QuestionError> {
        let question = InputRequest::ListRoots(EmptyParams::default());
        self.ask("roots", question, |result: ListRootsResult| Ok(result.roots)).await
    }

    /// Asks a question of any kind, and returns the answer as it came: for those who pass on questions of others. Only the answer to a
    /// form is given the shape that was asked for: an older client had to be asked in another way, and some send more than the form
    /// has, or `null` for what was left empty. A client that cannot be asked is an error of this call in the modern era;
    /// [`can_ask`](Self::can_ask) tells beforehand.
    ///
    /// # Errors
    /// The client could not be asked, or did not answer.
    pub async fn ask_question(&self, key: &str, question: InputRequest) -> Result<RawJson, QuestionError> {
        let answer = round::ask(self, key, question.clone()).await?;
        Ok(answer::as_asked(answer, &question))
    }

    /// Whether the client said that it can answer a question.
    #[must_use]
    pub fn can_ask(&self, question: &InputRequest) -> bool {
        check::missing_capability(self.caller(), question).is_none()
    }

    /// Sends the client any request, and returns its result: for what the other methods do not do, such as questions that the client
    /// answers as tasks of its own. Only clients of the legacy era take requests.
    ///
    /// # Errors
    /// The client takes no requests, refused this one, or did not answer.
    pub async fn request(&self, method: &'static str, params: impl Serialize) -> Result<RawJson, QuestionError> {
        if !self.revision().has_server_requests() {
            return Err(QuestionError::NotSupported("requests of servers"));
        }
        let session = self.peer_session().ok_or(QuestionError::NotHere)?;
        by_request::send(session, &self.call().incoming.outlet, method, &params).await
    }

    /// Asks several questions at once, and waits for all answers.
    ///
    /// # Errors
    /// One of them could not be asked.
    pub async fn ask_all<K: Into<String>>(
        &self,
        questions: impl IntoIterator<Item = (K, InputRequest)>,
    ) -> Result<Answers, QuestionError> {
        let questions: Vec<(String, InputRequest)> = questions.into_iter().map(|(key, q)| (key.into(), q)).collect();
        let mut answers = Answers(Vec::new());
        if let Some(task) = self.task() {
            let raw = in_task::ask(self, task, questions.clone()).await?;
            answers.0.extend(questions.into_iter().zip(raw).map(|((key, question), raw)| (key, question, raw)));
            return Ok(answers);
        }
        let asked =
            questions.iter().map(|(key, question)| Box::pin(self.ask(key, question.clone(), |raw: RawJson| Ok(raw))));
        for (answer, (key, question)) in all(asked.collect()).await.into_iter().zip(&questions) {
            answers.0.push((key.clone(), question.clone(), answer?));
        }
        Ok(answers)
    }

    /// Does work that must not be done twice, although a handler with questions may run several times: when the handler runs
    /// again, the result of the first time is returned. It travels with the client, sealed, so it should be small.
    ///
    /// # Cancellation
    /// Work that is dropped half-way is done again.
    pub async fn step<T>(&self, key: &str, work: impl Future<Output = T>) -> T
    where
        T: Serialize + DeserializeOwned,
    {
        round::step(self, key, work).await
    }

    /// Whether the client can be asked to fill in a form.
    #[must_use]
    pub fn can_elicit(&self) -> bool {
        check::has_forms(self.caller())
    }

    /// Whether the client can be asked to open a page.
    #[must_use]
    pub fn can_elicit_url(&self) -> bool {
        check::has_urls(self.caller())
    }

    /// Whether the client lets its model be asked.
    #[must_use]
    pub fn can_sample(&self) -> bool {
        self.caller().capabilities.sampling.is_some()
    }

    /// Whether the client has roots.
    #[must_use]
    pub fn has_roots(&self) -> bool {
        self.caller().capabilities.roots.is_some()
    }

    /// Seals bytes for a handler that returns `Outcome::InputRequired` itself: they are bound to this call's method, its
    /// parameters and its user, and open for ten minutes.
    #[must_use]
    pub fn seal(&self, bytes: &[u8]) -> Option<String> {
        request_state::seal_bytes(self, bytes)
    }

    /// Opens what [`seal`](Self::seal) made in an earlier round of the same call.
    ///
    /// # Errors
    /// -32602: it was changed, belongs to another call or user, or is too old.
    pub fn unseal(&self, sealed: &str) -> Result<Vec<u8>, ErrorObject> {
        request_state::open_bytes(self, sealed)
    }

    async fn ask<R, T>(
        &self,
        key: &str,
        question: InputRequest,
        read: impl Fn(R) -> Result<T, String>,
    ) -> Result<T, QuestionError>
    where
        R: for<'de> Deserialize<'de>,
    {
        let raw = round::ask(self, key, question).await?;
        match raw.read::<R>().map_err(|error| error.to_string()).and_then(read) {
            Ok(answer) => Ok(answer),
            Err(problem) => round::bad_answer(self, key, problem).await,
        }
    }
}

fn read_form<T: Form>(key: &str, content: JsonObject) -> Result<T, QuestionError> {
    form::read(content).map_err(|error| QuestionError::BadAnswer { key: key.to_owned(), problem: error.to_string() })
}

/// The answers to several questions.
#[derive(Clone, Debug)]
pub struct Answers(Vec<(String, InputRequest, RawJson)>);

impl Answers {
    /// Returns what was filled in, as a type.
    ///
    /// # Errors
    /// There was no such form, or the answer does not fit it or the type.
    pub fn form<T: Form>(&self, key: &str) -> Result<Elicited<T>, QuestionError> {
        self.form_content(key)?.map(|content| read_form(key, content))
    }

    /// Returns what was filled in.
    ///
    /// # Errors
    /// There was no such form, or the answer does not fit it.
    pub fn form_content(&self, key: &str) -> Result<Elicited<JsonObject>, QuestionError> {
        let bad = |problem: String| QuestionError::BadAnswer { key: key.to_owned(), problem };
        let (question, raw) = self.find(key)?;
        let schema = match question {
            InputRequest::Elicit(params) => match &**params {
                ElicitParams::Form(form) => Some(&form.requested_schema),
                _ => None,
            },
            _ => None,
        };
        let schema = schema.ok_or_else(|| bad("it was not a form".to_owned()))?;
        let result: ElicitResult = raw.read().map_err(|error| bad(error.to_string()))?;
        answer::of_form(result, schema).map_err(&bad)
    }

    /// Returns what the model said.
    ///
    /// # Errors
    /// There was no such question, or the answer cannot be read.
    pub fn sample(&self, key: &str) -> Result<CreateMessageResult, QuestionError> {
        self.read(key)
    }

    /// Returns the roots.
    ///
    /// # Errors
    /// There was no such question, or the answer cannot be read.
    pub fn roots(&self, key: &str) -> Result<Vec<Root>, QuestionError> {
        self.read::<ListRootsResult>(key).map(|result| result.roots)
    }

    fn read<T: DeserializeOwned>(&self, key: &str) -> Result<T, QuestionError> {
        let (_, raw) = self.find(key)?;
        raw.read().map_err(|error| QuestionError::BadAnswer { key: key.to_owned(), problem: error.to_string() })
    }

    fn find(&self, key: &str) -> Result<(&InputRequest, &RawJson), QuestionError> {
        let found = self.0.iter().find(|(known, ..)| known == key).map(|(_, question, raw)| (question, raw));
        found.ok_or_else(|| QuestionError::BadAnswer { key: key.to_owned(), problem: "it was not asked".to_owned() })
    }
}

/// Waits for all futures; each is polled in each turn, so that all questions are known after the first.
async fn all<F: Future + Unpin>(futures: Vec<F>) -> Vec<F::Output> {
    let mut slots: Vec<(Option<F>, Option<F::Output>)> = futures.into_iter().map(|f| (Some(f), None)).collect();
    std::future::poll_fn(|cx| {
        for (future, output) in &mut slots {
            if let Some(running) = future
                && let std::task::Poll::Ready(done) = std::pin::Pin::new(running).poll(cx)
            {
                (*future, *output) = (None, Some(done));
            }
        }
        if slots.iter().all(|(future, _)| future.is_none()) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    slots.into_iter().filter_map(|(_, output)| output).collect()
}
