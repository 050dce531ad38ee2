//! How much a store in memory keeps.

use std::sync::Arc;

use crate::{Clock, StoreError, Timestamp};

/// How much a store in memory keeps, and how it tells the time.
pub(crate) struct Bounds {
    pub(crate) clock: Clock,
    pub(crate) items: usize,
    pub(crate) bytes: usize,
}

impl Bounds {
    pub(crate) fn new(items: usize, bytes: usize) -> Self {
        Self { clock: Arc::new(Timestamp::now), items, bytes }
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Lets one more in, if there are not too many already.
    pub(crate) fn admit(&self, count: usize, what: &'static str) -> Result<(), StoreError> {
        if count < self.items { Ok(()) } else { Err(StoreError::Full(what)) }
    }

    /// Lets a change in that makes so many bytes of so many. One that needs no more than before is always let in.
    pub(crate) fn admit_bytes(&self, before: usize, after: usize, what: &'static str) -> Result<(), StoreError> {
        if after <= self.bytes || after <= before { Ok(()) } else { Err(StoreError::Full(what)) }
    }
}

/// Gives a store in memory the methods that set its bounds.
macro_rules! bounded {
    ($store:ident, $items:literal, $bytes:literal) => {
        impl $store {
            #[doc = concat!("Sets the most ", $items, " that are kept.")]
            #[must_use]
            pub fn with_limit(mut self, count: usize) -> Self {
                self.bounds.items = count;
                self
            }

            #[doc = concat!("Sets the most bytes of ", $bytes, " that are kept.")]
            #[must_use]
            pub fn with_byte_limit(mut self, bytes: usize) -> Self {
                self.bounds.bytes = bytes;
                self
            }

            /// Tells the time in another way.
            #[must_use]
            pub fn with_clock(mut self, clock: $crate::Clock) -> Self {
                self.bounds.clock = clock;
                self
            }
        }

        impl Default for $store {
            fn default() -> Self {
                Self::new()
            }
        }
    };
}

pub(crate) use bounded;
