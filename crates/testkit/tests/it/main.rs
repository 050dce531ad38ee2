//! The fixtures themselves, where the conformance suite does not look.

#![expect(clippy::unwrap_used, reason = "a test that can not go on fails")]

#[cfg(feature = "fixtures")]
mod nodes;
#[cfg(feature = "fixtures")]
mod stdio;
