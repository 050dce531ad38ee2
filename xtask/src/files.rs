//! The text files of the project.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Folders with what is built, fetched or found, never with what is written.
const PASSED_OVER: &[&str] = &["target", ".git", "node_modules", "artifacts", "corpus", "wip"];

/// A text file.
#[derive(Debug)]
pub(crate) struct File {
    /// Relative to the root of the project.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl File {
    pub(crate) fn is_rust(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "rs")
    }

    pub(crate) fn is_markdown(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "md")
    }

    /// Says whether the file is compiled for tests only: it lies in a `tests` folder, or is the `tests.rs` beside some code.
    pub(crate) fn is_test(&self) -> bool {
        self.path.iter().any(|part| part == "tests" || part == "tests.rs" || part == "benches")
    }
}

/// Reads all text files below `root`, in the order of their paths.
pub(crate) fn of(root: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))? {
            let entry = entry?;
            let (kind, path) = (entry.file_type()?, entry.path());
            if PASSED_OVER.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file()
                && let Ok(text) = String::from_utf8(std::fs::read(&path)?)
            {
                files.push(File { path: path.strip_prefix(root)?.to_owned(), text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}
