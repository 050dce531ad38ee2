//! What Jackfield's own tests share.

mod faults;
mod redis;

pub use faults::{Faults, Faulty};
pub use redis::RedisServer;
