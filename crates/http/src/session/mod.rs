//! Sessions of the legacy era: data, not tasks.

mod calls;
mod id;
mod live;
mod outlet;
mod sessions;
#[cfg(test)]
mod tests;
mod usage;

pub(crate) use calls::{CallId, Closing};
pub use id::SessionId;
pub(crate) use live::{Active, Live, Shared, Transport};
pub(crate) use sessions::Sessions;
