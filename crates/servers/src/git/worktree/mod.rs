//! Files of a working tree, reached from a handle on its root and never through a link.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use portable::Worktree;
#[cfg(unix)]
pub use unix::Worktree;

mod metadata;
pub use metadata::{FileKind, FileStat};
