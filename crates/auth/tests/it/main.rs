//! Authorization, seen from outside.

#![expect(clippy::unwrap_used, reason = "a test that can not go on fails")]

mod codes;
mod consents;
mod floods;
mod grants;
mod guarded;
mod interaction;
mod keys;
mod proofs;
mod secrets;
mod third_party;
mod users;
mod visitor;
mod wrong_tokens;
