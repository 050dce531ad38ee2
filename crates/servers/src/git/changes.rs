//! Which files differ between a tree, the index and the working tree.

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice},
    index::entry::{Mode, Stage},
};

use super::{
    failure::Result,
    repository::Repository,
    worktree_state::{EntryState, WorktreeComparison},
};

/// One side of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) path: BString,
    pub(super) mode: Mode,
    pub(super) id: ObjectId,
    pub(super) source: Source,
}

/// Where the content of a version is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Object,
    Worktree,
    /// A submodule whose working tree has changes of its own.
    DirtySubmodule,
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    Added(Version),
    Deleted(Version),
    Modified(Version, Version),
    /// With the similarity in percent.
    Renamed(Version, Version, u32),
    /// A conflict that is not resolved.
    Unmerged(BString),
}

impl Change {
    /// The path under which the change is listed.
    pub(super) fn path(&self) -> &BString {
        match self {
            Self::Added(version) | Self::Deleted(version) => &version.path,
            Self::Modified(_, new) | Self::Renamed(_, new, _) => &new.path,
            Self::Unmerged(path) => path,
        }
    }
}

/// A file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeFile {
    pub(super) path: BString,
    pub(super) mode: Mode,
    pub(super) id: ObjectId,
}

impl TreeFile {
    fn version(&self) -> Version {
        Version { path: self.path.clone(), mode: self.mode, id: self.id, source: Source::Object }
    }
}

impl Repository {
    /// All files of a tree in order of their paths.
    pub(super) fn tree_files(&self, tree: Option<ObjectId>) -> Result<Vec<TreeFile>> {
        let mut files = Vec::new();
        if let Some(tree) = tree {
            self.collect_tree(tree, &mut BString::default(), &mut files, 0)?;
        }
        // A directory `a` comes after a file `a.b` in a tree and before it in an index.
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }

    fn collect_tree(&self, tree: ObjectId, path: &mut BString, files: &mut Vec<TreeFile>, depth: usize) -> Result<()> {
        // No file system holds deeper paths, and the recursion has to end on a hostile tree.
        const DEEPEST: usize = 2048;
        self.cancellation.check()?;
        if depth > DEEPEST {
            return Err(super::failure::Failure::new("the tree is nested too deeply"));
        }
        if tree == ObjectId::empty_tree(tree.kind()) {
            return Ok(());
        }
        let object = self.gix.find_tree(tree)?;
        for entry in object.iter() {
            let entry = entry?;
            let length = path.len();
            if length > 0 {
                path.push(b'/');
            }
            path.extend_from_slice(entry.filename());
            if entry.mode().is_tree() {
                self.collect_tree(entry.object_id(), path, files, depth + 1)?;
            } else {
                let mode = Mode::from_bits_truncate(u32::from(entry.mode().value()));
                files.push(TreeFile { path: path.clone(), mode: canonical(mode), id: entry.object_id() });
            }
            path.truncate(length);
        }
        Ok(())
    }

    /// What differs between two trees.
    pub(super) fn tree_changes(&self, old: Option<ObjectId>, new: Option<ObjectId>) -> Result<Vec<Change>> {
        let new = self.tree_files(new)?;
        Ok(compare(&self.tree_files(old)?, new.iter().map(|file| (file.path.clone(), Some(file.version())))))
    }

    /// What is staged: the index against a tree.
    pub(super) fn staged_changes(&self, tree: Option<ObjectId>, index: &gix::index::State) -> Result<Vec<Change>> {
        // Git keeps the name of the tree that the index stands for while it is not changed.
        let known = index.tree().and_then(|cached| cached.num_entries.is_some().then_some(cached.id));
        if known.is_some() && known == tree {
            return Ok(Vec::new());
        }
        let old = self.tree_files(tree)?;
        let entries = index_paths(index).map(|(path, entry)| {
            let version = entry.filter(|entry| !is_intent_to_add(entry)).map(|entry| Version {
                path: path.clone(),
                mode: entry.mode,
                id: entry.id,
                source: Source::Object,
            });
            (path, version, entry.is_none())
        });
        let mut unmerged = Vec::new();
        let mut staged = Vec::new();
        for (path, version, conflict) in entries {
            if conflict {
                unmerged.push(path);
            } else if let Some(version) = version {
                staged.push((path, Some(version)));
            }
        }
        let changes = compare(&old, staged.into_iter());
        Ok(with_unmerged(changes, unmerged))
    }

    /// What differs between the index and the working tree.
    pub(super) fn unstaged_changes(&self, index: &gix::index::File) -> Result<Vec<Change>> {
        let mut comparison = WorktreeComparison::new(self, index)?;
        let mut changes = Vec::new();
        for (path, entry) in index_paths(index) {
            self.cancellation.check()?;
            let Some(entry) = entry else {
                changes.push(Change::Unmerged(path));
                continue;
            };
            let old = Version { path: path.clone(), mode: entry.mode, id: entry.id, source: Source::Object };
            match comparison.state(entry)? {
                EntryState::Unchanged => {}
                EntryState::Missing if is_intent_to_add(entry) => {}
                EntryState::Missing => changes.push(Change::Deleted(old)),
                EntryState::Differs { mode, submodule } => {
                    let new = comparison.version(path, mode, submodule)?;
                    changes.push(if is_intent_to_add(entry) { Change::Added(new) } else { Change::Modified(old, new) });
                }
            }
        }
        Ok(changes)
    }

    /// What differs between a tree and the working tree, for the files that the index knows.
    pub(super) fn changes_since(&self, tree: ObjectId, index: &gix::index::File) -> Result<Vec<Change>> {
        let mut comparison = WorktreeComparison::new(self, index)?;
        let mut present = Vec::new();
        for (path, entry) in index_paths(index) {
            self.cancellation.check()?;
            let version = match entry {
                Some(entry) => match comparison.state(entry)? {
                    EntryState::Missing => None,
                    EntryState::Unchanged => {
                        Some(Version { path: path.clone(), mode: entry.mode, id: entry.id, source: Source::Object })
                    }
                    EntryState::Differs { mode, submodule } => {
                        Some(comparison.version(path.clone(), mode, submodule)?)
                    }
                },
                None => comparison.version_of_conflict(&path)?,
            };
            present.push((path, version));
        }
        Ok(compare(&self.tree_files(Some(tree))?, present.into_iter()))
    }
}

/// Git knows two modes of regular files; old trees have others.
pub(super) fn canonical(mode: Mode) -> Mode {
    match mode.bits() & 0o170_000 {
        0o100_000 if mode.bits() & 0o100 != 0 => Mode::FILE_EXECUTABLE,
        0o100_000 => Mode::FILE,
        0o120_000 => Mode::SYMLINK,
        _ => Mode::COMMIT,
    }
}

pub(super) fn is_intent_to_add(entry: &gix::index::Entry) -> bool {
    entry.flags.contains(gix::index::entry::Flags::INTENT_TO_ADD)
}

/// Each path of an index once: with its entry, or without one where there is a conflict.
pub(super) fn index_paths(
    index: &gix::index::State,
) -> impl Iterator<Item = (BString, Option<&gix::index::Entry>)> + '_ {
    let mut last_conflict: Option<&gix::bstr::BStr> = None;
    index.entries().iter().filter_map(move |entry| {
        let path = entry.path(index);
        if entry.stage() == Stage::Unconflicted {
            return Some((path.to_owned(), Some(entry)));
        }
        if last_conflict == Some(path) {
            return None;
        }
        last_conflict = Some(path);
        Some((path.to_owned(), None))
    })
}

/// Both sides sorted by path; a new side without a version is as good as missing.
fn compare(old: &[TreeFile], new: impl Iterator<Item = (BString, Option<Version>)>) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut old = old.iter().peekable();
    for (path, version) in new {
        while let Some(gone) = old.next_if(|file| file.path < path) {
            changes.push(Change::Deleted(gone.version()));
        }
        let before = old.next_if(|file| file.path == path);
        match (before, version) {
            (None, None) => {}
            (None, Some(new)) => changes.push(Change::Added(new)),
            (Some(old), None) => changes.push(Change::Deleted(old.version())),
            (Some(old), Some(new)) if is_same(old, &new) => {}
            (Some(old), Some(new)) => changes.push(Change::Modified(old.version(), new)),
        }
    }
    changes.extend(old.map(|gone| Change::Deleted(gone.version())));
    changes
}

fn is_same(old: &TreeFile, new: &Version) -> bool {
    old.mode == new.mode && old.id == new.id && new.source != Source::DirtySubmodule
}

/// A path in conflict is listed as such, whatever the tree has.
fn with_unmerged(mut changes: Vec<Change>, unmerged: Vec<BString>) -> Vec<Change> {
    changes.retain(|change| unmerged.binary_search_by(|path| path.as_bstr().cmp(change.path().as_bstr())).is_err());
    changes.extend(unmerged.into_iter().map(Change::Unmerged));
    changes.sort_by(|one, other| one.path().cmp(other.path()));
    changes
}
