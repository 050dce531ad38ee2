//! What the backends in memory share.

mod bounds;

pub(crate) use bounds::{Bounds, bounded};
