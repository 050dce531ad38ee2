//! Why a request has no answer.

use std::error::Error as StdError;
use std::{fmt, io};

use super::NotAuthorized;

/// Why a request has no answer, or the answer could not be read. It holds nothing that was sent or received.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The address cannot be used.
    Address,
    /// No connection could be opened, so nothing was sent.
    Connect,
    /// The connection broke.
    Broken,
    /// The body or an event is longer than allowed.
    TooLong,
    /// The authorizer failed.
    Authorization,
}

impl Error {
    pub(super) fn new(kind: Kind, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { kind, source: Some(source.into()) }
    }

    pub(super) fn too_long() -> Self {
        Self { kind: Kind::TooLong, source: None }
    }

    pub(super) fn from_client(error: hyper_util::client::legacy::Error) -> Self {
        let kind = if error.is_connect() { Kind::Connect } else { Kind::Broken };
        Self::new(kind, error)
    }

    /// Whether no connection could be opened. The request was not sent.
    #[must_use]
    pub fn is_connect(&self) -> bool {
        matches!(self.kind, Kind::Connect | Kind::Address)
    }

    /// Whether the answer is longer than allowed.
    #[must_use]
    pub fn is_too_long(&self) -> bool {
        self.kind == Kind::TooLong
    }

    /// Returns why the authorizer failed, if it did.
    #[must_use]
    pub fn not_authorized(&self) -> Option<&NotAuthorized> {
        self.source.as_deref()?.downcast_ref()
    }

    /// The same as an error of the operating system, whose text says the last cause.
    #[must_use]
    pub fn into_io(self) -> io::Error {
        let kind = self.io_kind();
        io::Error::new(kind, self)
    }

    fn io_kind(&self) -> io::ErrorKind {
        let mut cause = self.source();
        while let Some(error) = cause {
            if let Some(error) = error.downcast_ref::<io::Error>() {
                return error.kind();
            }
            cause = error.source();
        }
        io::ErrorKind::Other
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            Kind::Address => "the address cannot be used",
            Kind::Connect => "no connection could be opened",
            Kind::Broken => "the connection broke",
            Kind::TooLong => "the answer is longer than allowed",
            Kind::Authorization => "the request could not be authorized",
        })
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
