//! What can go wrong.

use crate::Syntax;

/// Why something could not be converted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not JSON.
    #[error("not JSON")]
    NotJson(#[source] serde_json::Error),
    /// The JSON is not an object, and so not a message.
    #[error("a message is a JSON object")]
    NotAnObject,
    /// The text does not follow its syntax.
    #[error("not {syntax}")]
    Malformed {
        /// The syntax.
        syntax: Syntax,
        /// What the parser says.
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The graph has a node that is part of itself, or is nested deeper than a message can be.
    #[error("the graph is not a tree, or is nested too deep")]
    NotATree,
    /// Every node of the graph is a part of another one.
    #[error("the graph has no node to begin with")]
    NoRoot,
    /// A list of the graph has no end, or two.
    #[error("the graph has a broken list")]
    BrokenList,
    /// Statements of one message stand apart in a long stream.
    #[error("line {line} belongs to a message that stands earlier")]
    Unordered {
        /// The line, from 1.
        line: u64,
    },
    /// A literal does not have the form that its datatype asks for.
    #[error("{0:?} is not a value of its datatype")]
    BadLiteral(String),
    /// The base of a catalogue is not an IRI.
    #[error("{0:?} is not an absolute IRI")]
    BadIri(String),
    /// Shapes use more of SHACL than is known here.
    #[error("shapes with {0} are not supported")]
    UnknownShape(String),
    /// A tape cannot be read.
    #[error("not a tape that can be read")]
    Tape(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A message is longer than allowed.
    #[error("longer than {limit} bytes")]
    TooLong {
        /// The most bytes of a message.
        limit: usize,
    },
    /// A strict conversion met bad input.
    #[error("line {line} cannot be converted")]
    Strict {
        /// The line where the bad input begins, from 1.
        line: u64,
        /// What is wrong with it.
        #[source]
        cause: Box<Error>,
    },
    /// Reading or writing failed.
    #[error("cannot read or write")]
    Io(#[from] std::io::Error),
}

impl Error {
    pub(crate) fn malformed(syntax: Syntax, cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Malformed { syntax, cause: Box::new(cause) }
    }
}
