//! Sessions in memory.

use std::collections::HashMap;
use std::fmt;
use std::future::ready;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};

use super::{NewSession, SessionRecord, SessionStore};
use crate::memory::{Bounds, bounded};
use crate::{Boxed, ExpiringMap, StoreError, Timestamp};

/// Keeps sessions in memory, with bounds. They are lost with the process.
pub struct MemorySessions {
    bounds: Bounds,
    contents: Mutex<Contents>,
}

#[derive(Default)]
struct Contents {
    sessions: ExpiringMap<String, SessionRecord>,
    owners: HashMap<String, usize>,
    bytes: usize,
}

bounded!(MemorySessions, "sessions", "fields");

impl MemorySessions {
    /// Makes an empty store, for 100,000 sessions with 256 MiB of fields together.
    #[must_use]
    pub fn new() -> Self {
        Self { bounds: Bounds::new(100_000, 256 * 1024 * 1024), contents: Mutex::default() }
    }

    /// Locks the contents and removes what has expired. Returns the time as well.
    fn lock(&self) -> (MutexGuard<'_, Contents>, Timestamp) {
        let now = self.bounds.now();
        let mut contents = self.contents.lock();
        while let Some((_, record)) = contents.sessions.pop_expired(now) {
            contents.forget(&record);
        }
        (contents, now)
    }

    fn insert(&self, session: NewSession) -> Result<(), StoreError> {
        let (mut contents, now) = self.lock();
        if contents.sessions.get(&session.id, now).is_some() {
            return Err(StoreError::Exists);
        }
        self.bounds.admit(contents.sessions.len(), "sessions")?;
        let limit = session.owner_limit;
        let own = session.owner.as_ref().and_then(|owner| contents.owners.get(owner)).copied().unwrap_or_default();
        if session.owner.is_some() && own >= limit {
            return Err(StoreError::TooMany { what: "sessions", limit });
        }
        let record = SessionRecord { owner: session.owner, fields: session.fields, version: 1 };
        let bytes = contents.bytes.saturating_add(size(&record));
        self.bounds.admit_bytes(contents.bytes, bytes, "bytes of sessions")?;
        contents.bytes = bytes;
        if let Some(owner) = &record.owner {
            contents.owners.insert(owner.clone(), own.saturating_add(1));
        }
        contents.sessions.insert(session.id, record, now.after(session.idle), now);
        Ok(())
    }

    fn set(&self, id: &str, fields: Vec<(String, Option<Bytes>)>) -> Result<Option<u64>, StoreError> {
        let (mut contents, now) = self.lock();
        let bytes = contents.bytes;
        let Some(record) = contents.sessions.get_mut(id, now) else { return Ok(None) };
        let mut next = record.clone();
        for (name, value) in fields {
            match value {
                Some(value) => next.fields.insert(name, value),
                None => next.fields.remove(&name),
            };
        }
        let after = bytes.saturating_sub(size(record)).saturating_add(size(&next));
        self.bounds.admit_bytes(bytes, after, "bytes of sessions")?;
        next.version = next.version.saturating_add(1);
        let version = next.version;
        *record = next;
        contents.bytes = after;
        Ok(Some(version))
    }

    fn used(&self, id: &str, idle: Duration) -> Option<u64> {
        let (mut contents, now) = self.lock();
        let version = contents.sessions.get(id, now)?.version;
        contents.sessions.renew(id, now.after(idle), now);
        Some(version)
    }

    fn take_out(&self, id: &str) -> bool {
        let (mut contents, now) = self.lock();
        let removed = contents.sessions.remove(id, now);
        removed.inspect(|record| contents.forget(record)).is_some()
    }
}

impl Contents {
    /// Counts a session no more.
    fn forget(&mut self, record: &SessionRecord) {
        self.bytes = self.bytes.saturating_sub(size(record));
        if let Some(owner) = &record.owner
            && let Some(own) = self.owners.get_mut(owner)
        {
            *own = own.saturating_sub(1);
            if *own == 0 {
                self.owners.remove(owner);
            }
        }
    }
}

fn size(record: &SessionRecord) -> usize {
    record.fields.iter().fold(0, |all, (name, value)| all.saturating_add(name.len()).saturating_add(value.len()))
}

impl SessionStore for MemorySessions {
    fn create(&self, session: NewSession) -> Boxed<'_, Result<(), StoreError>> {
        Box::pin(ready(self.insert(session)))
    }

    fn load<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<SessionRecord>, StoreError>> {
        let (contents, now) = self.lock();
        let found = contents.sessions.get(id, now).cloned();
        Box::pin(ready(Ok(found)))
    }

    fn touch<'a>(&'a self, id: &'a str, idle: Duration) -> Boxed<'a, Result<Option<u64>, StoreError>> {
        Box::pin(ready(Ok(self.used(id, idle))))
    }

    fn change<'a>(
        &'a self,
        id: &'a str,
        fields: Vec<(String, Option<Bytes>)>,
    ) -> Boxed<'a, Result<Option<u64>, StoreError>> {
        Box::pin(ready(self.set(id, fields)))
    }

    fn remove<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<bool, StoreError>> {
        Box::pin(ready(Ok(self.take_out(id))))
    }

    fn count<'a>(&'a self, owner: &'a str) -> Boxed<'a, Result<usize, StoreError>> {
        let own = self.lock().0.owners.get(owner).copied().unwrap_or_default();
        Box::pin(ready(Ok(own)))
    }
}

impl fmt::Debug for MemorySessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contents = self.contents.lock();
        f.debug_struct("MemorySessions")
            .field("sessions", &contents.sessions.len())
            .field("bytes", &contents.bytes)
            .finish_non_exhaustive()
    }
}
