//! Who sent a request.

use std::sync::Arc;

use jackfield_protocol::{ClientCapabilities, Implementation, LoggingLevel, Revision};

/// Who sent a request, and what that side can do.
///
/// In the modern era each request says so itself; in the legacy era the session remembers what `initialize` said. From here
/// on no code needs to know which of the two it was.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Caller {
    /// The revision that the request is written in, and the answer has to be.
    pub revision: Revision,
    /// What the client can do.
    pub capabilities: ClientCapabilities,
    /// What the client calls itself. For display and logs only: it is not verified.
    pub client_info: Option<Implementation>,
    /// The least level of log messages that this request wants, in the modern era.
    pub log_level: Option<LoggingLevel>,
    /// The authenticated user, on transports that have one.
    pub principal: Option<Principal>,
    /// The scopes that the credentials of this request carry; `None` where nothing limits the caller.
    pub scopes: Option<Arc<[String]>>,
}

impl Caller {
    /// Describes a caller of whom only the revision and the capabilities are known.
    #[must_use]
    pub fn new(revision: Revision, capabilities: ClientCapabilities) -> Self {
        Self { revision, capabilities, client_info: None, log_level: None, principal: None, scopes: None }
    }
}

/// An authenticated user: who vouches for it, its name there, and the program it came through. What belongs to a user who came
/// through one program is not shown to another, which the user may trust less.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Principal {
    /// Who issued the credentials.
    pub issuer: String,
    /// The user's name at the issuer.
    pub subject: String,
    /// The program, by the name it has at the issuer; none where credentials do not say.
    pub client: Option<String>,
}

impl Principal {
    /// Names a user of an issuer.
    pub fn new(issuer: impl Into<String>, subject: impl Into<String>) -> Self {
        Self { issuer: issuer.into(), subject: subject.into(), client: None }
    }

    /// The same user, through a program.
    #[must_use]
    pub fn through(self, client: impl Into<String>) -> Self {
        Self { client: Some(client.into()), ..self }
    }
}
