//! From linked data back to messages.

mod decoder;
mod graph;
mod groups;
mod quads;

pub use decoder::{Decoder, decode};
pub(crate) use groups::groups;
pub(crate) use quads::{quads, quads_knowing};
