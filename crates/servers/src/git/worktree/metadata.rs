//! What is known about a file without reading it.

use gix::index::entry::{Mode, Stat};

/// The kinds that git tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
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
pub struct FileStat {
    pub(in super::super) kind: FileKind,
    pub(in super::super) executable: bool,
    pub(in super::super) stat: Stat,
}

impl FileStat {
    /// The mode that git would record, if it records such files at all. Directories have none of their own.
    pub(in super::super) fn mode(&self) -> Option<Mode> {
        match self.kind {
            FileKind::File if self.executable => Some(Mode::FILE_EXECUTABLE),
            FileKind::File => Some(Mode::FILE),
            FileKind::Link => Some(Mode::SYMLINK),
            FileKind::Directory | FileKind::Other => None,
        }
    }
}
