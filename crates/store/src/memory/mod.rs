//! What the backends in memory share.

mod bounds;
mod expiring;

pub(crate) use bounds::{Bounds, bounded};
pub(crate) use expiring::Expiring;
