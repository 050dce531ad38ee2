//! What threads share, under one name, so that models of all interleavings can put their own in its place.

pub(crate) use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
pub(crate) use std::sync::{Mutex, OnceLock, PoisonError, RwLock};
