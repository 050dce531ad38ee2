//! What is kept of streams.

use bytes::Bytes;

use crate::SessionId;

/// Names a stream: its session, and a random number within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StreamKey {
    /// The session.
    pub(crate) session: SessionId,
    /// The stream within the session.
    pub(crate) stream: u64,
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its place in the stream; the first has 1.
    pub(crate) sequence: u64,
    /// The message.
    pub(crate) data: Bytes,
}

/// What a log knows of a stream after some place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// The events, in order.
    pub(crate) events: Vec<Event>,
    /// No more will come.
    pub(crate) finished: bool,
}

/// The log does not know the stream, or not any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gone;
