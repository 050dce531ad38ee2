//! Who hears of changes.

pub(crate) mod changes;
pub(crate) mod listen;
pub(crate) mod watched;
