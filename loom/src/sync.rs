//! The atomics and locks of loom, under the names that the crates use.

pub(crate) use std::sync::PoisonError;

pub(crate) use loom::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, AtomicUsize, Ordering};
pub(crate) use loom::sync::{Mutex, MutexGuard, RwLock};

/// A value that is set once. Loom has none; what is set here is never freed, which a model can afford.
#[derive(Debug)]
pub(crate) struct OnceLock<T: 'static>(Mutex<Option<&'static T>>);

impl<T> OnceLock<T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    pub(crate) fn get(&self) -> Option<&T> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, value: T) -> Result<(), T> {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_some() {
            return Err(value);
        }
        *place = Some(Box::leak(Box::new(value)));
        Ok(())
    }
}
