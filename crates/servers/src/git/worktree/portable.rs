//! Paths, for systems without directory handles: each component is looked at before it is used.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use gix::{
    bstr::{BStr, BString, ByteSlice},
    index::{entry::Stat, fs::Metadata},
};

use super::{FileKind, FileStat};

/// A working tree.
#[derive(Debug)]
pub(in crate::git) struct Worktree {
    root: PathBuf,
}

impl Worktree {
    /// The tree below `root`, whose own path may contain links.
    pub(in crate::git) fn open(root: &Path) -> io::Result<Self> {
        Ok(Self { root: root.canonicalize()? })
    }

    /// What stands at the path: nothing if it is missing or a parent is no directory.
    pub(in crate::git) fn stat(&self, path: &BStr) -> io::Result<Option<FileStat>> {
        let Ok(full) = self.full(path) else { return Ok(None) };
        let metadata = match Metadata::from_path_no_follow(&full) {
            Ok(metadata) => metadata,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let kind = if metadata.is_file() {
            FileKind::File
        } else if metadata.is_symlink() {
            FileKind::Link
        } else if metadata.is_dir() {
            FileKind::Directory
        } else {
            FileKind::Other
        };
        let stat = Stat::from_fs(&metadata).unwrap_or_default();
        Ok(Some(FileStat { kind, executable: metadata.is_executable(), stat }))
    }

    /// The content of a regular file.
    pub(in crate::git) fn read(&self, path: &BStr) -> io::Result<Vec<u8>> {
        let full = self.full(path)?;
        if !fs::symlink_metadata(&full)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        fs::read(full)
    }

    /// Where a symbolic link leads to.
    pub(in crate::git) fn read_link(&self, path: &BStr) -> io::Result<Vec<u8>> {
        let target = fs::read_link(self.full(path)?)?;
        Ok(gix::path::to_unix_separators(gix::path::into_bstr(target).map_err(io::Error::other)?).into_owned().into())
    }

    /// The entries of a directory (the root is the empty path) in order of their names.
    pub(in crate::git) fn entries(&self, path: &BStr) -> io::Result<Vec<(BString, FileKind)>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(if path.is_empty() { self.root.clone() } else { self.full(path)? })? {
            let entry = entry?;
            let file_type = entry.file_type()?;
            let kind = if file_type.is_file() {
                FileKind::File
            } else if file_type.is_symlink() {
                FileKind::Link
            } else if file_type.is_dir() {
                FileKind::Directory
            } else {
                FileKind::Other
            };
            let name = entry.file_name().into_string().map_err(|_| io::Error::other("a file name is not Unicode"))?;
            entries.push((BString::from(name), kind));
        }
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(entries)
    }

    /// Writes a new file, which must not exist, and its parents.
    pub(in crate::git) fn create(&self, path: &BStr, content: &[u8], _executable: bool) -> io::Result<()> {
        use io::Write;
        let full = self.with_parents(path)?;
        fs::File::create_new(full)?.write_all(content)
    }

    /// Links are written as files that hold their target, as git does without `core.symlinks`.
    pub(in crate::git) fn create_link(&self, path: &BStr, target: &[u8]) -> io::Result<()> {
        self.create(path, target, false)
    }

    /// Makes a directory and its parents where they are missing.
    pub(in crate::git) fn create_directory(&self, path: &BStr) -> io::Result<()> {
        fs::create_dir_all(self.full(path)?)
    }

    /// Removes a file or link; it may be gone already.
    pub(in crate::git) fn remove(&self, path: &BStr) -> io::Result<()> {
        let Ok(full) = self.full(path) else { return Ok(()) };
        match fs::remove_file(full) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Removes a directory if it is empty, and says whether it did.
    pub(in crate::git) fn remove_empty_directory(&self, path: &BStr) -> bool {
        self.full(path).is_ok_and(|full| fs::remove_dir(full).is_ok())
    }

    fn with_parents(&self, path: &BStr) -> io::Result<PathBuf> {
        let full = self.full(path)?;
        if let Some(parent) = full.parent() {
            fs::create_dir_all(parent)?;
        }
        Ok(full)
    }

    fn full(&self, path: &BStr) -> io::Result<PathBuf> {
        let mut full = self.root.clone();
        let mut components = path.split_str("/").peekable();
        while let Some(component) = components.next() {
            let name = component.to_str().map_err(io::Error::other)?;
            if matches!(name, "" | "." | "..") || name.contains(['\\', ':']) {
                return Err(io::ErrorKind::NotFound.into());
            }
            full.push(name);
            if components.peek().is_some() && fs::symlink_metadata(&full).is_ok_and(|metadata| !metadata.is_dir()) {
                return Err(io::ErrorKind::NotADirectory.into());
            }
        }
        Ok(full)
    }
}
