//! The atomics and locks of loom, under the names and with the methods that the crates use. The locks have the interface of `parking_lot`: no poisoning.

pub(crate) use loom::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, AtomicUsize, Ordering};
pub(crate) use loom::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().expect("no model panics with a lock")
    }
}

#[derive(Debug, Default)]
pub(crate) struct RwLock<T>(loom::sync::RwLock<T>);

impl<T> RwLock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(loom::sync::RwLock::new(value))
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().expect("no model panics with a lock")
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().expect("no model panics with a lock")
    }
}

/// A value that is set once. Loom has none; what is set here is never freed, which a model can afford.
#[derive(Debug)]
pub(crate) struct OnceLock<T: 'static>(Mutex<Option<&'static T>>);

impl<T> OnceLock<T> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(None))
    }

    pub(crate) fn get(&self) -> Option<&T> {
        *self.0.lock()
    }

    pub(crate) fn set(&self, value: T) -> Result<(), T> {
        let mut place = self.0.lock();
        if place.is_some() {
            return Err(value);
        }
        *place = Some(Box::leak(Box::new(value)));
        Ok(())
    }
}
