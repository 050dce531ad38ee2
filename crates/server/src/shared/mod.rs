//! One server in several processes: what each of them has to know of the others, by the stores that they share.

mod bridge;
mod keys;
mod start;

pub(crate) use bridge::Bridge;
pub(crate) use start::start;
