//! Local changes that `git merge --autostash` has put aside.

use gix::{ObjectId, bstr::ByteSlice, index::entry::Stat};

use super::{
    changes::{Change, TreeFile, Version},
    failure::Result,
    filters::Filters,
    index_file::IndexEdit,
    repository::Repository,
};

const STATE: &str = "MERGE_AUTOSTASH";

impl Repository {
    /// Reapplies the changes after a merge, and gives a note for the answer. What cannot be reapplied file by file is kept in
    /// the list of stashes.
    pub(super) fn reapply_autostash(&self) -> Result<String> {
        let Some(stash) = self.autostash() else { return Ok(String::new()) };
        if self.apply_stash(stash)? {
            self.remove_state(STATE)?;
            return Ok("\nApplied autostash.".to_owned());
        }
        self.store_autostash()?;
        Ok("\nApplying autostash resulted in conflicts. Your changes are safe in the stash; \
            run \"git stash pop\" or \"git stash drop\" at any time."
            .to_owned())
    }

    /// Moves the changes to the list of stashes.
    pub(super) fn store_autostash(&self) -> Result<()> {
        let Some(stash) = self.autostash() else { return Ok(()) };
        self.set_stash(stash, "autostash")?;
        self.remove_state(STATE)
    }

    fn autostash(&self) -> Option<ObjectId> {
        let content = self.state_file(STATE)?;
        ObjectId::from_hex(content.trim()).ok().filter(|id| self.peeled_commit(*id).is_some())
    }

    /// Writes what the stash changed, if none of these files has changed otherwise. Says whether it did.
    fn apply_stash(&self, stash: ObjectId) -> Result<bool> {
        let commit = self.gix.find_commit(stash)?;
        let Some(base) = commit.parent_ids().next().map(|id| id.detach()) else { return Ok(false) };
        let changes = self.tree_changes(Some(self.tree_of(base)?), Some(self.tree_of(stash)?))?;
        let index = self.index()?;
        if !self.unstaged_changes(&index)?.is_empty() {
            return Ok(false);
        }
        let in_index = |version: &Version| {
            index
                .entry_by_path(version.path.as_bstr())
                .is_some_and(|entry| entry.id == version.id && entry.mode == version.mode)
        };
        let mut write = Vec::new();
        let mut remove = Vec::new();
        let mut added = Vec::new();
        for change in changes {
            match change {
                Change::Modified(old, new) if in_index(&old) => write.push(new),
                Change::Deleted(old) if in_index(&old) => remove.push(old),
                Change::Added(new) if self.worktree()?.stat(new.path.as_bstr())?.is_none() => {
                    added.push(new.clone());
                    write.push(new);
                }
                _ => return Ok(false),
            }
        }
        let mut filters = Filters::to_worktree_by(self, &index)?;
        for version in &write {
            filters.refuse_program(version.path.as_bstr())?;
            super::checkout::check_path(version.path.as_bstr())?;
        }
        for version in remove {
            self.worktree()?.remove(version.path.as_bstr())?;
        }
        for version in write {
            self.write_file(&mut filters, &TreeFile { path: version.path, mode: version.mode, id: version.id })?;
        }
        drop(filters);
        // As `git stash apply` does: new files are staged, changed ones are not.
        let mut edit = IndexEdit::new(index);
        for version in added {
            edit.set(version.path, version.mode, version.id, Stat::default());
        }
        edit.write(self)?;
        Ok(true)
    }
}
