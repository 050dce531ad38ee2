//! Globs as the original understands them, matched in bounded time.
//!
//! A pattern is expanded at its braces ([`braces`]), split at slashes, and each component is parsed ([`parse`]) and compiled to states
//! ([`program`]). Matching a name takes at most states times characters, whatever the pattern is.

mod braces;
mod class;
mod component;
mod parse;
mod pattern;
mod program;
#[cfg(test)]
mod tests;

pub(crate) use pattern::Glob;
