//! Why a call failed, as the model reads it.

use std::{fmt, io};

/// The message of a failed call. It has the wording of the original server where that has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(String);

/// What an operation on a repository gives.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// A failure with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// The name of an object that does not exist.
    pub(super) fn unresolved(name: &str) -> Self {
        Self(format!("Ref '{name}' did not resolve to an object"))
    }

    /// A caller that has gone away: nobody reads this.
    pub(super) fn cancelled() -> Self {
        Self::new("the call was cancelled")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

impl From<gix::Error> for Failure {
    fn from(error: gix::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}
