//! How long to wait before asking for the rest of a stream.

use std::time::Duration;

use crate::Restarts;

/// The waits between attempts to open a stream again, with the wait that the server asks for (`retry`) as the least.
#[derive(Debug)]
pub(super) struct StreamBackoff {
    backoff: jackfield_peer::Backoff,
    limit: u32,
    longest: Duration,
    /// What the server asks for.
    retry: Duration,
}

impl StreamBackoff {
    /// `longest` caps what the server asks for.
    pub(super) fn new(restarts: &Restarts, longest: Duration) -> Self {
        Self { backoff: restarts.backoff(), limit: restarts.limit, longest, retry: Duration::ZERO }
    }

    /// The stream brought something, so the count begins anew.
    pub(super) fn reset(&mut self) {
        self.backoff.reset();
    }

    /// Takes the `retry` of a stream, in milliseconds.
    pub(super) fn set_retry(&mut self, milliseconds: Option<u64>) {
        if let Some(milliseconds) = milliseconds {
            self.retry = Duration::from_millis(milliseconds).min(self.longest);
        }
    }

    /// Waits before the next attempt; `false` if there were too many in a row.
    pub(super) async fn wait(&mut self) -> bool {
        if self.backoff.attempts() >= self.limit {
            return false;
        }
        self.wait_without_limit().await;
        true
    }

    /// Waits before the next attempt, however many there were.
    pub(super) async fn wait_without_limit(&mut self) {
        let wait = self.backoff.next_wait().max(self.retry);
        tokio::time::sleep(wait).await;
    }
}
