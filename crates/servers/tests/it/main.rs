//! The reference servers, as clients see them.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod everything;
mod everything_contents;
mod everything_gzip;
mod everything_questions;
mod everything_subscriptions;
mod everything_tasks;
