//! The reference servers, as clients see them. `--all-features` tests all of them.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

#[cfg(feature = "everything")]
mod everything;
#[cfg(feature = "everything")]
mod everything_contents;
#[cfg(feature = "everything")]
mod everything_gzip;
#[cfg(feature = "everything")]
mod everything_listing;
#[cfg(feature = "everything")]
mod everything_questions;
#[cfg(feature = "everything")]
mod everything_subscriptions;
#[cfg(feature = "everything")]
mod everything_tasks;
#[cfg(feature = "fetch")]
mod fetch;
#[cfg(all(feature = "filesystem", unix))]
mod filesystem;
#[cfg(any(feature = "memory", feature = "sqlite"))]
mod folder;
#[cfg(feature = "git")]
mod git;
#[cfg(feature = "memory")]
mod memory;
#[cfg(feature = "sequentialthinking")]
mod sequentialthinking;
mod soak;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "time")]
mod time;
