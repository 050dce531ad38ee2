//! Every example is started as a process and used over its standard streams, by clients of every revision.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod examples;
mod process;
mod stdio;
