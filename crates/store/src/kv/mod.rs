//! Values by key, until they expire.

mod memory;
mod store;

pub use memory::MemoryKv;
pub use store::KvStore;
