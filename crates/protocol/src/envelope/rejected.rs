//! What is wrong with a message that can not be served.

use super::RawId;
use super::lexer::Fault;
use super::members::Span;
use crate::ErrorObject;

/// A message that can not be served, and what to answer.
#[derive(Clone, Debug)]
pub struct Rejected {
    /// The id of the request, if it could be read.
    pub id: Option<RawId>,
    /// The error to answer with.
    pub error: ErrorObject,
}

impl Rejected {
    pub(super) fn new(error: ErrorObject) -> Self {
        Self { id: None, error }
    }

    pub(super) fn for_id(id: Option<RawId>, error: ErrorObject) -> Self {
        Self { id, error }
    }

    pub(super) fn not_utf8() -> Self {
        Self::new(ErrorObject::parse_error("not JSON: the text is not UTF-8"))
    }

    pub(super) fn duplicate(name: Span, text: &[u8], id: Option<RawId>) -> Self {
        let name: String = String::from_utf8_lossy(name.of(text)).chars().take(60).collect();
        Self { id, error: ErrorObject::invalid_request(format!("member \"{name}\" stands twice")) }
    }

    pub(super) fn from_fault(fault: Fault, id: Option<RawId>) -> Self {
        let error = match fault {
            Fault::Unexpected(at) => ErrorObject::parse_error(format!("not JSON: unexpected input at byte {at}")),
            Fault::Ended => ErrorObject::parse_error("not JSON: the text ends too early"),
            Fault::TooDeep => {
                ErrorObject::parse_error(format!("JSON is nested deeper than {} levels", super::lexer::MAX_DEPTH))
            }
        };
        Self { id, error }
    }
}
