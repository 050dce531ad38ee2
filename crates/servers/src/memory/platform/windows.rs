//! Files of Windows.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::MetadataExt;
use std::path::Path;

/// Waits until no other process changes the file of a graph, and keeps others waiting until the lock is dropped. Directories cannot be
/// locked here, so that there is a file beside it.
pub(in super::super) fn lock(_: &Path, path: &Path) -> io::Result<File> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(name)?;
    file.lock()?;
    Ok(file)
}

/// Returns what tells a file from another one that has had the same name.
pub(in super::super) fn number(metadata: &Metadata) -> (u64, u64) {
    (metadata.creation_time(), 0)
}

/// Renaming needs nothing more here.
pub(in super::super) fn sync_directory(_: &Path) -> io::Result<()> {
    Ok(())
}
