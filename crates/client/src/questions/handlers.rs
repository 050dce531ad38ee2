//! The user's answers to questions of the server.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jackfield_peer::TokenBucket;
use jackfield_protocol::error::code;
use jackfield_protocol::{
    CreateMessageParams, CreateMessageResult, ElicitAction, ElicitFormParams, ElicitParams, ElicitResult, ElicitSchema,
    ElicitUrlParams, ErrorObject, InputRequest, InputResponse, JsonObject, ListRootsResult, LoggingMessageParams, Root,
};
use serde_json::json;

use crate::config::LONGEST_NAME;
use crate::error::Cause;
use crate::questions::VisitedPages;
use crate::{BoxFuture, Error};

/// Answers one kind of question.
pub(crate) type Handler<P, R> = Arc<dyn Fn(P) -> BoxFuture<'static, Result<R, ErrorObject>> + Send + Sync>;

/// Everything that the user of a client answers or wants to hear.
#[derive(Default)]
pub(crate) struct Handlers {
    pub(crate) form: Option<Handler<ElicitFormParams, ElicitResult>>,
    pub(crate) url: Option<Handler<ElicitUrlParams, ElicitResult>>,
    pub(crate) sampling: Option<Handler<CreateMessageParams, CreateMessageResult>>,
    pub(crate) sampling_tools: bool,
    pub(crate) roots: Option<Mutex<Vec<Root>>>,
    /// Finds the roots anew for each question, instead of `roots`.
    pub(crate) find_roots: Option<Handler<(), ListRootsResult>>,
    pub(crate) log: Option<Arc<dyn Fn(LoggingMessageParams) + Send + Sync>>,
    pub(crate) url_completed: Option<Arc<dyn Fn(String) + Send + Sync>>,
    /// How often the person may still be asked.
    pub(crate) elicitations: Option<TokenBucket>,
    /// How often the model may still be asked.
    pub(crate) samplings: Option<TokenBucket>,
    /// Where the person was sent to.
    pub(crate) pages: VisitedPages,
}

/// Why a question has no answer.
pub(crate) enum Unanswered {
    /// The client did not say that it can answer it.
    Undeclared { what: &'static str, error: ErrorObject },
    /// The handler refused it, or its answer cannot be sent.
    Refused(ErrorObject),
}

impl Unanswered {
    /// What a server of the legacy era is told.
    pub(crate) fn into_error_object(self) -> ErrorObject {
        match self {
            Self::Undeclared { error, .. } | Self::Refused(error) => error,
        }
    }
}

impl From<Unanswered> for Error {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Undeclared { what, .. } => Cause::Undeclared(what).into(),
            Unanswered::Refused(error) => Cause::Refused(Box::new(error)).into(),
        }
    }
}

impl Handlers {
    /// Whether there is a handler for this kind of question.
    pub(crate) fn has(&self, question: &InputRequest) -> bool {
        match question {
            InputRequest::CreateMessage(_) => self.sampling.is_some(),
            InputRequest::Elicit(_) => self.form.is_some() || self.url.is_some(),
            _ => false,
        }
    }

    /// Answers a question of the server.
    pub(crate) async fn answer(&self, question: InputRequest) -> Result<InputResponse, Unanswered> {
        match question {
            InputRequest::ListRoots(_) => self.list_roots().await.map(InputResponse::from),
            InputRequest::CreateMessage(params) => self.sample(*params).await.map(InputResponse::from),
            InputRequest::Elicit(params) => self.elicit(*params).await.map(InputResponse::from),
            _ => Err(undeclared("a question of an unknown kind", "the question")),
        }
    }

    async fn list_roots(&self) -> Result<ListRootsResult, Unanswered> {
        if let Some(find) = &self.find_roots {
            return find(()).await.map_err(Unanswered::Refused);
        }
        let roots = self.roots.as_ref().ok_or_else(|| undeclared("roots", "roots/list"))?;
        Ok(ListRootsResult::new(roots.lock().unwrap_or_else(PoisonError::into_inner).clone()))
    }

    async fn sample(&self, params: CreateMessageParams) -> Result<CreateMessageResult, Unanswered> {
        let handler = self.sampling.as_ref().ok_or_else(|| undeclared("sampling", "sampling/createMessage"))?;
        if params.has_tools() && !self.sampling_tools {
            let error = ErrorObject::invalid_params("this client did not declare sampling with tools");
            return Err(Unanswered::Undeclared { what: "sampling with tools", error });
        }
        take(self.samplings.as_ref(), "the model is asked too often; try again later")?;
        params.check().map_err(|what| Unanswered::Refused(ErrorObject::invalid_params(what)))?;
        let mut asked = CreateMessageParams::new([], params.max_tokens);
        (asked.tools, asked.tool_choice) = (params.tools.clone(), params.tool_choice.clone());
        let said = handler(params).await.map_err(Unanswered::Refused)?;
        said.check_choice(&asked).map_err(|what| Unanswered::Refused(ErrorObject::internal(what)))?;
        Ok(said)
    }

    pub(crate) async fn elicit(&self, params: ElicitParams) -> Result<ElicitResult, Unanswered> {
        if self.form.is_none() && self.url.is_none() {
            return Err(undeclared("elicitation", "elicitation/create"));
        }
        take(self.elicitations.as_ref(), "the person is asked too often; try again later")?;
        match params {
            ElicitParams::Form(form) => {
                let handler = self.form.as_ref().ok_or_else(|| undeclared_mode("elicitation by form"))?;
                let schema = form.requested_schema.clone();
                let answer = handler(form).await.map_err(Unanswered::Refused)?;
                fitting(&schema, answer)
            }
            ElicitParams::Url(page) => {
                let handler = self.url.as_ref().ok_or_else(|| undeclared_mode("elicitation by URL"))?;
                if let Some(id) = &page.elicitation_id {
                    if id.len() > LONGEST_NAME {
                        let error = ErrorObject::invalid_params("parameter `elicitationId` is too long");
                        return Err(Unanswered::Refused(error));
                    }
                    self.pages.opened(id);
                }
                handler(page).await.map_err(Unanswered::Refused)
            }
            _ => Err(undeclared_mode("elicitation of an unknown mode")),
        }
    }
}

/// Keeps back an answer that is not what the form asks for: the server could do nothing with it.
fn fitting(schema: &ElicitSchema, answer: ElicitResult) -> Result<ElicitResult, Unanswered> {
    if answer.action != ElicitAction::Accept {
        return Ok(answer);
    }
    let nothing = JsonObject::new();
    schema.check(answer.content.as_ref().unwrap_or(&nothing)).map(|()| answer).map_err(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let text = format!("the answer does not fit the form: {}", problems.join(", "));
        Unanswered::Refused(ErrorObject::internal(text))
    })
}

/// Counts a question; refuses it if there were too many.
fn take(bucket: Option<&TokenBucket>, words: &'static str) -> Result<(), Unanswered> {
    bucket.map_or(Ok(()), TokenBucket::take).map_err(|wait| {
        let error = ErrorObject::new(code::TOO_MANY_REQUESTS, words);
        Unanswered::Refused(error.with_data(json!({ "retryAfterMs": millis(wait) })))
    })
}

fn millis(wait: Duration) -> u64 {
    u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1)
}

fn undeclared(what: &'static str, method: &str) -> Unanswered {
    Unanswered::Undeclared { what, error: ErrorObject::method_not_found(method) }
}

fn undeclared_mode(what: &'static str) -> Unanswered {
    let error = ErrorObject::new(code::INVALID_PARAMS, format!("this client did not declare {what}"));
    Unanswered::Undeclared { what, error }
}

/// Whether a root is a `file://` URI whose path does not lead upwards.
pub(crate) fn check_root(root: &Root) -> Result<(), Error> {
    let path = root.uri.strip_prefix("file://");
    let leads_up = |path: &str| {
        path.split('/').any(|part| matches!(part.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | ".."))
    };
    match path {
        Some(path) if path.contains('/') && !leads_up(path) && !path.contains(char::is_control) => Ok(()),
        _ => Err(Cause::BadRoot(root.uri.clone()).into()),
    }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers")
            .field("form", &self.form.is_some())
            .field("url", &self.url.is_some())
            .field("sampling", &self.sampling.is_some())
            .field("roots", &(self.roots.is_some() || self.find_roots.is_some()))
            .finish_non_exhaustive()
    }
}
