//! Tasks in memory.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};

use super::{NewTask, TaskChange, TaskPage, TaskRecord, TaskStore, TaskWatch, TaskWatched, Updated};
use crate::memory::{Bounds, bounded};
use crate::{Boxed, ExpiringMap, StoreError, Timestamp};

/// Keeps tasks in memory, with bounds. They are lost with the process.
pub struct MemoryTasks {
    bounds: Bounds,
    contents: Mutex<Contents>,
}

#[derive(Default)]
struct Contents {
    slots: ExpiringMap<String, Slot>,
    by_owner: HashMap<String, BTreeMap<u64, String>>,
    next_place: u64,
    bytes: usize,
}

struct Slot {
    record: TaskRecord,
    place: u64,
    watched: TaskWatched,
}

bounded!(MemoryTasks, "tasks", "results, questions and answers");

impl MemoryTasks {
    /// Makes an empty store, for 10,000 tasks with 256 MiB of results, questions and answers.
    #[must_use]
    pub fn new() -> Self {
        Self { bounds: Bounds::new(10_000, 256 * 1024 * 1024), contents: Mutex::default() }
    }

    /// Locks the contents and removes what has expired. Returns the time as well.
    fn lock(&self) -> (MutexGuard<'_, Contents>, Timestamp) {
        let now = self.bounds.now();
        let mut contents = self.contents.lock();
        while let Some((_, slot)) = contents.slots.pop_expired(now) {
            contents.forget(&slot);
        }
        (contents, now)
    }

    fn insert(&self, task: NewTask) -> Result<TaskRecord, StoreError> {
        let (mut contents, now) = self.lock();
        if contents.slots.get(task.id.as_str(), now).is_some() {
            return Err(StoreError::Exists);
        }
        self.bounds.admit(contents.slots.len(), "tasks")?;
        let limit = task.owner_limit;
        if contents.by_owner.get(&task.owner).map_or(0, BTreeMap::len) >= limit {
            return Err(StoreError::TooMany { what: "tasks", limit });
        }
        let record = TaskRecord::new(task, now);
        let (place, id) = (contents.next_place, record.id.to_string());
        contents.next_place = place.saturating_add(1);
        contents.by_owner.entry(record.owner.clone()).or_default().insert(place, id.clone());
        let watched = TaskWatched::new(&record);
        let expires = record.expires();
        contents.slots.insert(id, Slot { record: record.clone(), place, watched }, expires, now);
        Ok(record)
    }

    /// Changes a copy, and keeps it if there is room for it.
    fn change(&self, id: &str, change: impl FnOnce(&mut TaskRecord, Timestamp) -> bool) -> Result<Updated, StoreError> {
        let (mut contents, now) = self.lock();
        let bytes = contents.bytes;
        let Some(slot) = contents.slots.get_mut(id, now) else { return Ok(Updated::Gone) };
        let mut next = slot.record.clone();
        let changed = change(&mut next, now);
        if slot.record.end.is_some() {
            return Ok(Updated::Ended(next.seen_at(now)));
        }
        if changed {
            let after = bytes.saturating_sub(slot.record.bytes()).saturating_add(next.bytes());
            self.bounds.admit_bytes(bytes, after, "bytes of tasks")?;
            slot.record = next.clone();
            slot.watched.tell(&next);
            contents.bytes = after;
        }
        Ok(Updated::Applied(next.seen_at(now)))
    }

    fn page(&self, owner: &str, after: Option<&str>, limit: usize) -> Result<TaskPage, StoreError> {
        let begin = match after {
            None => 0,
            Some(cursor) => cursor.parse::<u64>().map_err(|_| StoreError::BadCursor)?.saturating_add(1),
        };
        let (contents, now) = self.lock();
        let Some(own) = contents.by_owner.get(owner) else { return Ok(TaskPage::default()) };
        let mut rest = own.range(begin..).peekable();
        let (mut tasks, mut last) = (Vec::new(), None);
        while tasks.len() < limit.max(1)
            && let Some((place, id)) = rest.next()
        {
            last = Some(place.to_string());
            tasks.extend(contents.slots.get(id, now).map(|slot| slot.record.clone().seen_at(now)));
        }
        Ok(TaskPage::new(tasks, last.filter(|_| rest.peek().is_some())))
    }
}

impl Contents {
    fn forget(&mut self, slot: &Slot) {
        self.bytes = self.bytes.saturating_sub(slot.record.bytes());
        if let Some(own) = self.by_owner.get_mut(&slot.record.owner) {
            own.remove(&slot.place);
            if own.is_empty() {
                self.by_owner.remove(&slot.record.owner);
            }
        }
    }
}

impl TaskStore for MemoryTasks {
    fn create(&self, task: NewTask) -> Boxed<'_, Result<TaskRecord, StoreError>> {
        Box::pin(std::future::ready(self.insert(task)))
    }

    fn get<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<TaskRecord>, StoreError>> {
        let (contents, now) = self.lock();
        let found = contents.slots.get(id, now).map(|slot| slot.record.clone().seen_at(now));
        Box::pin(std::future::ready(Ok(found)))
    }

    fn update<'a>(&'a self, id: &'a str, change: TaskChange) -> Boxed<'a, Result<Updated, StoreError>> {
        Box::pin(std::future::ready(self.change(id, |record, now| record.apply(change, now))))
    }

    fn answer<'a>(&'a self, id: &'a str, answers: Vec<(String, Bytes)>) -> Boxed<'a, Result<Updated, StoreError>> {
        Box::pin(std::future::ready(self.change(id, |record, now| record.answer(answers, now) > 0)))
    }

    fn list<'a>(
        &'a self,
        owner: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> Boxed<'a, Result<TaskPage, StoreError>> {
        Box::pin(std::future::ready(self.page(owner, after, limit)))
    }

    fn renew<'a>(&'a self, ids: &'a [String], lease: Duration) -> Boxed<'a, Result<(), StoreError>> {
        let (mut contents, now) = self.lock();
        for id in ids {
            if let Some(slot) = contents.slots.get_mut(id, now).filter(|slot| slot.record.end.is_none()) {
                slot.record.leased_until = Some(now.after(lease));
            }
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn watch<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<TaskWatch>, StoreError>> {
        let (contents, now) = self.lock();
        Box::pin(std::future::ready(Ok(contents.slots.get(id, now).map(|slot| slot.watched.watch()))))
    }
}

impl fmt::Debug for MemoryTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contents = self.contents.lock();
        f.debug_struct("MemoryTasks")
            .field("tasks", &contents.slots.len())
            .field("bytes", &contents.bytes)
            .finish_non_exhaustive()
    }
}
