//! One connection at a time: it is opened, agreed on, watched, and opened again.

mod core;
pub(crate) mod handshake;
pub(crate) mod keep_alive;
mod session;
mod supervisor;

pub use session::ServerInfo;

pub(crate) use core::{Core, State};
pub(crate) use session::Session;
pub(crate) use supervisor::Supervisor;
