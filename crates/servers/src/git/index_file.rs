//! Writing the index.

use std::collections::{HashMap, HashSet};

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
    index::entry::{Flags, Mode, Stat},
};

use super::{
    changes::TreeFile,
    failure::{Failure, Result},
    repository::Repository,
    worktree_state::{EntryState, WorktreeComparison},
};

/// Changes to an index, which are written at once.
pub(super) struct IndexEdit {
    index: gix::index::File,
    /// Entries that replace all stages of their path.
    set: HashMap<BString, (Mode, ObjectId, Stat)>,
    removed: Vec<BString>,
}

impl IndexEdit {
    pub(super) fn new(index: gix::index::File) -> Self {
        Self { index, set: HashMap::new(), removed: Vec::new() }
    }

    pub(super) fn index(&self) -> &gix::index::File {
        &self.index
    }

    pub(super) fn set(&mut self, path: BString, mode: Mode, id: ObjectId, stat: Stat) {
        self.set.insert(path, (mode, id, stat));
    }

    pub(super) fn remove(&mut self, path: BString) {
        self.removed.push(path);
    }

    /// Whether the entry would be the same as before.
    pub(super) fn is_same(&self, path: &BStr, mode: Mode, id: ObjectId) -> bool {
        let entry = self.index.entry_by_path(path);
        entry.is_some_and(|entry| entry.mode == mode && entry.id == id && !entry.flags.contains(Flags::INTENT_TO_ADD))
    }

    /// Writes the index; another process that is writing it makes this fail.
    pub(super) fn write(mut self, repository: &Repository) -> Result<()> {
        let unnoticed = unnoticed_changes(repository, &self.index)?;
        self.removed.sort();
        let (set, removed) = (&self.set, &self.removed);
        let directories: HashSet<&BStr> = set.keys().flat_map(|path| parents(path.as_bstr())).collect();
        self.index.remove_entries(|_, path, entry| {
            if unnoticed.contains(path) && entry.stage_raw() == 0 {
                entry.stat.size = 0;
            }
            let replaced = set.contains_key(path) || removed.binary_search_by(|one| one.as_bstr().cmp(path)).is_ok();
            // A file and a directory cannot have the same path.
            replaced || parents(path).any(|parent| set.contains_key(parent)) || directories.contains(path)
        });
        for (path, (mode, id, stat)) in self.set {
            self.index.dangerously_push_entry(stat, id, Flags::empty(), mode, path.as_bstr());
        }
        self.index.sort_entries();
        write(&mut self.index)
    }
}

/// Directory prefixes of a path.
fn parents(path: &BStr) -> impl Iterator<Item = &BStr> {
    path.find_iter("/").map(|at| path[..at].as_bstr())
}

fn write(index: &mut gix::index::File) -> Result<()> {
    // The cached tree does not belong to the new entries, and the record of resolved conflicts is not kept.
    index.remove_tree();
    index.remove_resolve_undo();
    index.write(gix::index::write::Options::default()).map_err(|error| {
        Failure::new(format!(
            "the index cannot be written: {error}. Another git process may be running in this repository"
        ))
    })
}

/// Files that changed so shortly after the index was written that their times do not tell. A newer index would hide them,
/// so their entries get a size that never matches.
fn unnoticed_changes(repository: &Repository, index: &gix::index::File) -> Result<HashSet<BString>> {
    let mut unnoticed = HashSet::new();
    let options = gix::index::entry::stat::Options { use_nsec: true, ..repository.gix.stat_options()? };
    let mut comparison = WorktreeComparison::new(repository, index)?;
    for entry in index.entries().iter().filter(|entry| entry.stage_raw() == 0 && entry.mode != Mode::COMMIT) {
        if entry.stat.is_racy(index.timestamp(), options)
            && matches!(comparison.state(entry), Ok(EntryState::Differs { .. }))
        {
            unnoticed.insert(entry.path(index).to_owned());
        }
    }
    Ok(unnoticed)
}

impl Repository {
    /// Replaces the index by the files of a tree. Stat data of entries that stay is kept, that of others is taken from files
    /// that have the same content.
    pub(super) fn write_index_of(&self, files: &[TreeFile], old: &gix::index::File) -> Result<()> {
        let state = gix::index::State::new(self.gix.object_hash());
        let mut index = gix::index::File::from_state(state, self.gix.index_path());
        for file in files {
            let same =
                old.entry_by_path(file.path.as_bstr()).filter(|entry| entry.id == file.id && entry.mode == file.mode);
            let (stat, flags) = match same {
                Some(entry) => (entry.stat, entry.flags & (Flags::ASSUME_VALID | Flags::SKIP_WORKTREE)),
                None => (Stat::default(), Flags::empty()),
            };
            index.dangerously_push_entry(stat, file.id, flags, file.mode, file.path.as_bstr());
        }
        index.sort_entries();
        self.refresh(&mut index, old)?;
        write(&mut index)
    }

    /// Takes the stat data of files that are what their entry says.
    fn refresh(&self, index: &mut gix::index::File, old: &gix::index::File) -> Result<()> {
        let mut fresh = Vec::new();
        let unnoticed = unnoticed_changes(self, old)?;
        let mut comparison = WorktreeComparison::new(self, index)?;
        for (at, entry) in index.entries().iter().enumerate() {
            self.cancellation.check()?;
            let path = entry.path(index);
            if unnoticed.contains(path) {
                fresh.push((at, Stat { size: 0, ..entry.stat }));
            } else if entry.stat == Stat::default()
                && entry.mode != Mode::COMMIT
                && matches!(comparison.state(entry), Ok(EntryState::Unchanged))
                && let Some(found) = self.worktree()?.stat(path)?
            {
                fresh.push((at, found.stat));
            }
        }
        for (at, stat) in fresh {
            index.entries_mut()[at].stat = stat;
        }
        Ok(())
    }
}
