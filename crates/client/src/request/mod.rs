//! One request: written, sent, waited for, and asked again with answers to the server's questions.

mod behalf;
mod outbound;
mod pending_request;
mod pending_table;
mod rounds;

pub use behalf::Behalf;

pub(crate) use outbound::{Outbound, QUEUED_BYTES, caller_text, cancel, send, send_outbound, send_request};
pub(crate) use pending_request::{Deadline, OnProgress, RequestOptions, complete};
pub(crate) use pending_table::{Fault, PendingEvent, PendingTable};
pub(crate) use rounds::{Finished, Repeatable, ToolCall};
