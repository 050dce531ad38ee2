//! Sessions of the legacy era: data, not tasks.

mod id;
mod in_flight;
mod local_session;
mod outlet;
mod sessions;
#[cfg(test)]
mod tests;
mod usage;

pub use id::SessionId;
pub(crate) use in_flight::Closing;
pub(crate) use local_session::{Active, LocalSession, Shared, Transport};
pub(crate) use sessions::Sessions;
