//! One connection: which HTTP it speaks, who writes to it, and how long it may take.

mod activity;
mod aside;
mod awaited;
mod bell;
mod io;
mod lent;
mod protocol;
mod serve;
mod streaming;
#[cfg(test)]
mod tests;

pub(crate) use activity::Busy;
pub(crate) use bell::unheard;
pub(crate) use protocol::Protocol;
pub(crate) use serve::serve;
