//! Recording what is staged.

use std::fs;

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
    index::entry::Mode,
    objs::{Kind, Tree, Write as _, tree},
};

use super::{
    failure::{Failure, Result},
    identity::Role,
    repository::Repository,
};

/// Files of the git directory that tell of a merge in progress.
const MERGE_STATE: [&str; 4] = ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE"];

impl Repository {
    /// Makes a commit of the index, without hooks, and gives its hash with a note about a reapplied autostash.
    pub fn commit(&self, message: &str) -> Result<(String, String)> {
        self.worktree()?;
        let index = self.index()?;
        let head = self.head()?;
        let merge_heads = self.merge_heads();
        let staged = match head.commit() {
            _ if merge_heads.is_some() => true,
            None => !index.entries().is_empty(),
            Some(commit) => !self.staged_changes(Some(self.tree_of(commit)?), &index)?.is_empty(),
        };
        if !staged {
            return Err(Failure::new(
                "No changes staged for commit. Use git_add to stage changes first; git_status shows what is currently staged.",
            ));
        }
        let tree = self.write_tree(&index)?;
        let mut parents: Vec<_> = head.commit().into_iter().collect();
        for merged in merge_heads.iter().flatten() {
            parents.push(self.resolve_commit(&merged.to_string())?);
        }
        let commit = self.write_commit(tree, &parents, message)?;
        let kind = match (head.commit(), merge_heads.is_some()) {
            (None, _) => "commit (initial)",
            (_, true) => "commit (merge)",
            _ => "commit",
        };
        self.advance_head(&head, commit, &format!("{kind}: {message}"))?;
        let mut note = String::new();
        if merge_heads.is_some() {
            for name in MERGE_STATE {
                self.remove_state(name)?;
            }
            note = self.reapply_autostash()?;
        }
        Ok((commit.to_string(), note))
    }

    pub(super) fn remove_state(&self, name: &str) -> Result<()> {
        match fs::remove_file(self.gix.git_dir().join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn write_commit(&self, tree: ObjectId, parents: &[ObjectId], message: &str) -> Result<ObjectId> {
        let mut text = format!("tree {tree}\n");
        for parent in parents {
            text += &format!("parent {parent}\n");
        }
        text += &format!("author {}\n", self.identity(Role::Author)?.line());
        text += &format!("committer {}\n\n", self.identity(Role::Committer)?.line());
        text += message;
        Ok(self.gix.objects.write_buf(Kind::Commit, text.as_bytes())?)
    }

    /// Stores the trees of an index, and gives the root.
    fn write_tree(&self, index: &gix::index::State) -> Result<ObjectId> {
        let mut files = Vec::with_capacity(index.entries().len());
        for entry in index.entries() {
            let path = entry.path(index);
            if entry.stage_raw() > 0 {
                return Err(Failure::new(format!(
                    "{:06o} {} {}\t{path}",
                    entry.mode.bits(),
                    entry.id,
                    entry.stage_raw()
                )));
            }
            if !super::changes::is_intent_to_add(entry) {
                files.push((path, entry.mode, entry.id));
            }
        }
        self.write_directory(&files, 0)
    }

    /// `files` share the first `prefix` bytes of their paths.
    fn write_directory(&self, files: &[(&BStr, Mode, ObjectId)], prefix: usize) -> Result<ObjectId> {
        self.cancellation.check()?;
        let mut entries = Vec::new();
        let mut rest = files;
        while let Some((path, mode, id)) = rest.first() {
            let name = &path[prefix..];
            let Some(length) = name.find_byte(b'/') else {
                entries.push(tree_entry(name, *mode, *id));
                rest = &rest[1..];
                continue;
            };
            let directory = &path[..=prefix + length];
            let count = rest.iter().take_while(|(path, ..)| path.starts_with(directory)).count();
            let id = self.write_directory(&rest[..count], prefix + length + 1)?;
            entries.push(tree_entry(&name[..length], Mode::DIR, id));
            rest = &rest[count..];
        }
        entries.sort();
        Ok(self.gix.write_object(&Tree { entries })?.detach())
    }
}

fn tree_entry(name: &[u8], mode: Mode, id: ObjectId) -> tree::Entry {
    let kind = match mode {
        Mode::DIR => tree::EntryKind::Tree,
        Mode::FILE_EXECUTABLE => tree::EntryKind::BlobExecutable,
        Mode::SYMLINK => tree::EntryKind::Link,
        Mode::COMMIT => tree::EntryKind::Commit,
        _ => tree::EntryKind::Blob,
    };
    tree::Entry { mode: kind.into(), filename: BString::from(name), oid: id }
}
