//! How often something may be tried.

use std::sync::Arc;

use crate::Clock;
use crate::store::{self, AuthStore, StoreError, TRIES};

/// So many times in so many seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How many times.
    pub times: u32,
    /// In how many seconds.
    pub seconds: u64,
}

/// Counts attempts by name: an address, a user. All servers that share a store count together.
#[derive(Debug)]
pub(in crate::server) struct Throttle {
    /// What is tried.
    what: &'static str,
    rate: Rate,
    clock: Clock,
    store: Arc<dyn AuthStore>,
}

/// How often a count is written that others were faster with. More at once are too many.
const WRITES: usize = 32;

/// How often it was tried, and when the count ends.
type Count = (u32, u64);

impl Throttle {
    pub(in crate::server) fn new(what: &'static str, rate: Rate, clock: Clock, store: Arc<dyn AuthStore>) -> Self {
        Self { what, rate, clock, store }
    }

    /// Counts an attempt; says whether it is within the rate.
    pub(in crate::server) async fn attempt(&self, name: &str) -> Result<bool, StoreError> {
        let key = self.key(name);
        for _ in 0..WRITES {
            let before = self.store.get(&key).await?;
            let (count, end) = self.count(before.clone())?;
            if count >= self.rate.times {
                return Ok(false);
            }
            let after = store::encode(&(count.saturating_add(1), end))?;
            let is_counted = match before {
                None => self.store.add(&key, after, end).await?,
                Some(before) => self.store.replace(&key, &before, after, end).await?,
            };
            if is_counted {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether another attempt is within the rate, without counting one.
    pub(in crate::server) async fn is_open(&self, name: &str) -> Result<bool, StoreError> {
        let (count, _) = self.count(self.store.get(&self.key(name)).await?)?;
        Ok(count < self.rate.times)
    }

    /// Forgets what was counted, because an attempt was honest.
    pub(in crate::server) async fn forgive(&self, name: &str) -> Result<(), StoreError> {
        self.store.take(&self.key(name)).await.map(drop)
    }

    fn key(&self, name: &str) -> String {
        format!("{TRIES}{}:{name}", self.what)
    }

    fn count(&self, kept: Option<Vec<u8>>) -> Result<Count, StoreError> {
        let now = self.clock.now();
        let kept: Option<Count> = store::decode(kept)?;
        Ok(kept.filter(|(_, end)| *end > now).unwrap_or((0, now.saturating_add(self.rate.seconds))))
    }
}
