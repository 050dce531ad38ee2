//! What can go wrong with a request, as its caller sees it.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use jackfield_protocol::error::code;
use jackfield_protocol::{ElicitUrlParams, ErrorObject, Method, NotInRevision, ReadError, Revision};
use jackfield_store::StoreError;

use crate::EndReason;

/// Why a request has no result.
///
/// [`Error::kind`] is for callers that branch; the questions beside it tell cases of one kind apart. The message names what happened,
/// and [`source`](std::error::Error::source) its cause.
///
/// Only an error that the server itself sent answers [`Error::server_error`]; a timeout, a closed connection or a refusal of this client
/// cannot be mistaken for it.
///
/// ```
/// # use jackfield_client::{Error, ErrorKind};
/// fn is_worth_a_retry(error: &Error) -> bool {
///     matches!(error.kind(), ErrorKind::Timeout | ErrorKind::Connect) || error.status() == Some(503)
/// }
/// ```
pub struct Error(Box<Cause>);

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The server answered with an error, see [`Error::server_error`], or cancelled the task that the request had become.
    Server,
    /// The server did not answer in time. The request has been cancelled.
    Timeout,
    /// The connection has ended. If it ended during the request ([`Error::is_lost`]), the server may or may not have done what was
    /// asked; otherwise the request was not sent.
    Closed,
    /// The server cannot be reached or started, or speaks no revision that is allowed here.
    Connect,
    /// The server broke the protocol: its answer is not what the method promises, or it asked for something that was not declared.
    Protocol,
    /// The server does not offer it, its revision cannot express it, or this client was built without it.
    Unsupported,
    /// What was given to the client cannot be used: arguments, a URL, a header, a root.
    Input,
    /// The tool failed, or what it gave is not what was asked for. Also a skill that is not the one that was listed.
    Output,
    /// This client gave up: a limit was reached, the handler for a question refused, or its store is not available.
    Local,
}

/// What happened, in full.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Cause {
    #[error("the server answered {method} with an error")]
    Server {
        method: String,
        #[source]
        error: Box<ErrorObject>,
    },
    #[error("the server did not answer {method} within {after:?}")]
    TimedOut {
        method: String,
        /// How long the client waited, since the start or since the last sign of progress.
        after: Duration,
    },
    #[error("the connection ended before the server answered {method}")]
    Lost {
        method: String,
        #[source]
        reason: Arc<EndReason>,
    },
    #[error("the client is closed")]
    Closed(#[source] Arc<EndReason>),
    #[error("the server cannot be reached")]
    Connect(#[source] io::Error),
    #[error("the server speaks {offered:?}, which is none of the revisions allowed here: {allowed:?}")]
    NoCommonRevision {
        /// What the server offers, as far as it says so.
        offered: Vec<String>,
        allowed: Vec<Revision>,
    },
    #[error("the answer to {method} is not what the method promises")]
    BadAnswer {
        method: String,
        #[source]
        cause: BadAnswer,
    },
    #[error("the server does not offer {0}")]
    NotOffered(&'static str),
    #[error("the revision in use cannot express it")]
    NotInRevision(#[source] NotInRevision),
    #[error("the arguments cannot be sent")]
    Arguments(#[source] serde_json::Error),
    #[error("the store for the ids of tasks cannot be used")]
    Store(#[source] StoreError),
    #[error("the server asked for {0}, which this client did not declare")]
    Undeclared(&'static str),
    #[error("this client was built without {0}")]
    BuiltWithout(&'static str),
    #[error("a question of the server was refused")]
    Refused(#[source] Box<ErrorObject>),
    #[error("{what} is more than the limit of {limit}")]
    Limit { what: &'static str, limit: usize },
    #[error("the server gave the same cursor twice for {0}")]
    RepeatedCursor(&'static str),
    #[error("the server cancelled the task")]
    TaskCancelled,
    #[error("the tool failed: {0}")]
    ToolFailed(String),
    #[error("the tool's output does not fit")]
    Output(#[source] BadOutput),
    #[cfg(feature = "skills")]
    #[error("the skill cannot be used")]
    Skill(#[source] crate::skills::BadSkill),
    #[cfg(feature = "http")]
    #[error("{0:?} is not a plain http or https URL")]
    BadUrl(String),
    #[cfg(feature = "http")]
    #[error("the header {0:?} cannot be sent")]
    BadHeader(String),
    #[error("{0:?} is not a file:// URI of a folder or file")]
    BadRoot(String),
}

/// What is wrong with an answer: the [`source`](std::error::Error::source) of an [`Error`] of the kind [`ErrorKind::Protocol`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadAnswer {
    /// Its content has another form.
    #[error(transparent)]
    Content(ReadError),
    /// It is not a valid message.
    #[error("it is not a valid message: {0}")]
    Message(String),
    /// It is longer than allowed.
    #[error("it is longer than {0} bytes")]
    TooLong(usize),
    /// Questions, or a task, are no answer to this method.
    #[error("a result of this kind does not answer this method")]
    Kind,
    /// It is a task, and the client did not declare the extension of tasks; `Builder::tasks` does.
    #[error("it is a task, and this client was built without tasks")]
    UndeclaredTask,
    /// The transport could not deliver it.
    #[error("{0}")]
    Transport(String),
    /// The server refused the request with this HTTP status, without an error of the protocol.
    #[error("the server answered with HTTP status {0}")]
    Status(u16),
}

/// What is wrong with a tool's output: the [`source`](std::error::Error::source) of an [`Error`] of the kind [`ErrorKind::Output`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadOutput {
    /// It has another type than the caller asked for.
    #[error("it has another type than the one asked for")]
    Type(#[source] serde_json::Error),
    /// There is none.
    #[error("the tool gave no structured output")]
    Missing,
    /// It breaks the tool's output schema.
    #[error("it breaks the tool's output schema: {0}")]
    Schema(String),
}

impl Error {
    /// Makes an error that says that the server cannot be reached: for code that connects by itself and returns errors of this type.
    #[must_use]
    pub fn connect(cause: io::Error) -> Self {
        Cause::Connect(cause).into()
    }

    /// Returns what kind of thing went wrong.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.cause() {
            Cause::Server { .. } | Cause::TaskCancelled => ErrorKind::Server,
            Cause::TimedOut { .. } => ErrorKind::Timeout,
            Cause::Lost { .. } | Cause::Closed(_) => ErrorKind::Closed,
            Cause::Connect(_) | Cause::NoCommonRevision { .. } => ErrorKind::Connect,
            Cause::BadAnswer { .. } | Cause::RepeatedCursor(_) | Cause::Undeclared(_) => ErrorKind::Protocol,
            Cause::NotOffered(_) | Cause::NotInRevision(_) | Cause::BuiltWithout(_) => ErrorKind::Unsupported,
            Cause::Arguments(_) | Cause::BadRoot(_) => ErrorKind::Input,
            #[cfg(feature = "http")]
            Cause::BadUrl(_) | Cause::BadHeader(_) => ErrorKind::Input,
            Cause::ToolFailed(_) | Cause::Output(_) => ErrorKind::Output,
            #[cfg(feature = "skills")]
            Cause::Skill(_) => ErrorKind::Output,
            Cause::Limit { .. } | Cause::Refused(_) | Cause::Store(_) => ErrorKind::Local,
        }
    }

    /// Returns the error that the server answered with, if it did.
    #[must_use]
    pub fn server_error(&self) -> Option<&ErrorObject> {
        match self.cause() {
            Cause::Server { error, .. } => Some(error),
            _ => None,
        }
    }

    /// Takes the error that the server answered with.
    ///
    /// # Errors
    /// It is another error, which is given back.
    pub fn into_server_error(self) -> Result<ErrorObject, Self> {
        match *self.0 {
            Cause::Server { error, .. } => Ok(*error),
            other => Err(other.into()),
        }
    }

    /// Returns the code of the error that the server answered with.
    #[must_use]
    pub fn code(&self) -> Option<i64> {
        self.server_error().map(|error| error.code)
    }

    /// Returns the method of the request, if the error is about its answer, or about the lack of one.
    #[must_use]
    pub fn method(&self) -> Option<&str> {
        match self.cause() {
            Cause::Server { method, .. }
            | Cause::TimedOut { method, .. }
            | Cause::Lost { method, .. }
            | Cause::BadAnswer { method, .. } => Some(method),
            _ => None,
        }
    }

    /// Returns the pages that a person has to visit before the request can be served, if the server says so: the error -32042 of
    /// 2025-11-25. With a handler for pages the client asks the person and sends the request again by itself.
    #[must_use]
    pub fn required_pages(&self) -> Option<Vec<ElicitUrlParams>> {
        self.server_error()?.required_pages()
    }

    /// Returns the HTTP status that the server refused the request with, if it said no more than that.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self.cause() {
            Cause::BadAnswer { cause: BadAnswer::Status(status), .. } => Some(*status),
            _ => None,
        }
    }

    /// Whether the server says that there is no such resource. Until 2025-11-25 that is -32002, which later servers may still say;
    /// since then it is -32602 with the URI. The other codes from -32019 to -32000 are given back as they are: they mean nothing.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        let Cause::Server { method, error } = self.cause() else { return false };
        let names_uri = || error.data.as_ref().is_some_and(|data| data.get("uri").is_some());
        error.code == code::RESOURCE_NOT_FOUND
            || (error.code == code::INVALID_PARAMS && method == Method::ReadResource.name() && names_uri())
    }

    /// Whether the server did not answer in time.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        matches!(self.cause(), Cause::TimedOut { .. })
    }

    /// Whether there is no connection: it ended before or during the request, or could not be opened.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self.cause(), Cause::Closed(_) | Cause::Lost { .. } | Cause::Connect(_))
    }

    /// Whether the connection ended after the request was sent: the server may or may not have done what was asked.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self.cause(), Cause::Lost { .. })
    }

    /// Whether the server was reached, but speaks no revision that is allowed here.
    #[must_use]
    pub fn is_no_common_revision(&self) -> bool {
        matches!(self.cause(), Cause::NoCommonRevision { .. })
    }

    /// Whether the server broke the protocol.
    #[must_use]
    pub fn is_protocol_violation(&self) -> bool {
        self.kind() == ErrorKind::Protocol
    }

    /// Whether the server asked a question that this client did not declare, so that no handler has seen it.
    #[must_use]
    pub fn is_undeclared_question(&self) -> bool {
        matches!(self.cause(), Cause::Undeclared(_))
    }

    /// Whether the handler for a question of the server refused to answer it.
    #[must_use]
    pub fn is_refused_question(&self) -> bool {
        matches!(self.cause(), Cause::Refused(_))
    }

    /// Whether the server did not declare that it offers this. It was not asked.
    #[must_use]
    pub fn is_not_offered(&self) -> bool {
        matches!(self.cause(), Cause::NotOffered(_))
    }

    /// Whether a limit of this client was reached.
    #[must_use]
    pub fn is_limit(&self) -> bool {
        matches!(self.cause(), Cause::Limit { .. })
    }

    /// Whether the server cancelled the task that the request had become.
    #[must_use]
    pub fn is_task_cancelled(&self) -> bool {
        matches!(self.cause(), Cause::TaskCancelled)
    }

    pub(crate) fn cause(&self) -> &Cause {
        &self.0
    }

    pub(crate) fn into_cause(self) -> Cause {
        *self.0
    }

    pub(crate) fn bad_answer(method: &str, cause: BadAnswer) -> Self {
        Cause::BadAnswer { method: method.to_owned(), cause }.into()
    }

    pub(crate) fn server(method: &str, error: ErrorObject) -> Self {
        Cause::Server { method: method.to_owned(), error: Box::new(error) }.into()
    }

    pub(crate) fn lost(method: &str, reason: Arc<EndReason>) -> Self {
        Cause::Lost { method: method.to_owned(), reason }.into()
    }

    pub(crate) fn timed_out(method: &str, after: Duration) -> Self {
        Cause::TimedOut { method: method.to_owned(), after }.into()
    }

    pub(crate) fn limit(what: &'static str, limit: usize) -> Self {
        Cause::Limit { what, limit }.into()
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        std::error::Error::source(&*self.0)
    }
}

impl From<Cause> for Error {
    fn from(cause: Cause) -> Self {
        Self(Box::new(cause))
    }
}

impl From<NotInRevision> for Error {
    fn from(cause: NotInRevision) -> Self {
        Cause::NotInRevision(cause).into()
    }
}
