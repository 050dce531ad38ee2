//! Change notices: who is interested in a topic hears what is published under it, on whatever node.

mod hub;
mod mailbox;
mod memory;
mod store;
mod subscription;

pub(crate) use hub::Hub;
pub use memory::MemoryBus;
pub use store::Bus;
pub use subscription::{Notice, Subscription};
