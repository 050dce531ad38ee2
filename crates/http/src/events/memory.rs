//! Events in the memory of this process.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::{Changing, Chunk, Event, EventLog, Gone, Reading, StreamKey};
use crate::HttpLimits;

const SHARDS: usize = 16;

/// Keeps events in the memory of this process, bounded per stream.
#[derive(Debug)]
pub struct MemoryEventLog {
    shards: [Mutex<HashMap<StreamKey, Kept>>; SHARDS],
    max_events: usize,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Kept {
    events: VecDeque<Event>,
    bytes: usize,
    finished: bool,
    changed: Arc<Notify>,
}

impl MemoryEventLog {
    /// Makes a log that keeps as much of each stream as `limits` allow.
    #[must_use]
    pub fn new(limits: &HttpLimits) -> Self {
        Self { shards: Default::default(), max_events: limits.kept_events, max_bytes: limits.kept_bytes }
    }

    /// Returns how many streams are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().unwrap_or_else(PoisonError::into_inner).len()).sum()
    }

    /// Whether no stream is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn shard(&self, key: StreamKey) -> MutexGuard<'_, HashMap<StreamKey, Kept>> {
        let index = usize::try_from(key.stream % SHARDS as u64).unwrap_or_default();
        let [first, ..] = &self.shards;
        self.shards.get(index).unwrap_or(first).lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryEventLog {
    fn default() -> Self {
        Self::new(&HttpLimits::default())
    }
}

impl EventLog for MemoryEventLog {
    fn open(&self, stream: StreamKey) {
        self.shard(stream).entry(stream).or_default();
    }

    fn append(&self, stream: StreamKey, event: Event) {
        let mut shard = self.shard(stream);
        let Some(kept) = shard.get_mut(&stream) else { return };
        kept.bytes = kept.bytes.saturating_add(event.data.len());
        kept.events.push_back(event);
        // The newest stays whatever its size: it may be the answer.
        while kept.events.len() > 1 && (kept.events.len() > self.max_events || kept.bytes > self.max_bytes) {
            if let Some(oldest) = kept.events.pop_front() {
                kept.bytes = kept.bytes.saturating_sub(oldest.data.len());
            }
        }
        kept.changed.notify_waiters();
    }

    fn finish(&self, stream: StreamKey) {
        if let Some(kept) = self.shard(stream).get_mut(&stream) {
            kept.finished = true;
            kept.events.shrink_to_fit();
            kept.changed.notify_waiters();
        }
    }

    fn read(&self, stream: StreamKey, after: u64) -> Reading<'_> {
        let chunk = self.shard(stream).get(&stream).ok_or(Gone).map(|kept| {
            let begin = kept.events.partition_point(|event| event.sequence <= after);
            Chunk { events: kept.events.range(begin..).cloned().collect(), finished: kept.finished }
        });
        Box::pin(std::future::ready(chunk))
    }

    fn changed(&self, stream: StreamKey, after: u64) -> Changing<'_> {
        Box::pin(async move {
            loop {
                let changed = match self.shard(stream).get(&stream) {
                    Some(kept) if !kept.finished => kept.changed.clone(),
                    _ => return,
                };
                let notified = changed.notified();
                tokio::pin!(notified);
                notified.as_mut().enable();
                let nothing_new = self.shard(stream).get(&stream).is_some_and(|kept| {
                    !kept.finished && kept.events.back().is_none_or(|newest| newest.sequence <= after)
                });
                if !nothing_new {
                    return;
                }
                notified.await;
            }
        })
    }

    fn remove(&self, stream: StreamKey) {
        if let Some(kept) = self.shard(stream).remove(&stream) {
            kept.changed.notify_waiters();
        }
    }
}
