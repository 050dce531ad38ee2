//! Whether something is in use, and since when it is not.

use crate::sync::{AtomicU64, AtomicUsize, Ordering};

/// Whether something is in use, and since when it is not. Times are milliseconds on a clock of the owner.
#[derive(Debug)]
pub(crate) struct Usage {
    used: AtomicU64,
    users: AtomicUsize,
}

impl Usage {
    pub(crate) fn new(now: u64) -> Self {
        Self { used: AtomicU64::new(now), users: AtomicUsize::new(0) }
    }

    /// Notes that it is in use now.
    pub(crate) fn touch(&self, now: u64) {
        self.used.store(now, Ordering::Relaxed);
    }

    /// Notes that it is in use until [`Usage::end`].
    pub(crate) fn begin(&self) {
        self.users.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn end(&self, now: u64) {
        self.touch(now);
        // Whoever sees that the last user has gone sees when.
        self.users.fetch_sub(1, Ordering::Release);
    }

    pub(crate) fn is_in_use(&self) -> bool {
        self.users.load(Ordering::Acquire) > 0
    }

    /// Returns when it was noted last that it is in use. It may be in use all the same.
    pub(crate) fn last(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns when it was used last; `None` while it is in use.
    pub(crate) fn idle_since(&self, now: u64) -> Option<u64> {
        (!self.is_in_use()).then(|| self.last().min(now))
    }
}
