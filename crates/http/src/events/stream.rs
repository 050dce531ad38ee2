//! A stream as its writer sees it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use jackfield_peer::Closed;
use jackfield_protocol::envelope::RawId;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::{Event, MemoryEventLog, StreamKey};
use crate::HttpLimits;
use crate::nodes::Sink;

/// A stream as its writer sees it: what it has written, how much of that has been sent, and who reads it.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) key: StreamKey,
    log: Arc<MemoryEventLog>,
    /// Takes events to the store, where other nodes read them. What they have there is then read here as well.
    sink: Option<Arc<Sink>>,
    state: Mutex<State>,
    /// The reader has sent something, or has gone. A sink has its own.
    room: Notify,
    /// The reader has something to look at besides events.
    attention: Notify,
    limits: StreamLimits,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct StreamLimits {
    messages: u64,
    bytes: u64,
    kept: usize,
    kept_bytes: u64,
    wait: Duration,
}

#[derive(Debug, Default)]
struct State {
    /// The place of the newest event.
    newest: u64,
    /// The place of the newest event that was handed to a connection.
    sent: u64,
    /// How many bytes have been written, and how many of them were handed to a connection for the first time.
    bytes_written: u64,
    bytes_sent: u64,
    /// The bytes of the newest event, which is kept whatever its size.
    bytes_newest: u64,
    /// The bytes of each event that was not handed to a connection, where another node may be the one that hands it over.
    unsent: VecDeque<usize>,
    /// OwnerCounts the connections that have read the stream; the last one is its reader.
    readers: u64,
    connected: bool,
    /// The number of a connection of another node that reads it.
    elsewhere: Option<u64>,
    /// The reader is to end its connection, and the client to come back after so long.
    release: Option<Duration>,
    /// The writer has waited for a reader once, in vain. Until there is one, it does not wait again.
    given_up: bool,
    finished: Option<Instant>,
}

/// Why a reader has to end its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dismissed {
    /// Another connection reads the stream.
    Replaced,
    /// The client is to come back after so long.
    Release(Duration),
}

impl Stream {
    pub(crate) fn new(key: StreamKey, log: Arc<MemoryEventLog>, limits: &HttpLimits) -> Self {
        log.open(key);
        Self::with(key, log, limits, None)
    }

    /// Makes a stream whose events go to the store first.
    pub(crate) fn shared(key: StreamKey, log: Arc<MemoryEventLog>, limits: &HttpLimits, sink: Arc<Sink>) -> Self {
        Self::with(key, log, limits, Some(sink))
    }

    fn with(key: StreamKey, log: Arc<MemoryEventLog>, limits: &HttpLimits, sink: Option<Arc<Sink>>) -> Self {
        let limits = StreamLimits {
            messages: limits.queued_messages as u64,
            bytes: limits.queued_bytes as u64,
            kept: limits.kept_events,
            kept_bytes: limits.kept_bytes as u64,
            wait: limits.write_timeout,
        };
        Self { key, log, sink, state: Mutex::default(), room: Notify::new(), attention: Notify::new(), limits }
    }

    fn room(&self) -> &Notify {
        self.sink.as_ref().map_or(&self.room, |sink| sink.progress())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message, whatever waits already.
    pub(crate) fn append(&self, message: Vec<u8>) {
        self.append_as(message, |sink, data| sink.append(data, None));
    }

    /// Adds the answer to a request. There is one, whoever gives it.
    pub(crate) fn answer(&self, request: &RawId, message: Vec<u8>) {
        self.append_as(message, |sink, data| sink.answer(request, data));
    }

    /// Adds a message if not too many wait, once for all nodes that add it under this key.
    pub(crate) fn try_append_once(&self, key: &str, message: Vec<u8>) -> bool {
        let room = self.has_room();
        if room {
            self.append_as(message, |sink, data| sink.append(data, Some(key.to_owned())));
        }
        room
    }

    fn append_as(&self, message: Vec<u8>, store: impl FnOnce(&Arc<Sink>, Bytes)) {
        let data = one_line(message);
        // The lock is held while the log takes the event, so that places and order agree.
        let mut state = self.state();
        if state.finished.is_some() {
            return;
        }
        state.newest = state.newest.saturating_add(1);
        state.bytes_newest = data.len() as u64;
        state.bytes_written = state.bytes_written.saturating_add(state.bytes_newest);
        match &self.sink {
            Some(sink) => {
                if !sink.is_common() {
                    state.note_unsent(data.len(), self.limits.kept);
                }
                store(sink, data);
            }
            None => self.log.append(self.key, Event { sequence: state.newest, data }),
        }
    }

    /// Adds a message if not too many wait.
    pub(crate) fn try_append(&self, message: Vec<u8>) -> Result<(), Vec<u8>> {
        if !self.has_room() {
            return Err(message);
        }
        self.append(message);
        Ok(())
    }

    /// Adds a message; waits while too many are unsent, but not for ever: a client that is away or does not read must not
    /// stop the work. Then its connection is closed, and the oldest event makes room.
    ///
    /// A message that belongs to no request is there for good when this returns; if the store does not take it, it fails.
    pub(crate) async fn append_when_room(&self, message: Vec<u8>) -> Result<(), Closed> {
        let room = async {
            loop {
                let room = self.room().notified();
                tokio::pin!(room);
                room.as_mut().enable();
                if self.has_room() {
                    return;
                }
                room.await;
            }
        };
        if !self.has_room() && timeout(self.limits.wait, room).await.is_err() {
            self.release(Duration::ZERO);
            self.state().given_up = true;
            // One that reads at another node may have died with it.
            self.left_elsewhere(None);
        }
        self.append(message);
        // What belongs to no request has nothing else that would tell whether it was lost with this process.
        match self.sink.as_ref().filter(|sink| sink.is_common()) {
            Some(sink) => timeout(self.limits.wait, sink.drained()).await.unwrap_or(Err(Closed)),
            None => Ok(()),
        }
    }

    fn has_room(&self) -> bool {
        let state = self.state();
        let (messages, bytes) = match &self.sink {
            // Nobody here reads it: what counts is what the store has not taken yet.
            Some(sink) if sink.is_common() || !(state.connected || state.elsewhere.is_some()) => {
                let (messages, bytes) = sink.waiting();
                (messages as u64, bytes as u64)
            }
            _ if state.given_up => return true,
            _ => (state.newest.saturating_sub(state.sent), state.bytes_written.saturating_sub(state.bytes_sent)),
        };
        messages == 0 || (messages < self.limits.messages && bytes < self.limits.bytes)
    }

    /// Notes that no more messages will come.
    pub(crate) fn finish(&self) {
        let mut state = self.state();
        if state.finished.is_none() {
            state.finished = Some(Instant::now());
            match &self.sink {
                Some(sink) => sink.finish(),
                None => self.log.finish(self.key),
            }
        }
    }

    /// Names the requests that are answered on the stream, for those who may have to do it in place of this process.
    pub(crate) fn expect(&self, requests: &[RawId]) {
        if let Some(sink) = &self.sink {
            sink.expect(requests);
        }
    }

    /// Has other nodes remember the stream for longer, if it is not finished.
    pub(crate) fn renew(&self) {
        if let Some(sink) = self.sink.as_ref().filter(|sink| !sink.is_common() && self.state().finished.is_none()) {
            sink.renew();
        }
    }

    /// Waits until a client can come back to the stream.
    pub(crate) async fn opened(&self) {
        if let Some(sink) = &self.sink {
            sink.opened().await;
        }
    }

    /// Whether other nodes can read it.
    pub(crate) fn is_shared(&self) -> bool {
        self.sink.is_some()
    }

    /// Returns since when the stream is finished, and how many bytes of it may be kept.
    pub(crate) fn finished(&self) -> Option<(Instant, u64)> {
        let state = self.state();
        let kept = state.bytes_written.min(self.limits.kept_bytes.max(state.bytes_newest));
        state.finished.map(|at| (at, kept))
    }

    /// Whether a connection reads it, here or at another node.
    pub(crate) fn is_read(&self) -> bool {
        let state = self.state();
        state.connected || state.elsewhere.is_some()
    }

    /// Returns the place of the newest event.
    pub(crate) fn newest(&self) -> u64 {
        self.state().newest
    }

    /// Forgets the stream.
    pub(crate) fn remove(&self) {
        match &self.sink {
            Some(sink) => sink.remove(),
            None => self.finish(),
        }
        self.log.remove(self.key);
    }

    /// Forgets the stream in this process; in the store it stays.
    pub(crate) fn leave(&self) {
        match &self.sink {
            Some(_) => self.log.remove(self.key),
            None => self.remove(),
        }
    }

    /// Forgets the stream of a session that is over; who ended it has removed it from the store.
    pub(crate) fn end(&self) {
        match &self.sink {
            Some(sink) => drop(sink.end()),
            None => self.remove(),
        }
        self.replace();
    }

    /// Makes a connection the reader, in place of the one before. Returns its number, and the place up to which events have
    /// been sent already.
    pub(crate) fn attach(&self) -> (u64, u64) {
        let mut state = self.state();
        state.readers = state.readers.saturating_add(1);
        (state.connected, state.elsewhere, state.given_up) = (true, None, false);
        // Whoever was released has come back; only the first connection may have been released before it came.
        if state.readers > 1 {
            state.release = None;
        }
        let attached = (state.readers, state.sent);
        drop(state);
        self.attention.notify_waiters();
        attached
    }

    /// Notes that a connection of another node reads the stream.
    pub(crate) fn read_elsewhere(&self, reader: u64) {
        let mut state = self.state();
        (state.elsewhere, state.given_up) = (Some(reader), false);
        drop(state);
        self.replace();
    }

    /// Notes up to where a connection of another node has been handed events.
    pub(crate) fn sent_elsewhere(&self, place: u64) {
        self.state().note_sent(place);
        self.room().notify_waiters();
    }

    /// Notes that a connection of another node does not read the stream any more, or that none does.
    pub(crate) fn left_elsewhere(&self, reader: Option<u64>) {
        self.state().elsewhere.take_if(|known| reader.is_none_or(|reader| reader == *known));
        self.room().notify_waiters();
    }

    /// Dismisses the reader, because there is another one.
    pub(crate) fn replace(&self) {
        let mut state = self.state();
        state.readers = state.readers.saturating_add(1);
        state.connected = false;
        drop(state);
        self.attention.notify_waiters();
    }

    /// Notes that a reader has gone.
    pub(crate) fn detach(&self, reader: u64) {
        let mut state = self.state();
        if state.readers == reader {
            state.connected = false;
        }
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.state().connected
    }

    /// Whether a connection has ever read the stream.
    pub(crate) fn was_read(&self) -> bool {
        self.state().readers > 0
    }

    /// Notes that a reader has handed events to its connection.
    pub(crate) fn sent(&self, events: &[Event]) {
        let mut state = self.state();
        if let Some(newest) = events.last().filter(|_| !state.unsent.is_empty()) {
            state.note_sent(newest.sequence);
        }
        for event in events {
            if event.sequence > state.sent {
                state.sent = event.sequence;
                state.bytes_sent = state.bytes_sent.saturating_add(event.data.len() as u64);
            }
        }
        drop(state);
        self.room().notify_waiters();
    }

    /// Asks the reader to end its connection.
    pub(crate) fn release(&self, retry: Duration) {
        let mut state = self.state();
        if state.connected {
            state.release = Some(retry);
            drop(state);
            self.attention.notify_waiters();
        }
    }

    /// Asks the reader to end its connection, also one that is about to come.
    pub(crate) fn release_when_read(&self, retry: Duration) {
        self.state().release = Some(retry);
        self.attention.notify_waiters();
    }

    /// Waits until a reader has to end its connection.
    pub(crate) async fn dismissed(&self, reader: u64) -> Dismissed {
        loop {
            let attention = self.attention.notified();
            tokio::pin!(attention);
            attention.as_mut().enable();
            {
                let mut state = self.state();
                if state.readers != reader {
                    return Dismissed::Replaced;
                }
                if let Some(retry) = state.release.take() {
                    return Dismissed::Release(retry);
                }
            }
            attention.await;
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // Nobody knows it any more, and nobody can come back to it.
        self.log.remove(self.key);
    }
}

impl State {
    /// Remembers the size of an event, but of no more of them than are kept.
    fn note_unsent(&mut self, bytes: usize, kept: usize) {
        self.unsent.push_back(bytes);
        if self.unsent.len() > kept {
            self.note_sent(self.sent.saturating_add(1));
        }
    }

    /// OwnerCounts events as sent up to a place, by the sizes that were remembered.
    fn note_sent(&mut self, place: u64) {
        while self.sent < place.min(self.newest)
            && let Some(bytes) = self.unsent.pop_front()
        {
            self.sent = self.sent.saturating_add(1);
            self.bytes_sent = self.bytes_sent.saturating_add(bytes as u64);
        }
    }
}

/// Makes one line of a message.
pub(crate) fn one_line(mut message: Vec<u8>) -> Bytes {
    jackfield_peer::in_one_line(&mut message);
    message.into()
}
