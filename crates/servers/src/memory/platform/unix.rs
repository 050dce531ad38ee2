//! Files of Unix.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Waits until no other process changes the file of a graph, and keeps others waiting until the lock is dropped. What is locked is the
/// directory, because the file is replaced by another one, and a file of its own would stay behind.
pub(in super::super) fn lock(directory: &Path, _: &Path) -> io::Result<File> {
    let file = File::open(directory)?;
    file.lock()?;
    Ok(file)
}

/// Returns what tells a file from another one that has had the same name.
pub(in super::super) fn number(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// Makes a renamed file stay renamed.
pub(in super::super) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
