//! The keys that sign.

pub(crate) mod key_schedule;
pub(crate) mod keys;
pub(crate) mod shared_keys;
