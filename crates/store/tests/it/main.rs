//! The stores against their contract.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod event_model;
mod memory;
mod memory_tasks;
mod properties;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "redis")]
mod redis_faults;
#[cfg(feature = "sqlite")]
mod sqlite;
