//! Events in memory.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};

use super::{
    Appended, EventChunk, EventLimits, EventStore, EventWatch, NewEvents, REMEMBERED, StoredEvent, StreamName,
};
use crate::bus::Hub;
use crate::memory::{Bounds, bounded};
use crate::{Boxed, ExpiringMap, StoreError, Timestamp};

/// Keeps events in memory, with bounds. They are lost with the process.
pub struct MemoryEvents {
    bounds: Bounds,
    contents: Mutex<Contents>,
    changes: Arc<Hub>,
}

#[derive(Default)]
struct Contents {
    streams: ExpiringMap<String, Stream>,
    by_session: HashMap<String, BTreeSet<u64>>,
    bytes: usize,
}

#[derive(Default)]
struct Stream {
    session: String,
    number: u64,
    until: Timestamp,
    events: VecDeque<StoredEvent>,
    bytes: usize,
    newest: u64,
    finished: bool,
    known: HashMap<String, u64>,
    known_order: VecDeque<String>,
}

bounded!(MemoryEvents, "streams", "events");

impl MemoryEvents {
    /// Makes an empty store, for 100,000 streams of 256 MiB together.
    #[must_use]
    pub fn new() -> Self {
        Self { bounds: Bounds::new(100_000, 256 * 1024 * 1024), contents: Mutex::default(), changes: Hub::new() }
    }

    /// Locks the contents and removes what has expired. Returns the time as well.
    fn lock(&self) -> (MutexGuard<'_, Contents>, Timestamp) {
        let now = self.bounds.now();
        let mut contents = self.contents.lock();
        while let Some((_, stream)) = contents.streams.pop_expired(now) {
            contents.forget(&stream);
        }
        (contents, now)
    }

    fn add(&self, name: StreamName<'_>, new: NewEvents) -> Result<Appended, StoreError> {
        let (mut contents, now) = self.lock();
        let key = contents.begin(name, now.after(new.limits.keep), now, &self.bounds)?;
        let bytes = contents.bytes;
        let Some(stream) = contents.streams.get_mut(&key, now).filter(|stream| !stream.finished) else {
            return Ok(Appended::Finished);
        };
        let before = stream.bytes;
        let added = new.events.iter().fold(0usize, |all, event| all.saturating_add(event.data.len()));
        let newest = new.events.last().map_or(0, |event| event.data.len());
        let after = before.saturating_add(added).min(new.limits.bytes.max(newest));
        self.bounds.admit_bytes(bytes, bytes.saturating_sub(before).saturating_add(after), "bytes of events")?;
        let places = new.events.into_iter().map(|event| stream.push(event.data, event.once)).collect();
        stream.finished = new.finish;
        stream.trim(new.limits);
        let bytes = bytes.saturating_sub(before).saturating_add(stream.bytes);
        contents.bytes = bytes;
        drop(contents);
        self.tell(name);
        Ok(Appended::At(places))
    }

    fn tell(&self, stream: StreamName<'_>) {
        self.changes.tell(&stream.topic(), &Bytes::new());
    }

    fn forget(&self, name: StreamName<'_>) {
        let (mut contents, now) = self.lock();
        if let Some(stream) = contents.streams.remove(&key(name), now) {
            contents.forget(&stream);
            drop(contents);
            self.tell(name);
        }
    }
}

fn key(name: StreamName<'_>) -> String {
    format!("{:x} {}", name.number, name.session)
}

impl Contents {
    /// Begins a stream if it is not there, and keeps it as long as asked for. Returns its key.
    fn begin(
        &mut self,
        name: StreamName<'_>,
        until: Timestamp,
        now: Timestamp,
        bounds: &Bounds,
    ) -> Result<String, StoreError> {
        let key = key(name);
        if let Some(stream) = self.streams.get_mut(&key, now) {
            stream.until = stream.until.max(until);
            let until = stream.until;
            self.streams.renew(&key, until, now);
            return Ok(key);
        }
        bounds.admit(self.streams.len(), "streams")?;
        let session = name.session.to_owned();
        self.by_session.entry(session.clone()).or_default().insert(name.number);
        let stream = Stream { session, number: name.number, until, ..Stream::default() };
        self.streams.insert(key.clone(), stream, until, now);
        Ok(key)
    }

    fn forget(&mut self, stream: &Stream) {
        self.bytes = self.bytes.saturating_sub(stream.bytes);
        if let Some(numbers) = self.by_session.get_mut(&stream.session) {
            numbers.remove(&stream.number);
            if numbers.is_empty() {
                self.by_session.remove(&stream.session);
            }
        }
    }

    fn numbers(&self, session: &str) -> Vec<u64> {
        self.by_session.get(session).into_iter().flatten().copied().collect()
    }
}

impl Stream {
    /// Adds an event unless it is known. Returns its place.
    fn push(&mut self, data: Bytes, once: Option<String>) -> u64 {
        if let Some(place) = once.as_ref().and_then(|once| self.known.get(once)) {
            return *place;
        }
        self.newest = self.newest.saturating_add(1);
        if let Some(once) = once {
            self.known.insert(once.clone(), self.newest);
            self.known_order.push_back(once);
            if self.known_order.len() > REMEMBERED
                && let Some(oldest) = self.known_order.pop_front()
            {
                self.known.remove(&oldest);
            }
        }
        self.bytes = self.bytes.saturating_add(data.len());
        self.events.push_back(StoredEvent { sequence: self.newest, data });
        self.newest
    }

    fn trim(&mut self, limits: EventLimits) {
        // The newest stays whatever its size: it may be the answer.
        while self.events.len() > 1
            && (self.events.len() > limits.events || self.bytes > limits.bytes)
            && let Some(oldest) = self.events.pop_front()
        {
            self.bytes = self.bytes.saturating_sub(oldest.data.len());
        }
    }

    fn after(&self, place: u64, limit: usize) -> EventChunk {
        let begin = self.events.partition_point(|event| event.sequence <= place);
        let events: Vec<_> = self.events.iter().skip(begin).take(limit.max(1)).cloned().collect();
        let is_all = self.events.len().saturating_sub(begin) == events.len();
        let first = self.events.front().map_or(self.newest, |event| event.sequence.saturating_sub(1));
        EventChunk { events, finished: self.finished && is_all, missed: place < first }
    }
}

impl EventStore for MemoryEvents {
    fn open<'a>(&'a self, stream: StreamName<'a>, keep: Duration) -> Boxed<'a, Result<(), StoreError>> {
        let (mut contents, now) = self.lock();
        Box::pin(ready(contents.begin(stream, now.after(keep), now, &self.bounds).map(drop)))
    }

    fn append<'a>(&'a self, stream: StreamName<'a>, events: NewEvents) -> Boxed<'a, Result<Appended, StoreError>> {
        Box::pin(ready(self.add(stream, events)))
    }

    fn read<'a>(
        &'a self,
        stream: StreamName<'a>,
        after: u64,
        limit: usize,
    ) -> Boxed<'a, Result<Option<EventChunk>, StoreError>> {
        let (contents, now) = self.lock();
        let chunk = contents.streams.get(&key(stream), now).map(|stream| stream.after(after, limit));
        Box::pin(ready(Ok(chunk)))
    }

    fn watch<'a>(&'a self, stream: StreamName<'a>) -> Boxed<'a, Result<EventWatch, StoreError>> {
        Box::pin(ready(Ok(EventWatch::new(self.changes.join(&[&stream.topic()])))))
    }

    fn keep<'a>(&'a self, session: &'a str, time: Duration) -> Boxed<'a, Result<(), StoreError>> {
        let (mut contents, now) = self.lock();
        for number in contents.numbers(session) {
            let name = StreamName::new(session, number);
            if contents.streams.get(&key(name), now).is_some_and(|stream| !stream.finished) {
                // It is there, so that no room is needed.
                let _ = contents.begin(name, now.after(time), now, &self.bounds);
            }
        }
        Box::pin(ready(Ok(())))
    }

    fn remove<'a>(&'a self, stream: StreamName<'a>) -> Boxed<'a, Result<(), StoreError>> {
        self.forget(stream);
        Box::pin(ready(Ok(())))
    }

    fn remove_session<'a>(&'a self, session: &'a str) -> Boxed<'a, Result<(), StoreError>> {
        let numbers = self.lock().0.numbers(session);
        for number in numbers {
            self.forget(StreamName::new(session, number));
        }
        Box::pin(ready(Ok(())))
    }
}

impl fmt::Debug for MemoryEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let contents = self.contents.lock();
        f.debug_struct("MemoryEvents")
            .field("streams", &contents.streams.len())
            .field("bytes", &contents.bytes)
            .finish_non_exhaustive()
    }
}
