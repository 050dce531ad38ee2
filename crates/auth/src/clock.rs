//! What time it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A clock that counts seconds since 1970, as tokens do.
#[derive(Clone, Debug, Default)]
pub struct Clock(Option<Arc<AtomicU64>>);

impl Clock {
    /// The clock of this machine.
    #[must_use]
    pub fn system() -> Self {
        Self(None)
    }

    /// A clock that stands still until it is set, for tests.
    #[must_use]
    pub fn manual(seconds: u64) -> Self {
        Self(Some(Arc::new(AtomicU64::new(seconds))))
    }

    /// Returns the seconds since 1970.
    #[must_use]
    pub fn now(&self) -> u64 {
        match &self.0 {
            Some(seconds) => seconds.load(Ordering::SeqCst),
            None => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        }
    }

    /// Moves a manual clock on; the clock of the machine goes by itself.
    pub fn advance(&self, seconds: u64) {
        if let Some(clock) = &self.0 {
            clock.fetch_add(seconds, Ordering::SeqCst);
        }
    }
}

/// A bounded map whose entries expire by a [`Clock`].
pub(crate) type ExpiringMap<K, V> = jackfield_store::ExpiringMap<K, V, u64>;
