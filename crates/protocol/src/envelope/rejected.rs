//! What is wrong with a message that cannot be served.

use super::lexer::Fault;
use super::members::Span;
use super::{RawId, RawResponse, ResponseError};
use crate::{ErrorObject, RequestId};

/// A message that cannot be served, and what to answer.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// What it is about, as far as that can be seen.
    pub about: About,
    /// The error to answer with.
    pub error: ErrorObject,
}

/// What a message that cannot be served is about. Both sides count their requests, so that the id alone does not say whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum About {
    /// It asks: it has a method, so that the id is one of the sender.
    Request(RawId),
    /// It answers: it has a result or an error, so that the id is one of ours.
    Answer(RequestId),
    /// It has an id, but it does neither, or both.
    Either(RawId),
    /// It has no id that can be read.
    Unknown,
}

impl About {
    /// Returns the id to answer under, for one who is asked.
    #[must_use]
    pub fn asked(&self) -> Option<&RawId> {
        match self {
            Self::Request(id) | Self::Either(id) => Some(id),
            Self::Answer(_) | Self::Unknown => None,
        }
    }

    /// Returns the id of the request that it seems to answer, for one who asked and is not asked anything under that id.
    #[must_use]
    pub fn answered(&self) -> Option<RequestId> {
        match self {
            Self::Answer(id) => Some(id.clone()),
            Self::Either(id) => id.decode(),
            Self::Request(_) | Self::Unknown => None,
        }
    }
}

impl Rejected {
    /// Turns what was meant to be an answer into one, so that whoever waits for it is told that it cannot be read.
    ///
    /// # Errors
    /// It is no answer.
    pub fn into_answer(self) -> Result<RawResponse, Self> {
        match self.about {
            About::Answer(id) => {
                let error = format!("the peer's answer cannot be read: {}", self.error.message);
                Ok(RawResponse { id: Some(id), outcome: Err(ResponseError::Malformed(error.into())) })
            }
            about => Err(Self { about, error: self.error }),
        }
    }

    pub(super) fn new(error: ErrorObject) -> Self {
        Self { about: About::Unknown, error }
    }

    pub(super) fn not_utf8() -> Self {
        Self::new(ErrorObject::parse_error("not JSON: the text is not UTF-8"))
    }

    pub(super) fn duplicate(name: Span, text: &[u8], about: About) -> Self {
        let name: String = String::from_utf8_lossy(name.of(text)).chars().take(60).collect();
        Self { about, error: ErrorObject::invalid_request(format!("member \"{name}\" stands twice")) }
    }

    pub(super) fn from_fault(fault: Fault, about: About) -> Self {
        let error = match fault {
            Fault::Unexpected(at) => ErrorObject::parse_error(format!("not JSON: unexpected input at byte {at}")),
            Fault::Ended => ErrorObject::parse_error("not JSON: the text ends too early"),
            Fault::TooDeep => {
                ErrorObject::parse_error(format!("JSON is nested deeper than {} levels", super::lexer::MAX_DEPTH))
            }
        };
        Self { about, error }
    }
}
