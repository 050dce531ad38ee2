//! Switching to another branch or commit.

use std::collections::{BTreeMap, HashSet};

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
    index::entry::{Mode, Stage, Stat},
    objs::Kind,
};

use super::{
    changes::TreeFile,
    failure::{Failure, Result},
    filters::Filters,
    index_file::IndexEdit,
    references::full_name,
    repository::{Head, Repository, short_branch},
    revision::refuse_option,
    worktree::FileKind,
    worktree_state::{EntryState, WorktreeComparison},
};

/// What a merge, cherry-pick or revert leaves in the git directory.
const OPERATION_STATE: [&str; 8] = [
    "MERGE_HEAD",
    "MERGE_RR",
    "MERGE_MSG",
    "MERGE_MODE",
    "SQUASH_MSG",
    "AUTO_MERGE",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
];

impl Repository {
    /// Switches, and says where `HEAD` is then.
    pub fn checkout(&self, name: &str) -> Result<String> {
        refuse_option("branch name", name)?;
        self.worktree()?;
        let object = self.resolve(name)?;
        let head = self.head()?;
        let (target, shown) = self.checkout_target(name, object.id, object.kind)?;
        if let Some(target) = &target {
            self.move_worktree(head.commit(), target.commit())?;
            self.switch_head(&head, target, &shown)?;
            self.forget_operation()?;
        }
        Ok(match target.unwrap_or(head) {
            Head::Branch(name, _) => format!("Switched to branch '{}'", short_branch(name.as_bstr())),
            Head::Detached(commit) => format!("HEAD is now detached at {}", commit.to_hex_with_len(7)),
        })
    }

    /// Where `HEAD` goes: nowhere for `HEAD` itself, to a branch of that name, else to the commit.
    fn checkout_target(&self, name: &str, id: ObjectId, kind: Kind) -> Result<(Option<Head>, String)> {
        if name == "HEAD" || name == "@" {
            return Ok((None, name.to_owned()));
        }
        let shown = self.previous_branch_name(name)?.unwrap_or_else(|| name.to_owned());
        let branch = format!("refs/heads/{shown}");
        if let Some(target) = self.reference_target(&branch) {
            let commit = self.peeled_commit(target).ok_or_else(|| not_a_commit(name))?;
            let full = full_name(&branch)?;
            let current = matches!(self.head()?, Head::Branch(current, _) if current == full);
            if !current && self.branches_of_other_worktrees().iter().any(|other| *other == branch) {
                return Err(Failure::new(format!("fatal: '{shown}' is already used by another worktree")));
            }
            return Ok((Some(Head::Branch(full, Some(commit))), shown));
        }
        let commit = match kind {
            Kind::Commit | Kind::Tag => self.peeled_commit(id),
            Kind::Tree | Kind::Blob => None,
        };
        Ok((Some(Head::Detached(commit.ok_or_else(|| not_a_commit(name))?)), name.to_owned()))
    }

    /// The branch that `@{-1}` and its like stand for.
    fn previous_branch_name(&self, name: &str) -> Result<Option<String>> {
        let number = name.strip_prefix("@{-").and_then(|rest| rest.strip_suffix('}'));
        let Some(mut number) = number.and_then(|number| number.parse::<usize>().ok()) else { return Ok(None) };
        let mut found = None;
        self.each_head_log_entry(|message, _| {
            let from = message.strip_prefix("checkout: moving from ").and_then(|moved| moved.split(" to ").next());
            if let Some(from) = from {
                number = number.saturating_sub(1);
                if number == 0 {
                    found = Some(from.to_owned());
                }
            }
            found.is_none()
        })?;
        Ok(found)
    }

    fn forget_operation(&self) -> Result<()> {
        self.store_autostash()?;
        OPERATION_STATE.iter().try_for_each(|name| self.remove_state(name))
    }

    /// Brings index and working tree from one commit to another. Local changes are kept, or nothing is done at all.
    pub(super) fn move_worktree(&self, from: Option<ObjectId>, to: Option<ObjectId>) -> Result<()> {
        let tree = |commit: Option<ObjectId>| commit.map(|commit| self.tree_of(commit)).transpose();
        let (from, to) = (tree(from)?, tree(to)?);
        let index = self.index()?;
        let unmerged: Vec<_> = index.entries().iter().filter(|entry| entry.stage() != Stage::Unconflicted).collect();
        if let Some(entry) = unmerged.first() {
            return Err(Failure::new(format!(
                "{}: needs merge\nerror: you need to resolve your current index first",
                entry.path(&index)
            )));
        }
        if from == to {
            return Ok(());
        }
        let plan = Plan::new(self, &self.tree_files(from)?, &self.tree_files(to)?, &index)?;
        plan.refuse_conflicts()?;
        plan.apply(self, index)
    }
}

fn not_a_commit(name: &str) -> Failure {
    Failure::new(format!("fatal: Cannot switch branch to a non-commit '{name}'"))
}

/// What has to be done, and what stands in the way.
#[derive(Default)]
struct Plan {
    write: Vec<TreeFile>,
    remove: Vec<BString>,
    /// Staged changes that would be lost.
    overwritten: Vec<BString>,
    /// Changed files that would be lost.
    not_up_to_date: Vec<BString>,
    untracked_overwritten: Vec<BString>,
    untracked_removed: Vec<BString>,
    directories_lost: Vec<BString>,
}

impl Plan {
    fn new(repository: &Repository, old: &[TreeFile], new: &[TreeFile], index: &gix::index::File) -> Result<Self> {
        let mut paths: BTreeMap<&BStr, (Option<&TreeFile>, Option<&TreeFile>)> = BTreeMap::new();
        for file in old {
            paths.entry(file.path.as_bstr()).or_default().0 = Some(file);
        }
        for file in new {
            paths.entry(file.path.as_bstr()).or_default().1 = Some(file);
        }
        let mut plan = Self::default();
        let mut comparison = WorktreeComparison::new(repository, index)?;
        for (path, (old, new)) in paths {
            repository.cancellation.check()?;
            let same = |one: Option<&TreeFile>, other: Option<&TreeFile>| {
                one.map(|file| (file.mode, file.id)) == other.map(|file| (file.mode, file.id))
            };
            if !same(old, new) {
                plan.decide(repository, path, old, new, index, &mut comparison)?;
            }
        }
        plan.check_untracked(repository, index)?;
        Ok(plan)
    }

    /// One path that differs between the commits.
    fn decide(
        &mut self,
        repository: &Repository,
        path: &BStr,
        old: Option<&TreeFile>,
        new: Option<&TreeFile>,
        index: &gix::index::File,
        comparison: &mut WorktreeComparison<'_>,
    ) -> Result<()> {
        let entry = index.entry_by_path(path);
        let is = |file: Option<&TreeFile>| {
            file.zip(entry).is_some_and(|(file, entry)| file.id == entry.id && file.mode == entry.mode)
        };
        match (entry, new) {
            (Some(_), _) if is(new) => {}
            (Some(entry), _) if is(old) => match comparison.state(entry)? {
                EntryState::Differs { mode, .. } if mode != Mode::COMMIT => self.not_up_to_date.push(path.to_owned()),
                _ => match new {
                    Some(file) => self.write.push(file.clone()),
                    None => self.remove.push(path.to_owned()),
                },
            },
            (Some(_), _) => self.overwritten.push(path.to_owned()),
            (None, Some(_)) if old.is_some() => self.overwritten.push(path.to_owned()),
            (None, Some(file)) => self.write.push(file.clone()),
            (None, None) if repository.worktree()?.stat(path)?.is_some() => {
                self.untracked_removed.push(path.to_owned())
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// New files must not replace files that git does not know, except ignored ones.
    fn check_untracked(&mut self, repository: &Repository, index: &gix::index::File) -> Result<()> {
        let worktree = repository.worktree()?;
        let removed: HashSet<&BString> = self.remove.iter().collect();
        let mut excludes =
            repository.gix.excludes(index, None, gix::worktree::stack::state::ignore::Source::default())?;
        let mut is_untracked = |path: &BStr, mode: Mode| -> Result<bool> {
            Ok(index.entry_by_path(path).is_none() && !excludes.at_entry(path, Some(mode))?.is_excluded())
        };
        let mut overwritten = Vec::new();
        let mut lost = Vec::new();
        let mut untracked: Option<Vec<BString>> = None;
        for file in self.write.iter().filter(|file| index.entry_by_path(file.path.as_bstr()).is_none()) {
            let path = file.path.as_bstr();
            let blocking = path.find_iter("/").map(|at| path[..at].as_bstr()).find_map(|parent| {
                let found = worktree.stat(parent).ok().flatten()?;
                (found.kind != FileKind::Directory).then_some(parent)
            });
            if let Some(parent) = blocking {
                if !removed.contains(&parent.to_owned()) && is_untracked(parent, Mode::FILE)? {
                    overwritten.push(parent.to_owned());
                }
                continue;
            }
            match worktree.stat(path)? {
                None => {}
                Some(found) if found.kind == FileKind::Directory && file.mode != Mode::COMMIT => {
                    if untracked.is_none() {
                        untracked = Some(repository.untracked_files(index)?);
                    }
                    let below = [path.as_bytes(), b"/"].concat();
                    if untracked.iter().flatten().any(|path| path.starts_with(&below)) {
                        lost.push(path.to_owned());
                    }
                }
                Some(found) if found.kind == FileKind::Directory => {}
                Some(_) if is_untracked(path, Mode::FILE)? => overwritten.push(path.to_owned()),
                Some(_) => {}
            }
        }
        self.untracked_overwritten = overwritten;
        self.directories_lost = lost;
        Ok(())
    }

    fn refuse_conflicts(&self) -> Result<()> {
        let local = "Your local changes to the following files would be overwritten by checkout:";
        let commit = "Please commit your changes or stash them before you switch branches.";
        let aside = "Please move or remove them before you switch branches.";
        let reasons = [
            (local, &self.overwritten, commit),
            (local, &self.not_up_to_date, commit),
            ("Updating the following directories would lose untracked files in them:", &self.directories_lost, ""),
            (
                "The following untracked working tree files would be overwritten by checkout:",
                &self.untracked_overwritten,
                aside,
            ),
            (
                "The following untracked working tree files would be removed by checkout:",
                &self.untracked_removed,
                aside,
            ),
        ];
        let mut text = String::new();
        for (reason, paths, advice) in reasons.into_iter().filter(|(_, paths, _)| !paths.is_empty()) {
            text += &format!("error: {reason}\n");
            for path in paths {
                text += &format!("\t{path}\n");
            }
            text += &format!("{advice}\n");
        }
        if text.is_empty() { Ok(()) } else { Err(Failure::new(text + "Aborting")) }
    }

    fn apply(self, repository: &Repository, index: gix::index::File) -> Result<()> {
        let target = new_index(repository, &index, &self);
        let mut filters = Filters::to_worktree_by(repository, &target)?;
        for file in &self.write {
            filters.refuse_program(file.path.as_bstr())?;
            check_path(file.path.as_bstr())?;
        }
        let mut edit = IndexEdit::new(index);
        let worktree = repository.worktree()?;
        for path in self.remove {
            worktree.remove(path.as_bstr())?;
            remove_empty_parents(repository, path.as_bstr())?;
            edit.remove(path);
        }
        for file in self.write {
            repository.cancellation.check()?;
            let stat = repository.write_file(&mut filters, &file)?;
            edit.set(file.path, file.mode, file.id, stat);
        }
        edit.write(repository)
    }
}

impl Repository {
    /// Replaces a file of the working tree by what git has.
    pub(super) fn write_file(&self, filters: &mut Filters<'_>, file: &TreeFile) -> Result<Stat> {
        let worktree = self.worktree()?;
        let path = file.path.as_bstr();
        if file.mode == Mode::COMMIT {
            worktree.create_directory(path)?;
            return Ok(Stat::default());
        }
        let content = self.blob(file.id)?;
        let content = if file.mode == Mode::SYMLINK { content } else { filters.worktree_form(path, content)? };
        for parent in path.find_iter("/").map(|at| path[..at].as_bstr()) {
            if worktree.stat(parent)?.is_some_and(|found| found.kind != FileKind::Directory) {
                worktree.remove(parent)?;
            }
        }
        match worktree.stat(path)? {
            Some(found) if found.kind == FileKind::Directory => remove_tree(self, path)?,
            Some(_) => worktree.remove(path)?,
            None => {}
        }
        if file.mode == Mode::SYMLINK && self.settings.symlinks {
            worktree.create_link(path, &content)?;
        } else {
            worktree.create(path, &content, file.mode == Mode::FILE_EXECUTABLE)?;
        }
        Ok(worktree.stat(path)?.map(|found| found.stat).unwrap_or_default())
    }
}

/// A hostile tree may have paths that git itself would never check out.
pub(super) fn check_path(path: &BStr) -> Result<()> {
    let options = gix::validate::path::component::Options::default();
    for component in path.split_str("/") {
        if gix::validate::path::component(component.as_bstr(), None, options).is_err() {
            return Err(Failure::new(format!("error: invalid path '{path}'")));
        }
    }
    Ok(())
}

/// The index after the change, for the attributes that it has.
fn new_index(repository: &Repository, index: &gix::index::File, plan: &Plan) -> gix::index::State {
    let mut state = gix::index::State::new(repository.gix.object_hash());
    let written: HashSet<&BStr> = plan.write.iter().map(|file| file.path.as_bstr()).collect();
    let removed: HashSet<&BStr> = plan.remove.iter().map(|path| path.as_bstr()).collect();
    for entry in index.entries() {
        let path = entry.path(index);
        if !written.contains(path) && !removed.contains(path) {
            state.dangerously_push_entry(entry.stat, entry.id, entry.flags, entry.mode, path);
        }
    }
    for file in &plan.write {
        state.dangerously_push_entry(
            Stat::default(),
            file.id,
            gix::index::entry::Flags::empty(),
            file.mode,
            file.path.as_bstr(),
        );
    }
    state.sort_entries();
    state
}

/// Removes directories that have become empty, from the innermost.
fn remove_empty_parents(repository: &Repository, path: &BStr) -> Result<()> {
    let mut parent = path;
    while let Some(at) = parent.rfind_byte(b'/') {
        parent = parent[..at].as_bstr();
        if !repository.worktree()?.remove_empty_directory(parent) {
            break;
        }
    }
    Ok(())
}

/// Removes a directory that has nothing but empty directories and ignored files.
fn remove_tree(repository: &Repository, path: &BStr) -> Result<()> {
    let worktree = repository.worktree()?;
    for (name, kind) in worktree.entries(path)? {
        let child = BString::from([path.as_bytes(), b"/", &name].concat());
        if kind == FileKind::Directory {
            remove_tree(repository, child.as_bstr())?;
        } else {
            worktree.remove(child.as_bstr())?;
        }
    }
    worktree.remove_empty_directory(path);
    Ok(())
}
