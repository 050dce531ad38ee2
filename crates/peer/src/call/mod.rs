//! The life of a request: it is started, refused, cancelled, finished and written here, for every transport.

mod batches;
mod cancellation;
mod panics;

pub(crate) use batches::{BatchKey, Batches};
pub use cancellation::Cancellation;
pub use panics::{Guarded, handle};
