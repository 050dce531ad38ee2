//! Values in memory.

use std::fmt;
use std::future::ready;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use super::KvStore;
use crate::memory::{Bounds, Expiring, bounded};
use crate::{Boxed, StoreError, Timestamp};

/// Keeps values in memory, with bounds. They are lost with the process.
pub struct MemoryKv {
    bounds: Bounds,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    values: Expiring<Bytes>,
    bytes: usize,
}

bounded!(MemoryKv, "values", "keys and values");

impl MemoryKv {
    /// Makes an empty store, for 100,000 values of 64 MiB together.
    #[must_use]
    pub fn new() -> Self {
        Self { bounds: Bounds::new(100_000, 64 * 1024 * 1024), kept: Mutex::default() }
    }

    /// Returns what is kept, after what has expired was forgotten.
    fn kept(&self) -> (MutexGuard<'_, Kept>, Timestamp) {
        let now = self.bounds.now();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((key, value)) = kept.values.pop_due(now) {
            kept.bytes = kept.bytes.saturating_sub(size(&key, &value));
        }
        (kept, now)
    }

    /// Sets a value if the one before is as it should be.
    fn set(
        &self,
        key: &str,
        value: Bytes,
        keep: Option<Duration>,
        fits: impl FnOnce(Option<&Bytes>) -> bool,
    ) -> Result<bool, StoreError> {
        let (mut kept, now) = self.kept();
        let before = kept.values.get(key);
        if !fits(before) {
            return Ok(false);
        }
        if before.is_none() {
            self.bounds.admit(kept.values.len(), "values")?;
        }
        let freed = before.map_or(0, |before| size(key, before));
        let bytes = kept.bytes.saturating_sub(freed).saturating_add(size(key, &value));
        self.bounds.admit_bytes(kept.bytes, bytes, "bytes of values")?;
        kept.values.insert(key, value, keep.map(|keep| now.after(keep)));
        kept.bytes = bytes;
        Ok(true)
    }

    fn take_out(&self, key: &str) -> Option<Bytes> {
        let (mut kept, _) = self.kept();
        let value = kept.values.remove(key)?;
        kept.bytes = kept.bytes.saturating_sub(size(key, &value));
        Some(value)
    }
}

fn size(key: &str, value: &Bytes) -> usize {
    key.len().saturating_add(value.len())
}

impl KvStore for MemoryKv {
    fn get<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<Option<Bytes>, StoreError>> {
        let found = self.kept().0.values.get(key).cloned();
        Box::pin(ready(Ok(found)))
    }

    fn put<'a>(&'a self, key: &'a str, value: Bytes, keep: Option<Duration>) -> Boxed<'a, Result<(), StoreError>> {
        Box::pin(ready(self.set(key, value, keep, |_| true).map(drop)))
    }

    fn add<'a>(&'a self, key: &'a str, value: Bytes, keep: Option<Duration>) -> Boxed<'a, Result<bool, StoreError>> {
        Box::pin(ready(self.set(key, value, keep, |before| before.is_none())))
    }

    fn take<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<Option<Bytes>, StoreError>> {
        Box::pin(ready(Ok(self.take_out(key))))
    }

    fn replace<'a>(
        &'a self,
        key: &'a str,
        before: &'a [u8],
        after: Bytes,
        keep: Option<Duration>,
    ) -> Boxed<'a, Result<bool, StoreError>> {
        Box::pin(ready(self.set(key, after, keep, |found| found.is_some_and(|found| *found == before))))
    }

    fn remove<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<bool, StoreError>> {
        Box::pin(ready(Ok(self.take_out(key).is_some())))
    }
}

impl fmt::Debug for MemoryKv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("MemoryKv")
            .field("values", &kept.values.len())
            .field("bytes", &kept.bytes)
            .finish_non_exhaustive()
    }
}
