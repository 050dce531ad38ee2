//! `jackfield serve`: reference servers, one process each.

mod command;
#[cfg(feature = "everything")]
mod everything;
#[cfg(feature = "git")]
mod git;
mod missing;
#[cfg(feature = "time")]
mod time;
mod transport;

pub(crate) use command::Serve;
