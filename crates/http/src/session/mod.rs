//! Sessions of the legacy era: data, not tasks.

mod id;
mod live;
mod outlet;
mod sessions;
mod usage;

pub use id::SessionId;
pub(crate) use live::{Active, CallId, Live, Running, Shared, Transport};
pub(crate) use sessions::Sessions;
