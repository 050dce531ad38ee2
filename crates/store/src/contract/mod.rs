//! The tests that every backend passes.
//!
//! A test of a backend makes a [`Setting`] and calls the contract in a runtime; what does not hold is told by a panic, as in any
//! test.

mod bus;
mod events;
mod kv;
mod sessions;
mod tasks;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

pub use bus::CHECKS as BUS_CHECKS;
pub use events::CHECKS as EVENT_CHECKS;
pub use kv::CHECKS as KV_CHECKS;
pub use sessions::CHECKS as SESSION_CHECKS;
pub use tasks::{CHECKS as TASK_CHECKS, TaskSetting, tasks};

use crate::{Boxed, Stores, TaskStore};

/// Where a backend is tested.
pub trait Setting: Send + Sync {
    /// Lets time pass, as the backend sees it.
    fn pass(&self, time: Duration) -> Boxed<'_, ()>;
}

/// Where a backend with all stores is tested.
pub trait StoresSetting: Setting {
    /// Makes empty stores, and two ways to them, as two nodes would have them. Two calls share nothing.
    fn pair(&self) -> Boxed<'_, (Stores, Stores)>;
}

/// A check of stores, and what holds if it passes.
pub type StoresCheck = (&'static str, for<'a> fn(&'a dyn StoresSetting) -> Boxed<'a, ()>);

impl<S: StoresSetting> TaskSetting for S {
    fn store(&self) -> Boxed<'_, Arc<dyn TaskStore>> {
        Box::pin(async { self.pair().await.0.tasks().clone() })
    }
}

/// Runs all checks of all stores, each with stores of its own.
///
/// # Panics
/// The backend breaks the contract.
pub async fn stores(setting: &impl StoresSetting) {
    for (_, check) in [SESSION_CHECKS, EVENT_CHECKS, KV_CHECKS, BUS_CHECKS].into_iter().flatten() {
        check(setting).await;
    }
    tasks(setting).await;
}

/// Longer than all checks take.
const LONG: Duration = Duration::from_secs(600);
/// As short as a backend with a real clock can tell apart.
const SHORT: Duration = Duration::from_millis(400);

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

/// Waits for something that has to happen.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("it happens soon")
}
