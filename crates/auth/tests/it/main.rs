//! Authorization, seen from outside.

#![expect(clippy::unwrap_used, reason = "a test that can not go on fails")]

mod codes;
mod grants;
mod guarded;
mod interaction;
mod keys;
mod proofs;
#[cfg(feature = "store")]
mod restarts;
mod third_party;
mod users;
mod visitor;
mod wrong_tokens;
