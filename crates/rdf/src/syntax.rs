//! The ways to write a graph down.

use std::fmt;
use std::str::FromStr;

/// A way to write messages down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Syntax {
    /// The messages as they are on the wire.
    Json,
    /// JSON-LD: the messages with a context. Every form of JSON-LD is read.
    #[cfg_attr(feature = "cli", value(name = "jsonld"))]
    JsonLd,
    /// JSON-LD in expanded form: without context, each name a full IRI.
    Expanded,
    /// Turtle.
    Turtle,
    /// N-Triples.
    #[cfg_attr(feature = "cli", value(name = "ntriples"))]
    NTriples,
    /// N-Quads.
    #[cfg_attr(feature = "cli", value(name = "nquads"))]
    NQuads,
}

impl Syntax {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Json, Self::JsonLd, Self::Expanded, Self::Turtle, Self::NTriples, Self::NQuads];

    /// Returns the name that the command knows it by.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::JsonLd => "jsonld",
            Self::Expanded => "expanded",
            Self::Turtle => "turtle",
            Self::NTriples => "ntriples",
            Self::NQuads => "nquads",
        }
    }
}

impl fmt::Display for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A name that is none of [`Syntax::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown syntax {0:?}; known are json, jsonld, expanded, turtle, ntriples, nquads")]
pub struct UnknownSyntax(pub String);

impl FromStr for Syntax {
    type Err = UnknownSyntax;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|syntax| syntax.as_str() == name).ok_or_else(|| UnknownSyntax(name.to_owned()))
    }
}
