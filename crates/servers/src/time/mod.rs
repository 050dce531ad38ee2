//! The time server: what time it is, and what time it is elsewhere.

mod clock;
mod server;
mod zones;

pub use server::{Options, server};
pub use zones::UnknownZone;
