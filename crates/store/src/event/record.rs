//! What is kept of a stream.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

/// Names a stream: its session, and a number within it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StreamName<'a> {
    /// The session.
    pub session: &'a str,
    /// The stream within the session.
    pub number: u64,
}

impl<'a> StreamName<'a> {
    /// Names a stream.
    #[must_use]
    pub fn new(session: &'a str, number: u64) -> Self {
        Self { session, number }
    }

    /// The topic under which its changes are told.
    pub(crate) fn topic(self) -> String {
        format!("events {} {:x}", self.session, self.number)
    }
}

/// Whoever knows the session may be let in, so logs do not show it.
impl fmt::Debug for StreamName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StreamName(…, {:x})", self.number)
    }
}

/// How much of a stream is kept, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventLimits {
    /// The most events. The oldest make room.
    pub events: usize,
    /// The most bytes. The oldest events make room; the newest stays whatever its size.
    pub bytes: usize,
    /// How long the stream is kept after the last word about it.
    pub keep: Duration,
}

impl Default for EventLimits {
    /// 1000 events or 4 MiB, for five minutes.
    fn default() -> Self {
        Self { events: 1000, bytes: 4 * 1024 * 1024, keep: Duration::from_secs(300) }
    }
}

impl EventLimits {
    /// Sets all limits.
    #[must_use]
    pub fn new(events: usize, bytes: usize, keep: Duration) -> Self {
        Self { events, bytes, keep }
    }
}

/// An event that is to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewEvent {
    /// What it says.
    pub data: Bytes,
    /// What it is known by, if several nodes may add it and it must be kept once. A stream remembers the latest 1024 of them.
    pub once: Option<String>,
}

impl NewEvent {
    /// Makes an event.
    pub fn new(data: impl Into<Bytes>) -> Self {
        Self { data: data.into(), once: None }
    }

    /// Makes an event that is kept once, whoever adds it.
    pub fn once(key: impl Into<String>, data: impl Into<Bytes>) -> Self {
        Self { data: data.into(), once: Some(key.into()) }
    }
}

/// Events that are added together, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewEvents {
    /// The events.
    pub events: Vec<NewEvent>,
    /// No more will come after them.
    pub finish: bool,
    /// How much of the stream is kept.
    pub limits: EventLimits,
}

impl NewEvents {
    /// Describes events of a stream that goes on.
    #[must_use]
    pub fn new(events: Vec<NewEvent>, limits: EventLimits) -> Self {
        Self { events, finish: false, limits }
    }

    /// Says that no more will come.
    #[must_use]
    pub fn and_finish(mut self) -> Self {
        self.finish = true;
        self
    }
}

/// What became of events that were to be added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Appended {
    /// They are kept: the place of each, in order. One that was known before has its old place.
    At(Vec<u64>),
    /// The stream was finished before; nothing was added.
    Finished,
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEvent {
    /// Its place in the stream. The first event has 1, and there are no gaps but those that limits made.
    pub sequence: u64,
    /// What it says.
    pub data: Bytes,
}

/// What is known of a stream after some place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventChunk {
    /// The events, in order.
    pub events: Vec<StoredEvent>,
    /// These are the last: no more will come.
    pub finished: bool,
    /// There were others between the place and the first of these, which are not kept any more.
    pub missed: bool,
}

impl EventChunk {
    /// Makes a chunk, as a backend hands it out.
    #[must_use]
    pub fn new(events: Vec<StoredEvent>, finished: bool, missed: bool) -> Self {
        Self { events, finished, missed }
    }
}
