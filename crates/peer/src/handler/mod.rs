//! The border between transports and what answers requests: a handler, what it gets, and what it gives back.

mod answering;
mod extensions;
mod handler_trait;
mod incoming;
mod outlet;
mod questions;

pub use answering::{Answering, Reply};
pub use extensions::Extensions;
pub use handler_trait::{Handler, TowerHandler};
pub use incoming::Incoming;
pub use outlet::{AskError, Closed, Outlet, RequestKey};
pub use questions::Questions;
