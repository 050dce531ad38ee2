//! What Jackfield's own tests share.

mod faults;
#[cfg(feature = "fixtures")]
pub mod nodes;
mod redis;
#[cfg(feature = "fixtures")]
pub mod soak;

pub use faults::{Faults, Faulty};
pub use redis::RedisServer;
