//! Sessions in memory.

use std::collections::HashMap;
use std::fmt;
use std::future::ready;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;

use super::{NewSession, SessionRecord, SessionStore};
use crate::memory::{Bounds, Expiring, bounded};
use crate::{Boxed, StoreError, Timestamp};

/// Keeps sessions in memory, with bounds. They are lost with the process.
pub struct MemorySessions {
    bounds: Bounds,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    sessions: Expiring<SessionRecord>,
    owners: HashMap<String, usize>,
    bytes: usize,
}

bounded!(MemorySessions, "sessions", "fields");

impl MemorySessions {
    /// Makes an empty store, for 100,000 sessions with 256 MiB of fields together.
    #[must_use]
    pub fn new() -> Self {
        Self { bounds: Bounds::new(100_000, 256 * 1024 * 1024), kept: Mutex::default() }
    }

    /// Returns what is kept, after what has expired was forgotten.
    fn kept(&self) -> (MutexGuard<'_, Kept>, Timestamp) {
        let now = self.bounds.now();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((_, record)) = kept.sessions.pop_due(now) {
            kept.forget(&record);
        }
        (kept, now)
    }

    fn insert(&self, session: NewSession) -> Result<(), StoreError> {
        let (mut kept, now) = self.kept();
        if kept.sessions.get(&session.id).is_some() {
            return Err(StoreError::Exists);
        }
        self.bounds.admit(kept.sessions.len(), "sessions")?;
        let limit = session.owner_limit;
        let own = session.owner.as_ref().and_then(|owner| kept.owners.get(owner)).copied().unwrap_or_default();
        if session.owner.is_some() && own >= limit {
            return Err(StoreError::TooMany { what: "sessions", limit });
        }
        let record = SessionRecord { owner: session.owner, fields: session.fields, version: 1 };
        let bytes = kept.bytes.saturating_add(size(&record));
        self.bounds.admit_bytes(kept.bytes, bytes, "bytes of sessions")?;
        kept.bytes = bytes;
        if let Some(owner) = &record.owner {
            kept.owners.insert(owner.clone(), own.saturating_add(1));
        }
        kept.sessions.insert(&session.id, record, Some(now.after(session.idle)));
        Ok(())
    }

    fn set(&self, id: &str, fields: Vec<(String, Option<Bytes>)>) -> Result<Option<u64>, StoreError> {
        let (mut kept, _) = self.kept();
        let bytes = kept.bytes;
        let Some(record) = kept.sessions.get_mut(id) else { return Ok(None) };
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
        kept.bytes = after;
        Ok(Some(version))
    }

    fn used(&self, id: &str, idle: Duration) -> Option<u64> {
        let (mut kept, now) = self.kept();
        let version = kept.sessions.get(id)?.version;
        kept.sessions.keep(id, now.after(idle));
        Some(version)
    }

    fn take_out(&self, id: &str) -> bool {
        let (mut kept, _) = self.kept();
        let removed = kept.sessions.remove(id);
        removed.inspect(|record| kept.forget(record)).is_some()
    }
}

impl Kept {
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
        let found = self.kept().0.sessions.get(id).cloned();
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
        let own = self.kept().0.owners.get(owner).copied().unwrap_or_default();
        Box::pin(ready(Ok(own)))
    }
}

impl fmt::Debug for MemorySessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("MemorySessions")
            .field("sessions", &kept.sessions.len())
            .field("bytes", &kept.bytes)
            .finish_non_exhaustive()
    }
}
