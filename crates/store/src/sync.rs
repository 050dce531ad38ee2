//! What threads share, under one name, so that models of all interleavings can put their own in its place.

pub(crate) use std::sync::{Mutex, MutexGuard, PoisonError};
