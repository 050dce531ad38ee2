//! How often something may happen.

use std::time::Duration;

/// How often something may happen: so many times at once, and as many again within a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rate {
    /// How many times at once.
    pub burst: u32,
    /// How long it takes until as many may happen again; each becomes possible after its part of the time.
    pub per: Duration,
}

impl Rate {
    /// Allows `burst` times at once, and as many again within `per`.
    #[must_use]
    pub const fn new(burst: u32, per: Duration) -> Self {
        Self { burst, per }
    }
}
