//! Exponential back-off.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// The waits between attempts: each is twice as long as the one before, up to a limit.
///
/// ```
/// # use std::time::Duration;
/// # use jackfield_peer::Backoff;
/// let mut backoff = Backoff::new(Duration::from_millis(100), Duration::from_millis(300));
/// let waits = [(); 3].map(|()| backoff.next_wait().as_millis());
/// assert_eq!(waits, [100, 200, 300]);
/// backoff.reset();
/// assert_eq!(backoff.next_wait().as_millis(), 100);
/// ```
#[derive(Clone, Debug)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    jitter: bool,
    attempts: u32,
}

impl Backoff {
    /// Begins with a wait of `first`, and never waits for more than `longest`.
    #[must_use]
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self { first, longest, jitter: false, attempts: 0 }
    }

    /// Makes each wait a random part of what it would be (full jitter), so that many clients of one server that failed at the same
    /// moment do not come back at the same moment.
    #[must_use]
    pub const fn with_jitter(mut self) -> Self {
        self.jitter = true;
        self
    }

    /// How many waits were handed out since the beginning, or since the last [`reset`](Self::reset).
    #[must_use]
    pub const fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Begins again with the first wait, because an attempt succeeded.
    pub const fn reset(&mut self) {
        self.attempts = 0;
    }

    /// Returns the wait before the next attempt, and counts it.
    pub fn next_wait(&mut self) -> Duration {
        let factor = 2u32.saturating_pow(self.attempts);
        self.attempts = self.attempts.saturating_add(1);
        let wait = self.first.saturating_mul(factor).min(self.longest);
        if self.jitter { wait.mul_f64(random_fraction()) } else { wait }
    }

    /// Waits before the next attempt.
    ///
    /// # Cancellation
    /// The wait counts, also if it is not waited for.
    pub async fn wait(&mut self) {
        tokio::time::sleep(self.next_wait()).await;
    }
}

/// A number from 0 to 1, good enough to spread attempts.
fn random_fraction() -> f64 {
    let random = RandomState::new().build_hasher().finish();
    f64::from(u32::try_from(random >> 32).unwrap_or_default()) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Duration = Duration::from_millis(500);
    const LONGEST: Duration = Duration::from_secs(30);

    #[test]
    fn waits_double_up_to_the_longest() {
        let mut backoff = Backoff::new(FIRST, LONGEST);
        let waits: Vec<_> = (0..100).map(|_| backoff.next_wait()).collect();
        assert_eq!(waits[..4], [1, 2, 4, 8].map(|factor| FIRST * factor));
        assert!(waits[6..].iter().all(|wait| *wait == LONGEST), "also when the factor is too large for a number");
        assert_eq!(backoff.attempts(), 100);
        backoff.reset();
        assert_eq!((backoff.attempts(), backoff.next_wait()), (0, FIRST));
    }

    #[test]
    fn jitter_shortens_waits_and_spreads_them() {
        let mut backoff = Backoff::new(LONGEST, LONGEST).with_jitter();
        let waits: Vec<_> = (0..50).map(|_| backoff.next_wait()).collect();
        assert!(waits.iter().all(|wait| *wait <= LONGEST));
        assert!(waits.iter().any(|wait| *wait != waits[0]), "they are not all the same");
    }
}
