//! Reference servers, each a module that makes a `Server` value, and each behind a feature of its name.
//!
//! They are drop-in replacements: tools, arguments, results and error texts are those of the official servers of the same name.

#[cfg(feature = "everything")]
pub mod everything;
#[cfg(feature = "fetch")]
pub mod fetch;
#[cfg(feature = "filesystem")]
pub mod filesystem;
#[cfg(feature = "git")]
pub mod git;
#[cfg(feature = "memory")]
pub mod memory;
#[cfg(feature = "sequentialthinking")]
pub mod sequentialthinking;
#[cfg(feature = "sqlite")]
pub mod sqlite;
#[cfg(feature = "time")]
pub mod time;

#[cfg(feature = "_server")]
mod handshake;
#[cfg(feature = "_python")]
mod python;
#[cfg(any(
    feature = "_python",
    feature = "everything",
    feature = "filesystem",
    feature = "memory",
    feature = "sqlite"
))]
mod shape;
#[cfg(any(feature = "memory", feature = "sequentialthinking", feature = "sqlite", feature = "time"))]
mod tool;
#[cfg(feature = "_typescript")]
mod typescript;
#[cfg(any(feature = "fetch", feature = "sqlite"))]
mod untrusted;
