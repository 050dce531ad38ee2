//! Streams of events that a client can leave and come back to.

mod event_id;
mod log;
mod memory;
mod reader;
mod stream;

pub(crate) use event_id::EventId;
pub(crate) use log::{Chunk, Event, Gone, StreamKey};
pub(crate) use memory::MemoryEventLog;
pub(crate) use reader::{Elsewhere, EventBody, Format, Reader};
pub(crate) use stream::{Stream, one_line};
