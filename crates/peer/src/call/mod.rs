//! The life of a request: it is checked, begun, cancelled, finished and written here, for every transport.
//!
//! Who owns the work differs: a byte stream is one task without locks, a session over HTTP is shared by threads, a modern request over HTTP
//! lives in its response. All of them take a request through the same steps:
//!
//! 1. [`received`] sorts out what cannot be read; [`check_batch_entry`] and [`Running::check_request`] refuse what may not start.
//! 2. [`CallerResolver`](crate::CallerResolver) says who is calling.
//! 3. [`ActiveRequest::begin`] hands the request to the handler, and polls it once in place.
//! 4. [`Work::Pending`] becomes a task, which stands in [`Running`] until it ends or is cancelled.
//! 5. [`ActiveRequest::answer`] writes the reply.

mod active_request;
mod batch_text;
mod cancellation;
mod operation;
mod panics;
mod received;
#[cfg(feature = "opentelemetry")]
mod remote_parent;
mod running;
mod work;
mod write;

pub use active_request::ActiveRequest;
pub use batch_text::BatchText;
pub use cancellation::Cancellation;
pub use operation::Origin;
pub use panics::Guarded;
pub use received::received;
pub use running::{Running, RunningEntry, check_batch_entry};
pub use work::Work;
pub use write::{in_one_line, write_error, write_reply};
