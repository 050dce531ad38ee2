//! What Jackfield's own tests share.

mod faults;
mod folder;
#[cfg(feature = "fixtures")]
pub mod nodes;
mod paper;
mod port;
mod redis;
#[cfg(feature = "fixtures")]
pub mod soak;
mod waiting;

pub use faults::{Faults, Faulty};
pub use folder::Folder;
pub use paper::Paper;
pub use port::ReservedPort;
pub use redis::RedisServer;
#[cfg(feature = "paused-clock")]
pub use waiting::pass;
pub use waiting::{eventually, eventually_blocking};
