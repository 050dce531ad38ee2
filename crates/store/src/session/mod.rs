//! Sessions: what a client and a server agreed on, where every node finds it.

mod memory;
mod record;
mod store;

pub use memory::MemorySessions;
pub use record::{NewSession, SessionRecord};
pub use store::SessionStore;
