//! A directory for one test.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A directory of its own, empty, with its real path, that is gone at the end.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Makes one.
    ///
    /// # Errors
    /// There is no place for temporary files.
    pub fn new() -> io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("jackfield-test-{}-{number}", std::process::id()));
        // A process that had the same number may have been killed.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path)?;
        path.canonicalize().map(Self)
    }

    /// Returns its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of something in it.
    pub fn join(&self, below: impl AsRef<Path>) -> PathBuf {
        self.0.join(below)
    }

    /// Writes a file, and makes the directories that it is in.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> io::Result<PathBuf> {
        let path = self.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, contents)?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
