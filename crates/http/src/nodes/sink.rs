//! The way of events from the node that writes a stream to the store.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use jackfield_peer::Closed;
use jackfield_protocol::envelope::RawId;
use jackfield_store::{Appended, EventLimits, NewEvent, NewEvents, StoreError, StreamName};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::Node;
use super::node::lock;
use crate::events::{Event, MemoryEventLog, StreamKey};

/// How many events go to the store together.
const SHEAF: usize = 256;
/// How often an append is tried, with a pause between; about a minute.
const TRIES: u32 = 120;
const PAUSE: Duration = Duration::from_millis(500);

/// Takes the events of a stream to the store, in order. An event can be read when it is stored, not before: what a client has seen is
/// there for good, whatever becomes of this node.
pub(crate) struct Sink {
    node: Arc<Node>,
    key: StreamKey,
    session: String,
    limits: EventLimits,
    /// Where connections of this node read what is stored; none for a stream with several writers.
    log: Option<Arc<MemoryEventLog>>,
    state: Mutex<State>,
    /// Something has been stored, or its reader has sent something.
    progress: Notify,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<NewEvent>,
    bytes: usize,
    /// How many have been written so far.
    written: u64,
    /// How often those that waited were dropped.
    dropped: u64,
    finish: bool,
    /// What others have to know of the stream, if it is not told yet.
    header: Option<Bytes>,
    told: Option<Bytes>,
    opened: bool,
    flushing: bool,
    over: bool,
    /// What is being written comes too late, and has to be removed from the store again.
    too_late: bool,
}

/// What others have to know of a stream with one writer.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Header {
    /// The node that writes it.
    pub(super) node: String,
    /// The requests that are answered on it, as JSON texts.
    pub(super) requests: Vec<String>,
}

/// Where a header is kept.
pub(super) fn header_key(session: &str, stream: u64) -> String {
    format!("stream {session} {stream:x}")
}

/// What the answer to a request is known by: whoever gives one, the first one counts.
pub(super) fn answer_key(request: &str) -> String {
    format!("answer {request}")
}

impl Sink {
    /// Begins a stream that this node alone writes.
    pub(crate) fn own(
        node: &Arc<Node>,
        key: StreamKey,
        limits: EventLimits,
        log: &Arc<MemoryEventLog>,
        requests: &[RawId],
    ) -> Arc<Self> {
        // What is removed from the log stays removed, whatever is still being written.
        log.open(key);
        let sink = Arc::new(Self::new(node, key, limits, Some(log.clone())));
        sink.expect(requests);
        sink
    }

    /// Writes to a stream that other nodes write to as well.
    pub(crate) fn common(node: &Arc<Node>, key: StreamKey, limits: EventLimits) -> Arc<Self> {
        let sink = Self::new(node, key, limits, None);
        lock(&sink.state).opened = true;
        Arc::new(sink)
    }

    fn new(node: &Arc<Node>, key: StreamKey, limits: EventLimits, log: Option<Arc<MemoryEventLog>>) -> Self {
        Self {
            node: node.clone(),
            session: key.session.to_text(),
            key,
            limits,
            log,
            state: Mutex::default(),
            progress: Notify::new(),
        }
    }

    /// Tells that something has been stored, and is told that its reader has sent something.
    pub(crate) fn progress(&self) -> &Notify {
        &self.progress
    }

    /// Whether other nodes write to the stream too, so that only the store knows all of it.
    pub(crate) fn is_common(&self) -> bool {
        self.log.is_none()
    }

    /// Tells others which requests are answered on the stream.
    pub(crate) fn expect(self: &Arc<Self>, requests: &[RawId]) {
        let text = |id: &RawId| String::from_utf8_lossy(id.as_json()).into_owned();
        let header = Header { node: self.node.name.clone(), requests: requests.iter().map(text).collect() };
        if let Ok(header) = serde_json::to_vec(&header) {
            lock(&self.state).header = Some(header.into());
            self.flush();
        }
    }

    /// Tells others again, before they forget it.
    pub(crate) fn renew(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        if state.header.is_none() && !state.over {
            state.header = state.told.clone();
        }
        drop(state);
        self.flush();
    }

    /// Adds an event; `once` is what it is known by, if others may add it too.
    pub(crate) fn append(self: &Arc<Self>, data: Bytes, once: Option<String>) {
        let once = once.unwrap_or_else(|| self.node.unique());
        let mut state = lock(&self.state);
        if state.over || state.finish {
            return;
        }
        state.bytes = state.bytes.saturating_add(data.len());
        state.waiting.push_back(NewEvent::once(once, data));
        drop(state);
        self.flush();
    }

    /// Adds the answer to a request.
    pub(crate) fn answer(self: &Arc<Self>, request: &RawId, data: Bytes) {
        self.append(data, Some(answer_key(&String::from_utf8_lossy(request.as_json()))));
    }

    /// Notes that no more will come.
    pub(crate) fn finish(self: &Arc<Self>) {
        lock(&self.state).finish = true;
        self.flush();
    }

    /// Forgets the stream, here and in the store.
    pub(crate) fn remove(self: &Arc<Self>) {
        if !self.end() {
            let sink = self.clone();
            self.node.write(async move { sink.forget().await });
        }
    }

    /// Ends the stream of a session that is over, and has been removed from the store. Returns whether something is being written,
    /// which would bring it back: it is then removed again.
    pub(crate) fn end(&self) -> bool {
        let mut state = lock(&self.state);
        state.too_late = state.flushing;
        let too_late = state.too_late;
        drop(state);
        self.give_up();
        too_late
    }

    async fn forget(&self) {
        let name = StreamName::new(&self.session, self.key.stream);
        let _ = self.node.ask(self.node.stores.events().remove(name)).await;
        let _ = self.node.ask(self.node.stores.kv().remove(&header_key(&self.session, self.key.stream))).await;
    }

    /// Returns how many events and bytes are not stored yet.
    pub(crate) fn waiting(&self) -> (usize, usize) {
        let state = lock(&self.state);
        (state.waiting.len(), state.bytes)
    }

    /// Waits until all that has been added so far is stored.
    ///
    /// # Errors
    /// It will not be: the stream is over, or the store was away for too long.
    pub(crate) async fn drained(&self) -> Result<(), Closed> {
        let (wanted, dropped) = {
            let state = lock(&self.state);
            (state.added(), state.dropped)
        };
        loop {
            let stored = self.progress.notified();
            tokio::pin!(stored);
            stored.as_mut().enable();
            {
                let state = lock(&self.state);
                if state.dropped != dropped || state.over {
                    return Err(Closed);
                }
                if state.written >= wanted {
                    return Ok(());
                }
            }
            stored.await;
        }
    }

    /// Waits until the store knows of the stream.
    pub(crate) async fn opened(&self) {
        loop {
            let stored = self.progress.notified();
            tokio::pin!(stored);
            stored.as_mut().enable();
            if lock(&self.state).is_open() {
                return;
            }
            stored.await;
        }
    }

    fn flush(self: &Arc<Self>) {
        let mut state = lock(&self.state);
        if state.flushing || !state.has_work() {
            return;
        }
        state.flushing = true;
        drop(state);
        let sink = self.clone();
        self.node.write(async move { sink.write().await });
    }

    /// Writes until nothing waits any more. While it does, others gather behind it and go together.
    async fn write(&self) {
        let mut tries = 0;
        while self.goes_on() {
            match self.write_some().await {
                Ok(()) => tries = 0,
                Err(error) if tries < TRIES => {
                    tries += 1;
                    tracing::debug!(%error, "events wait for the store");
                    tokio::time::sleep((PAUSE / 8).saturating_mul(tries).min(PAUSE)).await;
                }
                Err(error) => {
                    tracing::warn!(%error, "events were dropped, because the store does not take them");
                    self.store_failed();
                    tries = 0;
                }
            }
        }
        if lock(&self.state).too_late {
            self.forget().await;
        }
    }

    fn goes_on(&self) -> bool {
        let mut state = lock(&self.state);
        state.flushing = state.has_work();
        state.flushing
    }

    async fn write_some(&self) -> Result<(), StoreError> {
        let header = lock(&self.state).header.clone();
        if let Some(header) = header {
            self.node.hold_lease().await?;
            let key = header_key(&self.session, self.key.stream);
            self.node.ask(self.node.stores.kv().put(&key, header.clone(), Some(self.limits.keep))).await?;
            let mut state = lock(&self.state);
            state.header.take_if(|waiting| *waiting == header);
            state.told = Some(header);
        }
        let (events, finish) = lock(&self.state).next();
        let (count, name) = (events.len(), StreamName::new(&self.session, self.key.stream));
        let data: Vec<Bytes> = events.iter().map(|event| event.data.clone()).collect();
        let mut new = NewEvents::new(events, self.limits);
        new.finish = finish;
        let appended = if count == 0 && !finish {
            self.node.ask(self.node.stores.events().open(name, self.limits.keep)).await?;
            Appended::At(Vec::new())
        } else {
            self.node.ask(self.node.stores.events().append(name, new)).await?
        };
        self.written(appended, data, finish);
        Ok(())
    }

    fn written(&self, appended: Appended, data: Vec<Bytes>, finish: bool) {
        let Appended::At(places) = appended else {
            // Others took this node for dead, and have ended the stream in its place.
            return self.give_up();
        };
        let mut state = lock(&self.state);
        state.opened = true;
        let bytes = data.iter().map(Bytes::len).sum();
        state.bytes = state.bytes.saturating_sub(bytes);
        let count = data.len().min(state.waiting.len());
        state.waiting.drain(..count);
        state.written = state.written.saturating_add(count as u64);
        state.over |= finish;
        drop(state);
        if let Some(log) = &self.log {
            for (sequence, data) in places.into_iter().zip(data) {
                log.append(self.key, Event { sequence, data });
            }
            if finish {
                log.finish(self.key);
            }
        }
        self.progress.notify_waiters();
    }

    /// Drops what waits. A stream with one writer would have a gap, so that it ends; that of a session goes on with what comes next.
    fn store_failed(&self) {
        if !self.is_common() {
            return self.give_up();
        }
        lock(&self.state).drop_waiting();
        self.progress.notify_waiters();
    }

    /// Ends the stream here; its readers find the rest in the store.
    fn give_up(&self) {
        let mut state = lock(&self.state);
        state.over = true;
        state.drop_waiting();
        drop(state);
        if let Some(log) = &self.log {
            log.remove(self.key);
        }
        self.progress.notify_waiters();
    }
}

impl State {
    fn has_work(&self) -> bool {
        !self.over && (self.header.is_some() || !self.waiting.is_empty() || self.finish || !self.opened)
    }

    fn drop_waiting(&mut self) {
        self.waiting.clear();
        self.bytes = 0;
        self.dropped = self.dropped.saturating_add(1);
    }

    fn added(&self) -> u64 {
        self.written.saturating_add(self.waiting.len() as u64)
    }

    fn is_open(&self) -> bool {
        self.opened || self.over
    }

    fn next(&self) -> (Vec<NewEvent>, bool) {
        let events: Vec<_> = self.waiting.iter().take(SHEAF).cloned().collect();
        let finish = self.finish && events.len() == self.waiting.len();
        (events, finish)
    }
}

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sink").field("key", &self.key).finish_non_exhaustive()
    }
}
