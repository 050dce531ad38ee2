//! How often something may happen.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

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

/// Counts what happens against a [`Rate`]. While there is room the clock is not read.
#[derive(Debug)]
pub struct Bucket {
    rate: Rate,
    left: AtomicI64,
    filled: Mutex<Instant>,
}

impl Bucket {
    /// Makes a bucket that is full.
    #[must_use]
    pub fn new(rate: Rate) -> Self {
        Self { rate, left: AtomicI64::new(rate.burst.into()), filled: Mutex::new(Instant::now()) }
    }

    /// Counts one.
    ///
    /// # Errors
    /// It is too much; says how long to wait.
    pub fn take(&self) -> Result<(), Duration> {
        if self.left.fetch_sub(1, Ordering::Relaxed) > 0 { Ok(()) } else { self.fill() }
    }

    /// Adds what the time since the last filling allows, and counts one of it.
    fn fill(&self) -> Result<(), Duration> {
        let mut filled = self.filled.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(each) = self.rate.per.checked_div(self.rate.burst) else { return Err(self.rate.per) };
        let each = each.max(Duration::from_nanos(1));
        let now = Instant::now();
        let elapsed = now.saturating_duration_since(*filled);
        let earned = elapsed.as_nanos().checked_div(each.as_nanos()).unwrap_or_default();
        let earned = i64::try_from(earned).unwrap_or(i64::MAX);
        if earned < 1 {
            // What others took in vain must not add up.
            self.left.store(0, Ordering::Relaxed);
            return Err(each.saturating_sub(elapsed));
        }
        let most = i64::from(self.rate.burst);
        // A part of one is kept for the next time, unless the bucket is full.
        let unused = if earned < most { remainder(elapsed, each) } else { Duration::ZERO };
        *filled = now.checked_sub(unused).unwrap_or(now);
        self.left.store(earned.min(most).saturating_sub(1), Ordering::Relaxed);
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

    fn taken(bucket: &Bucket) -> usize {
        (0..100).take_while(|_| bucket.take().is_ok()).count()
    }

    #[tokio::test(start_paused = true)]
    async fn a_bucket_fills_with_time() {
        let bucket = Bucket::new(Rate::new(4, Duration::from_secs(4)));
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
        let bucket = Bucket::new(Rate::new(0, Duration::from_secs(9)));
        tokio::time::advance(Duration::from_secs(3600)).await;
        assert_eq!(bucket.take(), Err(Duration::from_secs(9)));
    }
}
