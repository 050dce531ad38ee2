//! Authorization, seen from outside.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod algorithms;
mod callback;
mod codes;
mod consents;
mod credentials;
mod crossing;
mod discovering;
mod fetching;
mod floods;
mod grants;
mod guarded;
mod interaction;
mod keyrings;
mod keys;
mod logging_in;
mod proofs;
mod renewing;
#[cfg(feature = "store")]
mod restarts;
mod scoping;
mod secrets;
mod site;
mod storing;
mod third_party;
#[cfg(feature = "store")]
mod together;
mod town;
mod users;
mod visitor;
mod wrong_tokens;
