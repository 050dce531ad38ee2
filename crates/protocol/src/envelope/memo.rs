//! What is remembered of earlier messages.

use super::meta_memo::MetaMemo;
use super::outline::Outline;

/// What is remembered of earlier messages of one peer.
///
/// A peer writes one message like the other, and says the same about itself with each. What has been understood once need not be
/// worked out again where the text is the same to the letter. Nothing else is inferred from one message for another.
#[derive(Debug, Default)]
pub struct Memo {
    pub(super) meta: MetaMemo,
    pub(super) outline: Outline,
}
