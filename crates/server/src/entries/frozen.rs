//! A value that is made anew after a change.

use std::sync::Arc;

use crate::sync::{AtomicBool, Ordering, RwLock};

/// A value that is made of something else, and anew only after that has changed. Taking it costs one uncontended lock.
#[derive(Debug)]
pub(crate) struct Frozen<T> {
    value: RwLock<Arc<T>>,
    stale: AtomicBool,
}

impl<T> Frozen<T> {
    /// Begins with a value that is made anew before anyone sees it.
    pub(crate) fn new(value: T) -> Self {
        Self { value: RwLock::new(Arc::new(value)), stale: AtomicBool::new(true) }
    }

    /// Returns the value; `make` makes it of what there is now.
    pub(crate) fn get(&self, make: impl FnOnce() -> T) -> Arc<T> {
        self.look(make, Arc::clone)
    }

    /// Looks at the value, which must be short and must not lead back here; `make` makes it of what there is now.
    pub(crate) fn look<R>(&self, make: impl FnOnce() -> T, look: impl FnOnce(&Arc<T>) -> R) -> R {
        if self.stale.load(Ordering::Acquire) {
            let mut value = self.value.write();
            // The mark is taken away under the lock, so that an older value never replaces a newer one.
            if self.stale.swap(false, Ordering::AcqRel) {
                *value = Arc::new(make());
            }
        }
        look(&self.value.read())
    }

    /// Notes that what it is made of has changed. Whoever takes it after this sees the change.
    pub(crate) fn thaw(&self) {
        // An exchange, as the one in `look`: then all have one order.
        self.stale.swap(true, Ordering::AcqRel);
    }
}
