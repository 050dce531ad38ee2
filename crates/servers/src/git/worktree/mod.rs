//! Files of a working tree, reached from a handle on its root and never through a link.

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(in crate::git) use portable::Worktree;
#[cfg(unix)]
pub(in crate::git) use unix::Worktree;

mod metadata;
pub(in crate::git) use metadata::{FileKind, FileStat};
