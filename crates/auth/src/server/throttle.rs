//! How often something may be tried.

use std::sync::{Mutex, PoisonError};

use crate::Clock;
use crate::expiring::ExpiringMap;

/// So many times in so many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How many times.
    pub times: u32,
    /// In how many seconds.
    pub seconds: u64,
}

/// Counts attempts by name: an address, a user.
#[derive(Debug)]
pub(super) struct Throttle {
    rate: Rate,
    clock: Clock,
    counts: Mutex<ExpiringMap<String, (u32, u64)>>,
}

/// How many names are counted. When there are more, the oldest are forgotten.
const NAMES: usize = 65_536;

impl Throttle {
    pub(super) fn new(rate: Rate, clock: Clock) -> Self {
        Self { rate, clock, counts: Mutex::new(ExpiringMap::new(NAMES)) }
    }

    /// Counts an attempt; says whether it is within the rate.
    pub(super) fn attempt(&self, name: &str) -> bool {
        let now = self.clock.now();
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, end) = self.count(&counts, name, now);
        counts.put(name.to_owned(), (count.saturating_add(1), end), end, now);
        count < self.rate.times
    }

    /// Whether another attempt is within the rate, without counting one.
    pub(super) fn is_open(&self, name: &str) -> bool {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        self.count(&counts, name, self.clock.now()).0 < self.rate.times
    }

    /// Forgets what was counted, because an attempt was honest.
    pub(super) fn forgive(&self, name: &str) {
        let now = self.clock.now();
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).remove(&name.to_owned(), now);
    }

    fn count(&self, counts: &ExpiringMap<String, (u32, u64)>, name: &str, now: u64) -> (u32, u64) {
        counts.get(&name.to_owned(), now).copied().unwrap_or((0, now.saturating_add(self.rate.seconds)))
    }
}
