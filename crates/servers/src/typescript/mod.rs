//! How servers of the TypeScript family answer: clients see these texts, so a drop-in server keeps them.

mod answers;
mod check;
mod tool;

#[cfg(any(feature = "filesystem", feature = "memory", feature = "sequentialthinking"))]
pub(crate) use answers::server;
#[cfg(feature = "everything")]
pub(crate) use answers::{answer, unknown_tools};
pub(crate) use tool::tool;
#[cfg(feature = "sequentialthinking")]
pub(crate) use tool::tool_checked_by;
