//! What the backends in memory share.

mod expiring;

pub(crate) use expiring::Expiring;
