//! Tools that the original does not have.

mod change;
mod content;
mod definitions;
mod ignored;
mod lines;
mod outline;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod tools;

pub(super) use tools::tools;
