//! The reference servers, seen by clients in memory.

#![expect(clippy::unwrap_used, reason = "a test that can not go on fails")]

mod everything;
