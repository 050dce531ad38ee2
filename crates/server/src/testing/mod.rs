//! Testing servers in memory, as clients of every revision see them.

mod answers;
mod client;
mod link;

pub use client::{Notification, TestClient};
