//! Files and directories: a replacement of `@modelcontextprotocol/server-filesystem`.
//!
//! [`Directories`] are opened once; everything is then done beneath their handles (`beneath`), so that checking a path and using it are
//! one act. The other modules know nothing of the protocol: each does one thing with a `Location` and returns text. Only `server`,
//! `session`, `definitions`, `tools` and `extra::tools` speak it.

mod beneath;
mod directories;
mod failure;
mod limits;
mod location;
mod path_text;
mod roots;

mod collation;
mod date;
mod diff;
mod edit;
mod glob;
mod info;
mod list;
mod media;
mod read;
mod search;
mod size;
mod tree;
mod walk;
mod write;

mod definitions;
mod extra;
mod options;
#[cfg(target_os = "linux")]
mod sandbox;
mod server;
mod session;
mod tools;

#[cfg(test)]
#[cfg(target_os = "linux")]
mod attacks;
#[cfg(test)]
mod test_directory;
#[cfg(test)]
#[cfg(unix)]
mod tests;

pub use directories::{Directories, NoneAccessible};
pub use limits::Limits;
pub use options::Options;
pub use roots::RootsPolicy;
#[cfg(target_os = "linux")]
pub use sandbox::{Wall, restrict_process};
pub use server::server;
