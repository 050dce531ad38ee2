//! What Jackfield's own tests share.

mod faults;
mod folder;
#[cfg(feature = "fixtures")]
pub mod nodes;
mod paper;
mod redis;
#[cfg(feature = "fixtures")]
pub mod soak;

pub use faults::{Faults, Faulty};
pub use folder::Folder;
pub use paper::Paper;
pub use redis::RedisServer;
