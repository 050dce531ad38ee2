//! A bus within this process.

use std::sync::Arc;

use bytes::Bytes;

use super::{Bus, Hub, Subscription};
use crate::{Boxed, StoreError};

/// Carries notices within this process.
#[derive(Clone, Debug)]
pub struct MemoryBus(Arc<Hub>);

impl MemoryBus {
    /// Makes a bus that nobody listens to yet. Clones of it are the same bus.
    #[must_use]
    pub fn new() -> Self {
        Self(Hub::new())
    }
}

impl Default for MemoryBus {
    fn default() -> Self {
        Self::new()
    }
}

impl Bus for MemoryBus {
    fn publish<'a>(&'a self, topic: &'a str, notice: Bytes) -> Boxed<'a, Result<(), StoreError>> {
        self.0.tell(topic, &notice);
        Box::pin(std::future::ready(Ok(())))
    }

    fn subscribe<'a>(&'a self, topics: &'a [&'a str]) -> Boxed<'a, Result<Subscription, StoreError>> {
        Box::pin(std::future::ready(Ok(self.0.join(topics))))
    }
}
