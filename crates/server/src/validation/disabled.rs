//! Without the feature `validation`, handlers' own types are what protects them.

use jackfield_schema::Outline;
use serde_json::Value;

/// Without checks there is no effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Never made.
    Little,
    /// Never made either.
    Much,
}

/// There is none.
#[derive(Debug)]
pub(crate) enum Validator {}

impl Validator {
    #[expect(clippy::unnecessary_wraps, reason = "the same signature as with the feature")]
    pub(crate) fn new(_schema: &Value, _outline: &Outline) -> Result<Option<Self>, String> {
        Ok(None)
    }

    pub(crate) fn has_constraints(&self) -> bool {
        match *self {}
    }

    pub(crate) fn effort(&self, _length: usize) -> Effort {
        match *self {}
    }

    pub(crate) fn tells_all(&self, _length: usize) -> bool {
        match *self {}
    }

    pub(crate) fn check(&self, _json: &[u8]) -> Result<(), String> {
        match *self {}
    }
}
