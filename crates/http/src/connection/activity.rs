//! What a connection is doing, so that idle and slow ones can be found without a timer per request.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::HttpLimits;
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// What a connection is doing, written by the connection and read by its watchdog.
#[derive(Debug)]
pub(crate) struct Activity {
    start: Instant,
    /// Requests whose response has not ended.
    busy: AtomicUsize,
    /// Since when, in milliseconds after `start`, the watchdog has known that the connection waits as it does: for a request, or
    /// for the rest of its head.
    since: AtomicU64,
    /// What the connection does has changed since the watchdog looked. It reads the clock, so that requests need not.
    changed: AtomicBool,
    /// Some bytes of a head have come.
    in_head: AtomicBool,
    /// The rest of a request is awaited: whoever serves it has not taken all of its body.
    in_body: AtomicBool,
    /// Several requests share the connection, and frames come without any.
    multiplexed: AtomicBool,
    /// Something was to be written, and the client has not taken all of it.
    unwritten: AtomicBool,
}

/// Keeps a connection busy until it is dropped.
#[derive(Debug)]
pub(crate) struct Busy(Arc<Activity>);

impl Activity {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            start: Instant::now(),
            busy: AtomicUsize::new(0),
            since: AtomicU64::new(0),
            changed: AtomicBool::new(false),
            in_head: AtomicBool::new(false),
            in_body: AtomicBool::new(false),
            multiplexed: AtomicBool::new(false),
            unwritten: AtomicBool::new(false),
        })
    }

    /// Returns the time in milliseconds after `start`.
    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Notes that bytes have come.
    pub(crate) fn read(&self) {
        if self.busy.load(Ordering::Relaxed) == 0
            && !self.in_head.load(Ordering::Relaxed)
            && !self.multiplexed.load(Ordering::Relaxed)
        {
            self.changed.store(true, Ordering::Relaxed);
            self.in_head.store(true, Ordering::Relaxed);
        }
    }

    /// Notes whether something waits to be written.
    pub(crate) fn set_unwritten(&self, unwritten: bool) {
        self.unwritten.store(unwritten, Ordering::Relaxed);
    }

    pub(crate) fn is_unwritten(&self) -> bool {
        self.unwritten.load(Ordering::Relaxed)
    }

    /// Notes whether the body of a request is still to be taken.
    pub(crate) fn set_in_body(&self, in_body: bool) {
        self.in_body.store(in_body, Ordering::Relaxed);
    }

    /// Whether a request is served, and nothing is expected of the client until it is answered.
    pub(crate) fn owes_answer(&self) -> bool {
        self.busy.load(Ordering::Relaxed) > 0 && !self.in_body.load(Ordering::Relaxed)
    }

    /// Notes that the head of a request is complete.
    pub(crate) fn begin(self: &Arc<Self>, multiplexed: bool) -> Busy {
        self.busy.fetch_add(1, Ordering::Relaxed);
        self.in_head.store(false, Ordering::Relaxed);
        if multiplexed {
            self.multiplexed.store(true, Ordering::Relaxed);
        }
        Busy(self.clone())
    }

    /// Returns how long the connection may stay as it is; `None` if that time is over.
    pub(crate) fn time_left(&self, limits: &HttpLimits, now: u64) -> Option<Duration> {
        let limit = match self.in_head.load(Ordering::Relaxed) {
            true => limits.header_timeout,
            false => limits.keep_alive_timeout,
        };
        if self.busy.load(Ordering::Acquire) > 0 {
            return Some(limits.header_timeout.min(limits.keep_alive_timeout));
        }
        if self.changed.swap(false, Ordering::Relaxed) {
            self.since.store(now, Ordering::Relaxed);
        }
        let waited = Duration::from_millis(now.saturating_sub(self.since.load(Ordering::Relaxed)));
        // A head may begin while the longer limit of an idle connection runs.
        limit.checked_sub(waited).filter(|left| !left.is_zero()).map(|left| left.min(limits.header_timeout))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        // Whoever sees that the last response has ended sees that something has changed, and does not take the connection for one that
        // has been idle all the time.
        self.0.changed.store(true, Ordering::Relaxed);
        self.0.busy.fetch_sub(1, Ordering::Release);
    }
}
