//! Values in memory.

use std::fmt;
use std::future::ready;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};

use super::KvStore;
use crate::memory::{Bounds, bounded};
use crate::{Boxed, ExpiringMap, StoreError, Timestamp};

/// Keeps values in memory, with bounds. They are lost with the process.
pub struct MemoryKv {
    bounds: Bounds,
    contents: Mutex<Contents>,
}

#[derive(Default)]
struct Contents {
    values: ExpiringMap<String, Bytes>,
    bytes: usize,
}

bounded!(MemoryKv, "values", "keys and values");

impl MemoryKv {
    /// Makes an empty store, for 100,000 values of 64 MiB together.
    #[must_use]
    pub fn new() -> Self {
        Self { bounds: Bounds::new(100_000, 64 * 1024 * 1024), contents: Mutex::default() }
    }

    /// Locks the contents and removes what has expired. Returns the time as well.
    fn lock(&self) -> (MutexGuard<'_, Contents>, Timestamp) {
        let now = self.bounds.now();
        let mut contents = self.contents.lock();
        while let Some((key, value)) = contents.values.pop_expired(now) {
            contents.bytes = contents.bytes.saturating_sub(size(&key, &value));
        }
        (contents, now)
    }

    /// Sets a value if the one before is as it should be.
    fn set(
        &self,
        key: &str,
        value: Bytes,
        keep: Option<Duration>,
        fits: impl FnOnce(Option<&Bytes>) -> bool,
    ) -> Result<bool, StoreError> {
        let (mut contents, now) = self.lock();
        let before = contents.values.get(key, now);
        if !fits(before) {
            return Ok(false);
        }
        if before.is_none() {
            self.bounds.admit(contents.values.len(), "values")?;
        }
        let freed = before.map_or(0, |before| size(key, before));
        let bytes = contents.bytes.saturating_sub(freed).saturating_add(size(key, &value));
        self.bounds.admit_bytes(contents.bytes, bytes, "bytes of values")?;
        contents.values.insert(key.to_owned(), value, keep.map(|keep| now.after(keep)), now);
        contents.bytes = bytes;
        Ok(true)
    }

    fn take_out(&self, key: &str) -> Option<Bytes> {
        let (mut contents, now) = self.lock();
        let value = contents.values.remove(key, now)?;
        contents.bytes = contents.bytes.saturating_sub(size(key, &value));
        Some(value)
    }
}

fn size(key: &str, value: &Bytes) -> usize {
    key.len().saturating_add(value.len())
}

impl KvStore for MemoryKv {
    fn get<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<Option<Bytes>, StoreError>> {
        let (contents, now) = self.lock();
        let found = contents.values.get(key, now).cloned();
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
        let contents = self.contents.lock();
        f.debug_struct("MemoryKv")
            .field("values", &contents.values.len())
            .field("bytes", &contents.bytes)
            .finish_non_exhaustive()
    }
}
