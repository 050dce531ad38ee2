//! The locks and atomics of this crate, in one module, so that the loom models can replace them.

pub(crate) use parking_lot::{Mutex, MutexGuard};
