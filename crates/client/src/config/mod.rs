//! How a client is built, and what it is limited to.

mod builder;
mod limits;
mod options;

pub use builder::Builder;
pub use limits::{Limits, Restarts, Timeouts};

pub(crate) use builder::default_info;
pub(crate) use limits::LONGEST_NAME;
pub(crate) use options::Options;
