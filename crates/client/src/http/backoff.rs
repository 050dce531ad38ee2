//! How long to wait before coming back for the rest of a stream.

use std::time::Duration;

use crate::Restarts;

/// Counts attempts that brought nothing, and remembers what the server wishes.
#[derive(Debug)]
pub(super) struct Backoff {
    restarts: Restarts,
    longest: Duration,
    failures: u32,
    wish: Duration,
}

impl Backoff {
    /// `longest` caps the server's wishes.
    pub(super) fn new(restarts: &Restarts, longest: Duration) -> Self {
        Self { restarts: restarts.clone(), longest, failures: 0, wish: Duration::ZERO }
    }

    /// The stream brought something, so the count begins anew.
    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// The server wishes that its client waits so long.
    pub(super) fn wish(&mut self, milliseconds: Option<u64>) {
        if let Some(milliseconds) = milliseconds {
            self.wish = Duration::from_millis(milliseconds).min(self.longest);
        }
    }

    /// Waits before the next attempt; `false` if there were too many in a row.
    pub(super) async fn wait(&mut self) -> bool {
        if self.failures >= self.restarts.limit {
            return false;
        }
        self.wait_on().await;
        true
    }

    /// Waits before the next attempt, however many there were.
    pub(super) async fn wait_on(&mut self) {
        // A server's wish is heeded to the full, and our own patience grows beyond it.
        let wait = self.restarts.wait(self.failures).max(self.wish);
        self.failures = self.failures.saturating_add(1);
        tokio::time::sleep(wait).await;
    }
}
