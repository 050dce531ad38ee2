//! The tests that every backend passes.
//!
//! A test of a backend makes a [`Setting`] and calls the contract in a runtime; what does not hold is told by a panic, as in any
//! test.

mod tasks;

use std::time::Duration;

pub use tasks::{CHECKS as TASK_CHECKS, TaskSetting, tasks};

/// Where a backend is tested.
pub trait Setting: Send + Sync {
    /// Lets time pass, as the backend sees it.
    fn pass(&self, time: Duration) -> crate::Boxed<'_, ()>;
}
