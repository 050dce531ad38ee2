//! The wait before something is tried again.

use std::time::Duration;

use jackfield_peer::Backoff;
use tokio::time::Instant;

/// What went well for this long is tried again soon.
pub(crate) const FORGIVEN_AFTER: Duration = Duration::from_secs(60);

/// The waits between attempts.
pub(crate) const fn backoff() -> Backoff {
    Backoff::new(Duration::from_millis(500), Duration::from_secs(60))
}

/// The wait before what did not work is tried again, such as a list that could not be read or a stream that has ended; the more often it
/// fails soon, the longer.
pub(crate) struct RetryTimer {
    backoff: Backoff,
    /// When it was tried last: the end of the attempt, because one that hangs is none that went well.
    last: Instant,
    until: Option<Instant>,
}

impl RetryTimer {
    pub(crate) fn new() -> Self {
        Self { backoff: backoff(), last: Instant::now(), until: None }
    }

    /// Begins to wait, unless it has begun already.
    pub(crate) fn begin(&mut self) {
        if self.until.is_none() {
            if self.last.elapsed() >= FORGIVEN_AFTER {
                self.backoff.reset();
            }
            self.until = Instant::now().checked_add(self.backoff.next_wait());
        }
    }

    /// Waits for the end; for ever if it has not begun.
    pub(crate) async fn over(&self) {
        match self.until {
            Some(until) => tokio::time::sleep_until(until).await,
            None => std::future::pending().await,
        }
    }

    /// Notes that an attempt has ended, however it went.
    pub(crate) fn tried(&mut self) {
        (self.until, self.last) = (None, Instant::now());
    }
}
