//! Writing messages, one file per syntax.

mod expanded;
mod jsonld;
mod lines;
mod turtle;

pub(crate) use expanded::expanded;
pub(crate) use jsonld::marked;
pub(crate) use lines::Lines;
#[cfg(feature = "tape")]
pub(crate) use lines::escape;
pub(crate) use turtle::turtle;
