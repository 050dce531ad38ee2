//! Tasks and time: background work, shutdown, deadlines, and waits between attempts.

mod background;
mod backoff;
pub mod deadline;
mod shutdown;

pub use background::Background;
pub use backoff::Backoff;
pub use shutdown::{Shutdown, ShutdownTrigger};
