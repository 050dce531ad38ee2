//! What a store of events can do.

use std::fmt;
use std::time::Duration;

use super::{Appended, EventChunk, EventWatch, NewEvents, StreamName};
use crate::{Boxed, StoreError};

/// Keeps the events of streams in order, so that any node can send them again.
///
/// Each method is one step that happens whole or not at all, and can be made of one round trip to a database. Several nodes may write
/// to a stream: the store gives each event its place.
pub trait EventStore: fmt::Debug + Send + Sync + 'static {
    /// Begins a stream, so that readers can tell one without events from one that is gone. One that is there already is kept longer.
    ///
    /// # Errors
    /// There is no room, or the store is not available.
    fn open<'a>(&'a self, stream: StreamName<'a>, keep: Duration) -> Boxed<'a, Result<(), StoreError>>;

    /// Adds events, and begins the stream if it is not there.
    ///
    /// # Errors
    /// There is no room, or the store is not available.
    fn append<'a>(&'a self, stream: StreamName<'a>, events: NewEvents) -> Boxed<'a, Result<Appended, StoreError>>;

    /// Reads at most `limit` events after a place; `None` if there is no such stream, or not any more.
    ///
    /// # Errors
    /// The store is not available.
    fn read<'a>(
        &'a self,
        stream: StreamName<'a>,
        after: u64,
        limit: usize,
    ) -> Boxed<'a, Result<Option<EventChunk>, StoreError>>;

    /// Begins to notice changes of a stream, whether it is there or not. Every change after this returns is noticed.
    ///
    /// # Errors
    /// The store is not available.
    fn watch<'a>(&'a self, stream: StreamName<'a>) -> Boxed<'a, Result<EventWatch, StoreError>>;

    /// Keeps the streams of a session that are not finished for so long from now on, unless they are kept longer anyway.
    ///
    /// # Errors
    /// The store is not available.
    fn keep<'a>(&'a self, session: &'a str, time: Duration) -> Boxed<'a, Result<(), StoreError>>;

    /// Forgets a stream.
    ///
    /// # Errors
    /// The store is not available.
    fn remove<'a>(&'a self, stream: StreamName<'a>) -> Boxed<'a, Result<(), StoreError>>;

    /// Forgets all streams of a session.
    ///
    /// # Errors
    /// The store is not available.
    fn remove_session<'a>(&'a self, session: &'a str) -> Boxed<'a, Result<(), StoreError>>;
}
