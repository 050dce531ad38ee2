//! Changing branches and `HEAD`, with their logs.

use std::{fs, io::Write as _};

use gix::{
    ObjectId,
    refs::{
        FullName, Target,
        transaction::{Change, LogChange, PreviousValue, RefEdit, RefLog},
    },
};

use super::{
    failure::{Failure, Result},
    identity::{Identity, Role},
    repository::{Head, Repository, short_branch},
};

impl Repository {
    /// Moves the current branch, or a detached `HEAD`, to a new commit.
    pub(super) fn advance_head(&self, head: &Head, commit: ObjectId, message: &str) -> Result<()> {
        let expected = match head.commit() {
            Some(old) => PreviousValue::MustExistAndMatch(Target::Object(old)),
            None => PreviousValue::MustNotExist,
        };
        let name = match head {
            Head::Branch(name, _) => name.clone(),
            Head::Detached(_) => full_name("HEAD")?,
        };
        let old = head.commit().unwrap_or_else(|| ObjectId::null(commit.kind()));
        let committer = self.identity(Role::Committer)?;
        self.edit(name, Target::Object(commit), expected, message, &committer)?;
        if matches!(head, Head::Branch(..)) {
            self.append_head_log(old, commit, message, &committer)?;
        }
        Ok(())
    }

    /// Makes a branch, which must not exist.
    pub(super) fn create_reference(&self, name: FullName, commit: ObjectId, message: &str) -> Result<()> {
        let committer = self.identity(Role::Committer)?;
        self.edit(name, Target::Object(commit), PreviousValue::MustNotExist, message, &committer)
    }

    /// Points `HEAD` to a branch, or to a commit, and notes where it was.
    pub(super) fn switch_head(&self, head: &Head, target: &Head, shown: &str) -> Result<()> {
        let from = match head {
            Head::Branch(name, _) => short_branch(name.as_bstr()).to_string(),
            Head::Detached(commit) => commit.to_string(),
        };
        let message = format!("checkout: moving from {from} to {shown}");
        let commit = target.commit().ok_or_else(|| Failure::unresolved(shown))?;
        let old = head.commit().unwrap_or_else(|| ObjectId::null(commit.kind()));
        let committer = self.identity(Role::Committer)?;
        match target {
            Head::Branch(name, _) => {
                self.edit(full_name("HEAD")?, Target::Symbolic(name.clone()), PreviousValue::Any, "", &committer)?;
                self.append_head_log(old, commit, &message, &committer)
            }
            // Git writes no log entry if a detached HEAD stays where it is.
            Head::Detached(commit) => {
                self.edit(full_name("HEAD")?, Target::Object(*commit), PreviousValue::Any, &message, &committer)?;
                match head {
                    Head::Branch(..) if old == *commit => self.append_head_log(old, *commit, &message, &committer),
                    _ => Ok(()),
                }
            }
        }
    }

    /// Makes a commit the youngest stash. The log of this reference is the list of stashes, so there has to be one.
    pub(super) fn set_stash(&self, commit: ObjectId, message: &str) -> Result<()> {
        let log = LogChange { mode: RefLog::AndReference, force_create_reflog: true, message: message.into() };
        let change = Change::Update { log, expected: PreviousValue::Any, new: Target::Object(commit) };
        self.edit_as(RefEdit { change, name: full_name("refs/stash")?, deref: false }, &self.identity(Role::Committer)?)
    }

    fn edit(
        &self,
        name: FullName,
        new: Target,
        expected: PreviousValue,
        message: &str,
        committer: &Identity,
    ) -> Result<()> {
        let log =
            LogChange { mode: RefLog::AndReference, force_create_reflog: false, message: first_line(message).into() };
        self.edit_as(RefEdit { change: Change::Update { log, expected, new }, name, deref: false }, committer)
    }

    fn edit_as(&self, edit: RefEdit, committer: &Identity) -> Result<()> {
        let signature = gix::actor::Signature {
            name: committer.name.as_str().into(),
            email: committer.email.as_str().into(),
            time: committer.time,
        };
        let mut time = gix::date::parse::TimeBuf::default();
        self.gix.edit_references_as([edit], Some(signature.to_ref(&mut time)))?;
        Ok(())
    }

    /// gix writes no log for a symbolic `HEAD`, and git needs one to tell where a detached `HEAD` came from.
    fn append_head_log(&self, old: ObjectId, new: ObjectId, message: &str, committer: &Identity) -> Result<()> {
        let path = self.gix.git_dir().join("logs/HEAD");
        let wanted = self.gix.config_snapshot().boolean("core.logAllRefUpdates").unwrap_or(!self.gix.is_bare());
        if !wanted && !path.exists() {
            return Ok(());
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let line = format!("{old} {new} {}\t{}\n", committer.line(), first_line(message));
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
        Ok(file.write_all(line.as_bytes())?)
    }
}

pub(super) fn full_name(name: &str) -> Result<FullName> {
    name.try_into().map_err(|_| Failure::new(format!("Invalid reference '{name}'")))
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}
