//! What was sent in a while.

use std::time::Duration;

/// Requests that were answered, and how long that took.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// How many were answered.
    pub requests: u64,
    /// How long it took.
    pub time: Duration,
}

impl Turn {
    /// Returns how many requests were answered in a second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.requests as f64 / self.time.as_secs_f64()
    }
}
