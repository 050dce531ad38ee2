//! Counting what happens.

use std::time::Duration;

use tokio::time::Instant;

use crate::Rate;
use crate::sync::{AtomicI64, Mutex, Ordering};

/// Counts what happens against a [`Rate`]. While there is room the clock is not read.
#[derive(Debug)]
pub struct TokenBucket {
    rate: Rate,
    /// Changed by exchanges and additions only, which have one order, so that no change undoes another.
    left: AtomicI64,
    filled: Mutex<Instant>,
}

impl TokenBucket {
    /// Makes a bucket that is full.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self::new_at(rate, Instant::now())
    }

    pub(crate) fn new_at(rate: Rate, now: Instant) -> Self {
        Self { rate, left: AtomicI64::new(rate.burst.into()), filled: Mutex::new(now) }
    }

    /// Counts one.
    ///
    /// # Errors
    /// It is too much; says how long to wait.
    pub fn take(&self) -> Result<(), Duration> {
        self.take_at(Instant::now)
    }

    pub(crate) fn take_at(&self, now: impl FnOnce() -> Instant) -> Result<(), Duration> {
        if self.take_one() { Ok(()) } else { self.fill(now) }
    }

    fn take_one(&self) -> bool {
        self.left.fetch_sub(1, Ordering::Relaxed) > 0
    }

    /// Adds what the time since the last filling allows, and counts one of it.
    fn fill(&self, now: impl FnOnce() -> Instant) -> Result<(), Duration> {
        let mut filled = self.filled.lock();
        // Somebody else may have filled it meanwhile. Only who has the lock fills, so that from here on nobody takes what there is not.
        if self.take_one() {
            return Ok(());
        }
        let Some(each) = self.rate.per.checked_div(self.rate.burst) else { return Err(self.rate.per) };
        let each = each.max(Duration::from_nanos(1));
        let now = now();
        let elapsed = now.saturating_duration_since(*filled);
        let earned = elapsed.as_nanos().checked_div(each.as_nanos()).unwrap_or_default();
        let earned = i64::try_from(earned).unwrap_or(i64::MAX);
        if earned < 1 {
            // What others took in vain must not add up.
            self.left.swap(0, Ordering::Relaxed);
            return Err(each.saturating_sub(elapsed));
        }
        let most = i64::from(self.rate.burst);
        // A part of one is kept for the next time, unless the bucket is full.
        let unused = if earned < most { remainder(elapsed, each) } else { Duration::ZERO };
        *filled = now.checked_sub(unused).unwrap_or(now);
        self.left.swap(earned.min(most).saturating_sub(1), Ordering::Relaxed);
        Ok(())
    }
}

fn remainder(elapsed: Duration, each: Duration) -> Duration {
    let nanos = elapsed.as_nanos().checked_rem(each.as_nanos()).unwrap_or_default();
    Duration::from_nanos(u64::try_from(nanos).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(bucket: &TokenBucket) -> usize {
        (0..100).take_while(|_| bucket.take().is_ok()).count()
    }

    #[tokio::test(start_paused = true)]
    async fn a_bucket_fills_with_time() {
        let bucket = TokenBucket::new(Rate::new(4, Duration::from_secs(4)));
        assert_eq!(taken(&bucket), 4);
        assert_eq!(bucket.take(), Err(Duration::from_secs(1)));
        tokio::time::advance(Duration::from_millis(1750)).await;
        assert_eq!(taken(&bucket), 1);
        assert_eq!(bucket.take(), Err(Duration::from_millis(250)), "what was not enough for one is not lost");
        tokio::time::advance(Duration::from_millis(250)).await;
        assert_eq!(taken(&bucket), 1);
        tokio::time::advance(Duration::from_secs(3600)).await;
        assert_eq!(taken(&bucket), 4, "no more than at once");
    }

    #[tokio::test(start_paused = true)]
    async fn an_empty_rate_allows_nothing() {
        let bucket = TokenBucket::new(Rate::new(0, Duration::from_secs(9)));
        tokio::time::advance(Duration::from_secs(3600)).await;
        assert_eq!(bucket.take(), Err(Duration::from_secs(9)));
    }
}
