//! Whether files of the working tree are those of the index.

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
    index::entry::{Flags, Mode, stat},
};

use super::{
    changes::{Change, Source, Version},
    failure::{Failure, Result},
    filters::Filters,
    repository::Repository,
    worktree::{FileKind, FileStat},
};

/// How a file of the index stands in the working tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryState {
    Unchanged,
    Missing,
    Differs { mode: Mode, submodule: SubmoduleState },
}

/// What is different in a submodule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SubmoduleState {
    pub(super) new_commits: bool,
    pub(super) modified_content: bool,
    pub(super) untracked_content: bool,
}

/// Compares entries of one index, in order.
pub(super) struct WorktreeComparison<'repo> {
    repository: &'repo Repository,
    index: &'repo gix::index::File,
    stat: stat::Options,
    filters: Option<Filters<'repo>>,
}

impl<'repo> WorktreeComparison<'repo> {
    pub(super) fn new(repository: &'repo Repository, index: &'repo gix::index::File) -> Result<Self> {
        repository.worktree()?;
        let stat = stat::Options { use_nsec: true, ..repository.gix.stat_options()? };
        Ok(Self { repository, index, stat, filters: None })
    }

    pub(super) fn state(&mut self, entry: &gix::index::Entry) -> Result<EntryState> {
        if entry.flags.intersects(Flags::ASSUME_VALID | Flags::SKIP_WORKTREE) {
            return Ok(EntryState::Unchanged);
        }
        let path = entry.path(self.index);
        let Some(found) = self.repository.worktree()?.stat(path)? else { return Ok(EntryState::Missing) };
        if entry.mode == Mode::COMMIT {
            return self.submodule_state(path, entry.id, found);
        }
        let Some(mode) = self.mode_in_index(&found, entry.mode) else { return Ok(EntryState::Missing) };
        let differs = EntryState::Differs { mode, submodule: SubmoduleState::default() };
        if mode != entry.mode || entry.flags.contains(Flags::INTENT_TO_ADD) {
            return Ok(differs);
        }
        let known =
            entry.stat.matches(&found.stat, self.stat) && !entry.stat.is_racy(self.index.timestamp(), self.stat);
        if known || self.hash(path, mode)? == entry.id {
            return Ok(EntryState::Unchanged);
        }
        Ok(differs)
    }

    /// The version in the working tree.
    pub(super) fn version(&mut self, path: BString, mode: Mode, submodule: SubmoduleState) -> Result<Version> {
        if mode == Mode::COMMIT {
            let id = self.submodule(path.as_bstr())?.head_commit()?;
            let dirty = submodule.modified_content || submodule.untracked_content;
            return Ok(Version { path, mode, id, source: if dirty { Source::DirtySubmodule } else { Source::Object } });
        }
        let id = self.hash(path.as_bstr(), mode)?;
        Ok(Version { path, mode, id, source: Source::Worktree })
    }

    /// The file that stands where the index has a conflict.
    pub(super) fn version_of_conflict(&mut self, path: &BString) -> Result<Option<Version>> {
        let found = self.repository.worktree()?.stat(path.as_bstr())?;
        let Some(mode) = found.and_then(|found| found.mode()) else { return Ok(None) };
        self.version(path.clone(), mode, SubmoduleState::default()).map(Some)
    }

    /// The content in the form in which git would store it.
    pub(super) fn content(&mut self, path: &BStr, mode: Mode) -> Result<Vec<u8>> {
        let worktree = self.repository.worktree()?;
        let gone = |error: std::io::Error| Failure::new(format!("cannot read '{path}': {error}"));
        if mode == Mode::SYMLINK && self.repository.settings.symlinks {
            return worktree.read_link(path).map_err(gone);
        }
        let content = worktree.read(path).map_err(gone)?;
        if mode == Mode::SYMLINK {
            return Ok(content);
        }
        if self.filters.is_none() {
            self.filters = Some(Filters::to_git_by(self.repository, self.index)?);
        }
        match &mut self.filters {
            Some(filters) => filters.stored_form(path, content, self.index),
            None => Ok(content),
        }
    }

    fn hash(&mut self, path: &BStr, mode: Mode) -> Result<ObjectId> {
        let content = self.content(path, mode)?;
        self.repository.hash_blob(&content)
    }

    /// The mode as it would be recorded, given what the file system can tell.
    fn mode_in_index(&self, found: &FileStat, recorded: Mode) -> Option<Mode> {
        let mode = found.mode()?;
        let settings = &self.repository.settings;
        if !settings.symlinks && recorded == Mode::SYMLINK && found.kind == FileKind::File {
            return Some(recorded);
        }
        let is_file = |mode: Mode| mode == Mode::FILE || mode == Mode::FILE_EXECUTABLE;
        if !settings.file_mode && is_file(mode) {
            return Some(if is_file(recorded) { recorded } else { Mode::FILE });
        }
        Some(mode)
    }

    fn submodule_state(&self, path: &BStr, recorded: ObjectId, found: FileStat) -> Result<EntryState> {
        if found.kind != FileKind::Directory {
            let mode = found.mode();
            return Ok(mode.map_or(EntryState::Missing, |mode| EntryState::Differs {
                mode,
                submodule: SubmoduleState::default(),
            }));
        }
        // A submodule that is not checked out, or that must not be opened, counts as unchanged.
        let Ok(submodule) = self.submodule(path) else { return Ok(EntryState::Unchanged) };
        let Some(head) = submodule.head()?.commit() else { return Ok(EntryState::Unchanged) };
        let index = submodule.index()?;
        let mut state = SubmoduleState { new_commits: head != recorded, ..SubmoduleState::default() };
        let changed = |changes: Vec<Change>| !changes.is_empty();
        state.modified_content = changed(submodule.staged_changes(submodule.head_tree()?, &index)?)
            || changed(submodule.unstaged_changes(&index)?);
        state.untracked_content = !submodule.untracked(&index)?.is_empty();
        if state == SubmoduleState::default() {
            return Ok(EntryState::Unchanged);
        }
        Ok(EntryState::Differs { mode: Mode::COMMIT, submodule: state })
    }

    fn submodule(&self, path: &BStr) -> Result<Repository> {
        let repository = self.repository;
        // Only a `.git` of its own makes a directory a submodule; submodules of submodules end at some depth.
        const DEEPEST: usize = 8;
        let dot_git = BString::from([path.as_bytes(), b"/.git"].concat());
        if repository.depth >= DEEPEST || repository.worktree()?.stat(dot_git.as_bstr())?.is_none() {
            return Err(Failure::new("not a submodule"));
        }
        let root = repository.root.join(gix::path::from_bstr(path)?);
        let root = root.to_str().ok_or_else(|| Failure::new("the path of a submodule is not Unicode"))?;
        let mut submodule = Repository::open(root, &repository.options, repository.cancellation.clone())?;
        submodule.depth = repository.depth + 1;
        Ok(submodule)
    }
}
