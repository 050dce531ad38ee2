//! `jackfield serve`: reference servers, one process each.

mod command;
#[cfg(feature = "everything")]
mod everything;
#[cfg(feature = "fetch")]
mod fetch;
#[cfg(feature = "filesystem")]
mod filesystem;
#[cfg(feature = "git")]
mod git;
mod in_process;
#[cfg(feature = "memory")]
mod memory;
mod missing;
#[cfg(any(feature = "memory", feature = "sqlite"))]
mod paths;
#[cfg(feature = "sequentialthinking")]
mod sequentialthinking;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "time")]
mod time;
mod transport;

pub(crate) use command::Serve;
pub(crate) use in_process::in_process;
