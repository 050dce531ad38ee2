//! How long is waited for a store that is away.

use std::time::Duration;

/// The first pause.
const SHORTEST: Duration = Duration::from_millis(100);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(5);

/// Pauses between attempts, each twice as long as the one before, up to a limit.
#[derive(Debug)]
pub(super) struct Retry {
    next: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { next: SHORTEST }
    }
}

impl Retry {
    /// Waits before the next attempt.
    pub(super) async fn pause(&mut self) {
        tokio::time::sleep(self.next).await;
        self.next = self.next.saturating_mul(2).min(LONGEST);
    }
}
