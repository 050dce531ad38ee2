//! How often one owner may ask about tasks.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// How many owners are told apart. Two who share a place share its rate; who they are nobody can choose.
const PLACES: usize = 1024;

/// Bounds how often in a second each owner may ask, with a whole second's worth at once. It needs as much memory for a million owners as
/// for one.
#[derive(Debug)]
pub(super) struct Rate {
    start: Instant,
    hasher: RandomState,
    /// When all that was asked so far would be done if it were asked evenly, in nanoseconds since the start.
    places: Vec<AtomicU64>,
    /// How long one request takes of a second.
    share: u64,
}

const SECOND: u64 = 1_000_000_000;

impl Rate {
    pub(super) fn new(per_second: u32) -> Self {
        Self {
            start: Instant::now(),
            hasher: RandomState::new(),
            places: std::iter::repeat_with(AtomicU64::default).take(PLACES).collect(),
            share: SECOND.div_ceil(u64::from(per_second.max(1))),
        }
    }

    /// Whether an owner may ask once more now; if so, it is counted.
    pub(super) fn allows(&self, owner: &str) -> bool {
        let index = usize::try_from(self.hasher.hash_one(owner)).unwrap_or(usize::MAX) % PLACES;
        let Some(place) = self.places.get(index) else { return true };
        let now = nanoseconds(self.start.elapsed());
        let counted = |done: u64| {
            let next = done.max(now).saturating_add(self.share);
            (next <= now.saturating_add(SECOND)).then_some(next)
        };
        place.fetch_update(Ordering::Relaxed, Ordering::Relaxed, counted).is_ok()
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_second_has_so_many_requests_and_no_more() {
        let rate = Rate::new(5);
        let ask = || (0..20).filter(|_| rate.allows("one")).count();
        assert_eq!(ask(), 5);
        tokio::time::advance(Duration::from_millis(400)).await;
        assert_eq!(ask(), 2);
        tokio::time::advance(Duration::from_secs(3600)).await;
        assert_eq!(ask(), 5, "what was not used is not saved up");
    }
}
