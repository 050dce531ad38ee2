//! How a request ends well: with its result, with questions, or with a task.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::envelope::ResultText;
use crate::{InputRequired, ResultBody, Revision, TaskHandle, note_sender};

/// How a request ends well. The tag (`resultType`) cannot disagree with the content.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome<T> {
    /// With its result.
    Complete(T),
    /// With questions: the caller asks again with the answers.
    InputRequired(InputRequired),
    /// With a task (extension `io.modelcontextprotocol/tasks`): the caller looks at it again.
    Task(Box<TaskHandle>),
}

impl<T> Outcome<T> {
    /// Changes the result.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Self::Complete(result) => Outcome::Complete(change(result)),
            Self::InputRequired(questions) => Outcome::InputRequired(questions),
            Self::Task(task) => Outcome::Task(task),
        }
    }
}

impl<T> From<T> for Outcome<T> {
    fn from(result: T) -> Self {
        Self::Complete(result)
    }
}

impl<T: DeserializeOwned> Outcome<T> {
    /// Reads the result of a request that a server of `revision` sent; `T` is the result of the method that was asked.
    ///
    /// An absent `resultType` means complete; revisions that do not tag results are always complete.
    ///
    /// # Errors
    ///
    /// Fails if the result has not the form of its tag, or if the tag is unknown.
    pub fn read(result: &[u8], revision: Revision) -> Result<Self, ReadError> {
        if !revision.tags_results() || result.starts_with(br#"{"resultType":"complete","#) {
            return Ok(Self::Complete(serde_json::from_slice(result)?));
        }
        match serde_json::from_slice::<Tag>(result)?.result_type.as_deref() {
            None | Some("complete") => Ok(Self::Complete(serde_json::from_slice(result)?)),
            Some("input_required") => Ok(Self::InputRequired(serde_json::from_slice(result)?)),
            Some("task") => Ok(Self::Task(serde_json::from_slice(result)?)),
            Some(other) => Err(ReadError::UnknownResultType(other.to_owned())),
        }
    }
}

impl<T: ResultBody + DeserializeOwned> Outcome<T> {
    /// Reads like [`Outcome::read`]; faster, because the members of the result have been found already.
    ///
    /// # Errors
    ///
    /// As [`Outcome::read`].
    pub fn read_text(result: &ResultText, revision: Revision) -> Result<Self, ReadError> {
        if !revision.tags_results() || matches!(result.get("resultType"), Some(br#""complete""#)) {
            let mut complete = T::read_text(result)?;
            if revision < Revision::LATEST {
                note_sender(&mut complete, revision);
            }
            return Ok(Self::Complete(complete));
        }
        Self::read(result, revision)
    }
}

#[derive(Deserialize)]
struct Tag<'a> {
    #[serde(rename = "resultType", borrow)]
    result_type: Option<Cow<'a, str>>,
}

/// Why a result could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// It has not the form that its method and tag ask for.
    Malformed(serde_json::Error),
    /// Its `resultType` is neither of the core nor of a known extension.
    UnknownResultType(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(_) => f.write_str("the result does not have the form that the method asks for"),
            Self::UnknownResultType(name) => write!(f, "the result has the unknown resultType {name:?}"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Malformed(cause) => Some(cause),
            Self::UnknownResultType(_) => None,
        }
    }
}

impl From<serde_json::Error> for ReadError {
    fn from(cause: serde_json::Error) -> Self {
        Self::Malformed(cause)
    }
}
