//! What can go wrong with a request, seen from the one who sent it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use jackfield_protocol::error::code;
use jackfield_protocol::{ElicitUrlParams, ErrorObject, Method, NotInRevision, ReadError, Revision};

use jackfield_store::StoreError;

use crate::Ended;

/// Why a request has no result.
///
/// Only [`Error::Server`] comes from the server, and only it answers [`Error::server_error`]; a timeout, a closed connection or a
/// refusal of this client cannot be mistaken for it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server answered with an error.
    #[error("the server answered {method} with an error")]
    Server {
        /// The method that was asked.
        method: String,
        /// The server's error.
        #[source]
        error: Box<ErrorObject>,
    },
    /// The server did not answer in time. The request has been cancelled.
    #[error("the server did not answer {method} within {after:?}")]
    TimedOut {
        /// The method that was asked.
        method: String,
        /// How long the client waited, since the start or since the last sign of progress.
        after: Duration,
    },
    /// The connection ended before the answer. The server may or may not have done what was asked.
    #[error("the connection ended before the server answered {method}")]
    Lost {
        /// The method that was asked.
        method: String,
        /// Why it ended.
        #[source]
        cause: Arc<Ended>,
    },
    /// There is no connection any more.
    #[error("the client is closed")]
    Closed(#[source] Arc<Ended>),
    /// The connection could not be opened, or the server could not be started.
    #[error("the server cannot be reached")]
    Connect(#[source] io::Error),
    /// The two sides have no revision in common that is allowed here.
    #[error("the server speaks {offered:?}, which is none of the revisions allowed here: {allowed:?}")]
    NoCommonRevision {
        /// What the server offers, as far as it says so.
        offered: Vec<String>,
        /// What this client would accept.
        allowed: Vec<Revision>,
    },
    /// The answer cannot be read: it is not what the method promises.
    #[error("the answer to {method} is not what the method promises")]
    BadAnswer {
        /// The method that was asked.
        method: String,
        /// What is wrong with it.
        #[source]
        cause: BadAnswer,
    },
    /// The server did not say that it offers this.
    #[error("the server does not offer {0}")]
    NotOffered(&'static str),
    /// The revision in use has no words for it.
    #[error("the revision in use cannot express it")]
    NotInRevision(#[source] NotInRevision),
    /// What was given to the client cannot be sent.
    #[error("the arguments cannot be sent")]
    Arguments(#[source] serde_json::Error),
    /// The store that keeps the ids of tasks is not available.
    #[error("the store for the ids of tasks cannot be used")]
    Store(#[source] StoreError),
    /// The server broke the protocol: it asked for something that this client never said it can answer. The user of the client can do
    /// nothing about it but to build it with a handler for that.
    #[error("the server asked for {0}, which this client did not declare")]
    Undeclared(&'static str),
    /// The user of the client asked for something that it was built without. No server has heard of it.
    #[error("this client was built without {0}")]
    BuiltWithout(&'static str),
    /// A question of the server was refused by the handler for it.
    #[error("a question of the server was refused")]
    Refused(#[source] Box<ErrorObject>),
    /// A limit of this client was reached.
    #[error("{what} is more than the limit of {limit}")]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How much is allowed.
        limit: usize,
    },
    /// A list has the same cursor twice, so it would never end.
    #[error("the server gave the same cursor twice for {0}")]
    RepeatedCursor(&'static str),
    /// The server ended the task before it had a result.
    #[error("the server cancelled the task")]
    TaskCancelled,
    /// The tool failed and gave no structured output.
    #[error("the tool failed: {0}")]
    ToolFailed(String),
    /// The tool's output is not what was asked for.
    #[error("the tool's output does not fit")]
    Output(#[source] BadOutput),
    /// A skill is not what the server listed.
    #[cfg(feature = "skills")]
    #[error("the skill cannot be used")]
    Skill(#[source] crate::skills::BadSkill),
    /// The address is not an `http` or `https` URL, or has a user name or password in it.
    #[error("{0:?} is not a plain http or https URL")]
    BadUrl(String),
    /// A header has a name or value that HTTP does not allow, or one that the protocol sets itself.
    #[error("the header {0:?} cannot be sent")]
    BadHeader(String),
    /// A root is not a `file://` URI without `.` and `..` in its path.
    #[error("{0:?} is not a file:// URI of a folder or file")]
    BadRoot(String),
}

/// What is wrong with an answer.
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

/// What is wrong with a tool's output.
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
    /// Returns the error that the server answered with, if it did.
    #[must_use]
    pub fn server_error(&self) -> Option<&ErrorObject> {
        match self {
            Self::Server { error, .. } => Some(error),
            _ => None,
        }
    }

    /// Returns the pages that a person has to be at before the request can be served, if the server says so: the error -32042 of
    /// 2025-11-25. With a handler for pages the client asks the person and sends the request again by itself.
    #[must_use]
    pub fn required_pages(&self) -> Option<Vec<ElicitUrlParams>> {
        self.server_error()?.required_pages()
    }

    /// Returns the HTTP status that the server refused the request with, if it said no more than that.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::BadAnswer { cause: BadAnswer::Status(status), .. } => Some(*status),
            _ => None,
        }
    }

    /// Whether the server says that there is no such resource. Until 2025-11-25 that is -32002, which later servers may still say;
    /// since then it is -32602 with the URI. The other codes from -32019 to -32000 are given back as they are: they mean nothing.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        let Self::Server { method, error } = self else { return false };
        let names_uri = || error.data.as_ref().is_some_and(|data| data.get("uri").is_some());
        error.code == code::RESOURCE_NOT_FOUND
            || (error.code == code::INVALID_PARAMS && method == Method::ReadResource.name() && names_uri())
    }

    /// Whether the server did not answer in time.
    #[must_use]
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::TimedOut { .. })
    }

    /// Whether the connection ended, before or during the request.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self, Self::Closed(_) | Self::Lost { .. } | Self::Connect(_))
    }

    /// Whether the server broke the protocol.
    #[must_use]
    pub fn is_protocol_violation(&self) -> bool {
        matches!(self, Self::BadAnswer { .. } | Self::RepeatedCursor(_) | Self::Undeclared(_))
    }

    pub(crate) fn bad_answer(method: &str, cause: BadAnswer) -> Self {
        Self::BadAnswer { method: method.to_owned(), cause }
    }

    pub(crate) fn server(method: &str, error: ErrorObject) -> Self {
        Self::Server { method: method.to_owned(), error: Box::new(error) }
    }
}

impl From<NotInRevision> for Error {
    fn from(cause: NotInRevision) -> Self {
        Self::NotInRevision(cause)
    }
}
