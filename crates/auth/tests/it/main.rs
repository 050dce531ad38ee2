//! Authorization, seen from outside.

#![expect(clippy::unwrap_used, reason = "a test that can not go on fails")]

mod codes;
mod guarded;
mod keys;
mod proofs;
mod visitor;
mod wrong_tokens;
