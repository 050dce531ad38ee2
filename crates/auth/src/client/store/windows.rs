//! Files in the user's profile, which the platform keeps from other users.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::StoreError;
use super::file::at;

/// Where programs of the user keep what is theirs.
pub(super) fn data_directory() -> Option<PathBuf> {
    std::env::var_os("LOCALAPPDATA").map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Makes a directory.
pub(super) fn make_directory(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

/// Makes a file that was not there before.
pub(super) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Opens the file that is locked; nothing is in it.
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Opens a file if it is a plain one.
pub(super) fn open_private(path: &Path) -> Result<File, StoreError> {
    let facts = std::fs::symlink_metadata(path).map_err(|error| at(path, error))?;
    if !facts.is_file() {
        return Err(StoreError::Unsafe(path.display().to_string(), "it is not a plain file"));
    }
    File::open(path).map_err(|error| at(path, error))
}
