//! Tapes: recording what passes, and showing what was recorded.

mod recording;
mod teller;

pub(crate) use recording::Recording;
pub(crate) use teller::Teller;
