//! Files that only their owner can read, on Unix.

use std::fs::File;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use super::StoreError;
use super::file::at;

/// Where programs of the user keep what is theirs.
pub(super) fn data_directory() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(target_os = "macos") {
        return absolute("HOME").map(|home| home.join("Library/Application Support"));
    }
    absolute("XDG_DATA_HOME").or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
}

/// Makes a directory that only its owner can enter; the ones above it are as they are.
pub(super) fn make_directory(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    match std::fs::DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made,
    }
}

fn open(path: &Path, flags: OFlags) -> io::Result<File> {
    let mode = Mode::RUSR | Mode::WUSR;
    let file = File::from(rustix::fs::open(path, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, mode)?);
    Ok(file)
}

/// Makes a file that was not there before.
pub(super) fn create_private(path: &Path) -> io::Result<File> {
    open(path, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)
}

/// Opens the file that is locked; nothing is in it.
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    open(path, OFlags::RDWR | OFlags::CREATE)
}

/// Opens a file if it is ours alone.
pub(super) fn open_private(path: &Path) -> Result<File, StoreError> {
    let file = open(path, OFlags::RDONLY).map_err(|error| at(path, error))?;
    let facts = file.metadata().map_err(|error| at(path, error))?;
    let bad = |why| Err(StoreError::Unsafe(path.display().to_string(), why));
    if !facts.is_file() {
        return bad("it is not a plain file");
    }
    if facts.mode() & 0o077 != 0 {
        return bad("others than its owner may use it");
    }
    if facts.uid() != rustix::process::geteuid().as_raw() {
        return bad("it belongs to somebody else");
    }
    Ok(file)
}
