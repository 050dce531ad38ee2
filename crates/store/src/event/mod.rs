//! Event logs: what was sent on a stream, in order, so that it can be sent again.

mod memory;
mod record;
mod store;
mod watch;

pub use memory::MemoryEvents;
pub use record::{Appended, EventChunk, EventLimits, NewEvent, NewEvents, StoredEvent, StreamName};
pub use store::EventStore;
pub use watch::EventWatch;

/// How many of the latest `once` keys a stream remembers.
pub(crate) const REMEMBERED: usize = 1024;
