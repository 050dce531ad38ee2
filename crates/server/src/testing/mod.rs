//! Testing servers in memory, as clients of every revision see them.

mod answers;
mod client;
mod link;
mod tasks;

pub use client::{Notification, TestClient, Tested};
