//! Where events are kept until the client has them.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;

use crate::SessionId;

/// Names a stream: its session, and a random number within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StreamKey {
    /// The session.
    pub session: SessionId,
    /// The stream within the session.
    pub stream: u64,
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its place in the stream; the first has 1.
    pub sequence: u64,
    /// The message.
    pub data: Bytes,
}

/// What a log knows of a stream after some place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The events, in order.
    pub events: Vec<Event>,
    /// No more will come.
    pub finished: bool,
}

/// The log does not know the stream, or not any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stream is not known")]
pub struct Gone;

/// The answer of [`EventLog::read`].
pub type Reading<'a> = Pin<Box<dyn Future<Output = Result<Chunk, Gone>> + Send + 'a>>;
/// The answer of [`EventLog::changed`].
pub type Changing<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Keeps the events of streams in order, so that a client that lost its connection gets each of them once.
///
/// A stream is written by the one process that runs its request, and may be read by any. A log may forget the oldest events
/// of a stream to stay within its limits.
pub trait EventLog: Send + Sync + fmt::Debug + 'static {
    /// Begins a stream.
    fn open(&self, stream: StreamKey);

    /// Adds an event. It must not wait: a log elsewhere queues what it has to send, in order.
    fn append(&self, stream: StreamKey, event: Event);

    /// Notes that no more events will come.
    fn finish(&self, stream: StreamKey);

    /// Reads what is there after a place, at once.
    fn read(&self, stream: StreamKey, after: u64) -> Reading<'_>;

    /// Waits until there is something after a place, or the stream is finished or gone.
    fn changed(&self, stream: StreamKey, after: u64) -> Changing<'_>;

    /// Forgets a stream.
    fn remove(&self, stream: StreamKey);
}
