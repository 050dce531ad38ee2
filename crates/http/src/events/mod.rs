//! Streams of events that a client can leave and come back to.

mod event_id;
mod log;
mod memory;
mod reader;
mod stream;

pub(crate) use event_id::EventId;
pub use log::{Changing, Chunk, Event, EventLog, Gone, Reading, StreamKey};
pub use memory::MemoryEventLog;
pub(crate) use reader::{EventBody, Format, Reader};
pub(crate) use stream::{Stream, one_line};
