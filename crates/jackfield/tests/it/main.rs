//! The macros and the test client, as users of the crate see them.

mod compile;
mod impl_blocks;
mod prompts;
mod questions;
mod resources;
mod results;
mod tools;
