//! Why a caller gets no result, in the terms of its request.

use std::error::Error as _;

use jackfield_client::Error;
use jackfield_protocol::error::code;
use jackfield_protocol::{CallToolResult, ErrorObject, Revision};

/// Why there is no result.
#[derive(Debug)]
pub(crate) enum ForwardError {
    /// The server cannot be asked; says so in clear words.
    Unavailable(String),
    /// The gateway itself refuses.
    Refused(ErrorObject),
    /// The server was asked.
    Failed {
        /// What it is called.
        server: String,
        /// What came of it.
        error: Error,
    },
}

impl ForwardError {
    /// What the caller of a tool gets. Only an error of the server itself, or of the request, is one of the protocol; that a server is not
    /// there is something the model can read, and perhaps do something about.
    pub(crate) fn of_tool(self) -> Result<CallToolResult, ErrorObject> {
        match self {
            Self::Refused(error) => Err(error),
            Self::Unavailable(words) => Ok(CallToolResult::failure(words)),
            Self::Failed { server, error } => match error.into_server_error() {
                Ok(error) => Err(error),
                Err(error) => Ok(CallToolResult::failure(failure(&server, &error))),
            },
        }
    }

    /// What everyone else gets.
    pub(crate) fn into_error_object(self) -> ErrorObject {
        match self {
            Self::Refused(error) => error,
            Self::Unavailable(words) => ErrorObject::new(code::UNAVAILABLE, words),
            Self::Failed { server, error } => error.into_server_error().unwrap_or_else(|error| {
                let code =
                    if error.is_closed() || error.is_timeout() { code::UNAVAILABLE } else { code::INTERNAL_ERROR };
                ErrorObject::new(code, failure(&server, &error))
            }),
        }
    }

    /// What the reader of a resource gets: revisions have different codes for what is not there, and the URI is another out here.
    pub(crate) fn of_resource(self, spoken: Option<Revision>, caller: Revision, uri: &str) -> ErrorObject {
        let error = self.into_error_object();
        let says_so = |revision: Revision| {
            // The code of newer revisions means other things too, so there the details have to name a resource.
            revision.resource_not_found_code() == error.code
                && (error.code == code::RESOURCE_NOT_FOUND
                    || error.data.as_ref().is_some_and(|data| data.get("uri").is_some()))
        };
        if spoken.is_some_and(says_so) { ErrorObject::resource_not_found(caller, uri) } else { error }
    }
}

fn failure(server: &str, error: &Error) -> String {
    format!("the server {server} could not do it: {}", words(error))
}

/// An error with all its causes.
pub(crate) fn words(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(next) = cause {
        text.push_str(": ");
        text.push_str(&next.to_string());
        cause = next.source();
    }
    text
}
