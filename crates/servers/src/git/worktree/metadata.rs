//! What is known about a file without reading it.

use gix::index::entry::{Mode, Stat};

/// The kinds that git tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::git) enum FileKind {
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A directory.
    Directory,
    /// A socket, pipe or device, which git ignores.
    Other,
}

/// The outcome of `lstat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::git) struct FileStat {
    pub(in crate::git) kind: FileKind,
    pub(in crate::git) executable: bool,
    pub(in crate::git) stat: Stat,
}

impl FileStat {
    /// The mode that git would record, if it records such files at all. Directories have none of their own.
    pub(in crate::git) fn mode(&self) -> Option<Mode> {
        match self.kind {
            FileKind::File if self.executable => Some(Mode::FILE_EXECUTABLE),
            FileKind::File => Some(Mode::FILE),
            FileKind::Link => Some(Mode::SYMLINK),
            FileKind::Directory | FileKind::Other => None,
        }
    }
}
