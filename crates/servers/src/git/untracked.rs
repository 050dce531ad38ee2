//! Files that are neither in the index nor ignored.

use std::collections::HashSet;

use gix::{
    bstr::{BStr, BString, ByteSlice},
    index::entry::Mode,
    worktree::stack::state::ignore::Source,
};

use super::{failure::Result, repository::Repository, settings::ShowUntracked, worktree::FileKind};

/// Directories below each other, more than paths can have.
const DEEPEST: usize = 2048;

impl Repository {
    /// The untracked files as `git status` lists them: a directory without tracked files is one entry that ends with `/`.
    pub(super) fn untracked(&self, index: &gix::index::State) -> Result<Vec<BString>> {
        match self.settings.untracked {
            ShowUntracked::No => Ok(Vec::new()),
            ShowUntracked::Normal => self.walk_untracked(index, true),
            ShowUntracked::All => self.walk_untracked(index, false),
        }
    }

    /// Every untracked file by its own path. Nested repositories end with `/`.
    pub(super) fn untracked_files(&self, index: &gix::index::State) -> Result<Vec<BString>> {
        self.walk_untracked(index, false)
    }

    fn walk_untracked(&self, index: &gix::index::State, collapse: bool) -> Result<Vec<BString>> {
        let mut walk = Walk {
            repository: self,
            index,
            directories: tracked_directories(index),
            excludes: self.gix.excludes(index, None, Source::default())?,
            collapse,
            found: Vec::new(),
        };
        walk.directory(&BString::default(), 0)?;
        let mut found = walk.found;
        found.sort();
        Ok(found)
    }
}

struct Walk<'repo> {
    repository: &'repo Repository,
    index: &'repo gix::index::State,
    /// Directories with tracked files.
    directories: HashSet<&'repo BStr>,
    excludes: gix::AttributeStack<'repo>,
    collapse: bool,
    found: Vec<BString>,
}

impl Walk<'_> {
    fn directory(&mut self, directory: &BString, depth: usize) -> Result<()> {
        self.repository.cancellation.check()?;
        if depth > DEEPEST {
            return Ok(());
        }
        // A directory that cannot be read has nothing that could be staged.
        let Ok(entries) = self.repository.worktree()?.entries(directory.as_bstr()) else { return Ok(()) };
        for (name, kind) in entries {
            if name == ".git" || kind == FileKind::Other {
                continue;
            }
            let path = joined(directory, &name);
            if kind == FileKind::Directory {
                self.subdirectory(path, depth)?;
            } else if !self.is_tracked(path.as_bstr()) && !self.is_ignored(path.as_bstr(), Mode::FILE)? {
                self.found.push(path);
            }
        }
        Ok(())
    }

    fn subdirectory(&mut self, path: BString, depth: usize) -> Result<()> {
        if self.is_submodule(path.as_bstr()) {
            return Ok(());
        }
        if self.directories.contains(path.as_bstr()) {
            return self.directory(&path, depth + 1);
        }
        if self.is_ignored(path.as_bstr(), Mode::DIR)? {
            return Ok(());
        }
        let mut shown = path.clone();
        shown.push(b'/');
        if self.is_repository(&path)? {
            self.found.push(shown);
        } else if !self.collapse {
            self.directory(&path, depth + 1)?;
        } else if self.has_files(&path, depth + 1)? {
            self.found.push(shown);
        }
        Ok(())
    }

    /// Whether a directory without tracked files has anything that is not ignored.
    fn has_files(&mut self, directory: &BString, depth: usize) -> Result<bool> {
        self.repository.cancellation.check()?;
        if depth > DEEPEST {
            return Ok(false);
        }
        let Ok(entries) = self.repository.worktree()?.entries(directory.as_bstr()) else { return Ok(false) };
        for (name, kind) in entries {
            let path = joined(directory, &name);
            let mode = if kind == FileKind::Directory { Mode::DIR } else { Mode::FILE };
            if kind == FileKind::Other || self.is_ignored(path.as_bstr(), mode)? {
                continue;
            }
            if kind != FileKind::Directory || self.is_repository(&path)? || self.has_files(&path, depth + 1)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_tracked(&self, path: &BStr) -> bool {
        self.index.entry_range(path).is_some()
    }

    /// A tracked file that has become a directory is gone, and the files in the directory are not tracked.
    fn is_submodule(&self, path: &BStr) -> bool {
        let entries = self.index.entry_range(path).map_or(&[][..], |range| &self.index.entries()[range]);
        entries.iter().any(|entry| entry.mode == Mode::COMMIT)
    }

    fn is_ignored(&mut self, path: &BStr, mode: Mode) -> Result<bool> {
        Ok(self.excludes.at_entry(path, Some(mode))?.is_excluded())
    }

    /// A directory with a git directory of its own is not looked into.
    fn is_repository(&self, path: &BString) -> Result<bool> {
        let worktree = self.repository.worktree()?;
        let dot_git = joined(path, &".git".into());
        let Some(found) = worktree.stat(dot_git.as_bstr())? else { return Ok(false) };
        Ok(found.kind == FileKind::File || worktree.stat(joined(&dot_git, &"HEAD".into()).as_bstr())?.is_some())
    }
}

fn tracked_directories(index: &gix::index::State) -> HashSet<&BStr> {
    let mut directories = HashSet::new();
    let mut last: &BStr = b"".as_bstr();
    for entry in index.entries() {
        let path = entry.path(index);
        let Some(at) = path.rfind_byte(b'/') else { continue };
        let mut parent = path[..at].as_bstr();
        if parent == last {
            continue;
        }
        last = parent;
        while directories.insert(parent) {
            let Some(at) = parent.rfind_byte(b'/') else { break };
            parent = parent[..at].as_bstr();
        }
    }
    directories
}

fn joined(directory: &BString, name: &BString) -> BString {
    if directory.is_empty() {
        return name.clone();
    }
    [directory.as_slice(), b"/", name.as_slice()].concat().into()
}
