//! Events in the memory of this process.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::{Chunk, Event, Gone, StreamKey};
use crate::HttpLimits;

const SHARDS: usize = 16;

/// Keeps events in the memory of this process, bounded per stream.
#[derive(Debug)]
pub(crate) struct MemoryEventLog {
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
    pub(crate) fn new(limits: &HttpLimits) -> Self {
        Self { shards: Default::default(), max_events: limits.kept_events, max_bytes: limits.kept_bytes }
    }

    fn shard(&self, key: StreamKey) -> MutexGuard<'_, HashMap<StreamKey, Kept>> {
        let index = usize::try_from(key.stream % SHARDS as u64).unwrap_or_default();
        let [first, ..] = &self.shards;
        self.shards.get(index).unwrap_or(first).lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a stream.
    pub(crate) fn open(&self, stream: StreamKey) {
        self.shard(stream).entry(stream).or_default();
    }

    /// Adds an event.
    pub(crate) fn append(&self, stream: StreamKey, event: Event) {
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

    /// Notes that no more events will come.
    pub(crate) fn finish(&self, stream: StreamKey) {
        if let Some(kept) = self.shard(stream).get_mut(&stream) {
            kept.finished = true;
            kept.events.shrink_to_fit();
            kept.changed.notify_waiters();
        }
    }

    /// Reads what is there after a place.
    pub(crate) fn read(&self, stream: StreamKey, after: u64) -> Result<Chunk, Gone> {
        self.shard(stream).get(&stream).ok_or(Gone).map(|kept| {
            let begin = kept.events.partition_point(|event| event.sequence <= after);
            Chunk { events: kept.events.range(begin..).cloned().collect(), finished: kept.finished }
        })
    }

    /// Waits until there is something after a place, or the stream is finished or gone.
    pub(crate) async fn changed(&self, stream: StreamKey, after: u64) {
        loop {
            let changed = match self.shard(stream).get(&stream) {
                Some(kept) if !kept.finished => kept.changed.clone(),
                _ => return,
            };
            let notified = changed.notified();
            tokio::pin!(notified);
            notified.as_mut().enable();
            let nothing_new = self
                .shard(stream)
                .get(&stream)
                .is_some_and(|kept| !kept.finished && kept.events.back().is_none_or(|newest| newest.sequence <= after));
            if !nothing_new {
                return;
            }
            notified.await;
        }
    }

    /// Whether no stream is kept.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.shards.iter().all(|shard| shard.lock().unwrap_or_else(PoisonError::into_inner).is_empty())
    }

    /// Forgets a stream.
    pub(crate) fn remove(&self, stream: StreamKey) {
        if let Some(kept) = self.shard(stream).remove(&stream) {
            kept.changed.notify_waiters();
        }
    }
}
