//! What a bus can do.

use std::fmt;

use bytes::Bytes;

use super::Subscription;
use crate::{Boxed, StoreError};

/// Carries notices between all who share it, in this process and in others.
///
/// A notice says that something has changed, and where to look; it is not the change. It reaches everyone who subscribed to its topic
/// before it was published, in the order in which one publisher sent it, or they learn that something was missed. Nothing is kept for
/// those who come later.
pub trait Bus: fmt::Debug + Send + Sync + 'static {
    /// Publishes a notice. When it returns, the notice is on its way; it may have reached nobody.
    ///
    /// # Errors
    /// The bus is not available.
    fn publish<'a>(&'a self, topic: &'a str, notice: Bytes) -> Boxed<'a, Result<(), StoreError>>;

    /// Subscribes to topics, until the subscription is dropped. Every notice that is published after this returns is heard, or told as
    /// [`Notice::Missed`](super::Notice::Missed).
    ///
    /// # Errors
    /// The bus is not available now. Once subscribed, a lost connection is found again without help.
    fn subscribe<'a>(&'a self, topics: &'a [&'a str]) -> Boxed<'a, Result<Subscription, StoreError>>;
}
