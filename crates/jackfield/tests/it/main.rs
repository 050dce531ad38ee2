//! The macros and the test client, as users of the crate see them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[cfg(all(feature = "auth", feature = "client"))]
mod auth_client;
#[cfg(feature = "auth")]
mod auth_flow;
#[cfg(feature = "auth")]
mod auth_owners;
#[cfg(all(feature = "auth", feature = "client"))]
mod auth_programs;
#[cfg(feature = "auth")]
mod auth_scopes;
mod closures;
mod extensions;
mod extractors;
#[cfg(feature = "auth")]
mod guarded;
mod impl_blocks;
mod macro_forms;
mod prompts;
mod questions;
mod quickstart;
mod resources;
mod results;
mod telling;
mod tools;
