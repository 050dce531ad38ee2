//! What `git status` prints.

use gix::{
    bstr::{BStr, BString, ByteSlice},
    index::entry::Mode,
};

use super::{
    answer::{Answer, MAX_ANSWER},
    changes::{Change, Version, index_paths, is_intent_to_add},
    content::Contents,
    failure::Result,
    patch::kind_bits,
    renames,
    repository::{Head, Repository, short_branch},
    settings::ShowUntracked,
    worktree_state::{EntryState, SubmoduleState, WorktreeComparison},
};

/// Labels of changed files are padded to one width, those of conflicts to another.
const LABEL: usize = 12;
const CONFLICT_LABEL: usize = 17;

impl Repository {
    /// The text of `git status`.
    pub fn status(&self) -> Result<String> {
        self.worktree()?;
        let index = self.index()?;
        let head = self.head()?;
        let staged = self.staged_changes(self.head_tree()?, &index)?;
        let staged = renames::detect(self, staged, self.settings.status_renames, &mut Contents::new(self, &index))?;
        let sections = Sections {
            staged: staged.iter().filter_map(|change| self.staged_line(change)).collect(),
            conflicts: conflicts(&index),
            unstaged: self.unstaged_lines(&index)?,
            untracked: self.untracked(&index)?,
        };
        self.write_status(&head, &sections)
    }

    fn write_status(&self, head: &Head, sections: &Sections) -> Result<String> {
        let mut out = Answer::new(MAX_ANSWER);
        let operations = self.operations();
        let initial = head.commit().is_none();
        out.push(self.heading(head, operations.rebase_heading())?);
        out.push(operations.describe(self, !sections.conflicts.is_empty())?);
        if initial {
            out.push("\nNo commits yet\n\n");
        }
        let concluding = operations.is_concluding(self);
        let unstage = match (concluding, initial) {
            (true, _) => "",
            (false, false) => "  (use \"git restore --staged <file>...\" to unstage)\n",
            (false, true) => "  (use \"git rm --cached <file>...\" to unstage)\n",
        };
        self.write_section(&mut out, "Changes to be committed:\n", unstage, &sections.staged);
        let conflict_hints = [unstage, conflict_hint(&sections.conflicts)].concat();
        let conflicts: Vec<_> = sections.conflicts.iter().map(|conflict| self.conflict_line(conflict)).collect();
        self.write_section(&mut out, "Unmerged paths:\n", &conflict_hints, &conflicts);
        self.write_section(
            &mut out,
            "Changes not staged for commit:\n",
            &unstaged_hints(&sections.unstaged),
            &sections.unstaged.iter().map(|line| line.text.clone()).collect::<Vec<_>>(),
        );
        let untracked: Vec<_> =
            sections.untracked.iter().map(|path| self.settings.quoting.apply(path.as_bstr())).collect();
        let hint = "  (use \"git add <file>...\" to include in what will be committed)\n";
        self.write_section(&mut out, "Untracked files:\n", hint, &untracked);
        let merging = operations.current == Some(super::operation::Operation::Merge);
        let committable = !sections.staged.is_empty() || (merging && sections.conflicts.is_empty());
        if self.settings.untracked == ShowUntracked::No && committable {
            out.push("Untracked files not listed (use -u option to show untracked files)\n");
        }
        if !committable {
            out.push(self.nothing_staged(initial, sections));
        }
        Ok(out.finish_output("Stage or ignore files to make it shorter."))
    }

    fn heading(&self, head: &Head, rebase: Option<String>) -> Result<String> {
        Ok(match (head, rebase) {
            (Head::Branch(name, commit), _) => {
                let mut text = format!("On branch {}\n", short_branch(name.as_bstr()));
                if let Some(commit) = commit
                    && let Some(lines) = self.tracking_lines(name.as_bstr(), *commit)?
                {
                    text += &lines;
                    text.push('\n');
                }
                text
            }
            (Head::Detached(_), Some(rebase)) => rebase + "\n",
            (Head::Detached(commit), None) => match self.detached_description(*commit)? {
                Some(description) => description + "\n",
                None => "Not currently on any branch.\n".to_owned(),
            },
        })
    }

    fn write_section(&self, out: &mut Answer, title: &str, hints: &str, lines: &[BString]) {
        if lines.is_empty() {
            return;
        }
        out.push(title);
        out.push(hints);
        for line in lines {
            out.push("\t");
            out.push(line);
            out.push("\n");
        }
        out.push("\n");
    }

    fn nothing_staged(&self, initial: bool, sections: &Sections) -> &'static str {
        if !sections.unstaged.is_empty() || !sections.conflicts.is_empty() {
            "no changes added to commit (use \"git add\" and/or \"git commit -a\")\n"
        } else if !sections.untracked.is_empty() {
            "nothing added to commit but untracked files present (use \"git add\" to track)\n"
        } else if initial {
            "nothing to commit (create/copy files and use \"git add\" to track)\n"
        } else if self.settings.untracked == ShowUntracked::No {
            "nothing to commit (use -u to show untracked files)\n"
        } else {
            "nothing to commit, working tree clean\n"
        }
    }

    fn staged_line(&self, change: &Change) -> Option<BString> {
        let quoted = |version: &Version| self.settings.quoting.apply(version.path.as_bstr());
        Some(match change {
            Change::Added(new) => labelled("new file:", LABEL, &[&quoted(new)]),
            Change::Deleted(old) => labelled("deleted:", LABEL, &[&quoted(old)]),
            Change::Modified(old, new) if kind_bits(old) != kind_bits(new) => {
                labelled("typechange:", LABEL, &[&quoted(new)])
            }
            Change::Modified(_, new) => labelled("modified:", LABEL, &[&quoted(new)]),
            Change::Renamed(old, new, _) => {
                labelled("renamed:", LABEL, &[quoted(old).as_slice(), b" -> ", quoted(new).as_slice()])
            }
            Change::Unmerged(_) => return None,
        })
    }

    fn unstaged_lines(&self, index: &gix::index::File) -> Result<Vec<UnstagedLine>> {
        let mut comparison = WorktreeComparison::new(self, index)?;
        let mut lines = Vec::new();
        for (path, entry) in index_paths(index) {
            self.cancellation.check()?;
            let Some(entry) = entry else { continue };
            let quoted = self.settings.quoting.apply(path.as_bstr());
            let (label, deleted, submodule) = match comparison.state(entry)? {
                EntryState::Unchanged => continue,
                EntryState::Missing => ("deleted:", true, SubmoduleState::default()),
                EntryState::Differs { submodule, .. } if is_intent_to_add(entry) => ("new file:", false, submodule),
                EntryState::Differs { mode, submodule } if !same_kind(mode, entry.mode) => {
                    ("typechange:", false, submodule)
                }
                EntryState::Differs { submodule, .. } => ("modified:", false, submodule),
            };
            let text = labelled(label, LABEL, &[&quoted, submodule_note(submodule).as_bytes()]);
            let dirty_submodule = submodule.modified_content || submodule.untracked_content;
            lines.push(UnstagedLine { text, deleted, dirty_submodule });
        }
        Ok(lines)
    }

    fn conflict_line(&self, conflict: &Conflict) -> BString {
        let label = match conflict.stages {
            1 => "both deleted:",
            2 => "added by us:",
            3 => "deleted by them:",
            4 => "added by them:",
            5 => "deleted by us:",
            6 => "both added:",
            _ => "both modified:",
        };
        labelled(label, CONFLICT_LABEL, &[&self.settings.quoting.apply(conflict.path.as_bstr())])
    }
}

struct Sections {
    staged: Vec<BString>,
    conflicts: Vec<Conflict>,
    unstaged: Vec<UnstagedLine>,
    untracked: Vec<BString>,
}

struct UnstagedLine {
    text: BString,
    deleted: bool,
    dirty_submodule: bool,
}

/// A path with the stages that the index has of it, as bits.
struct Conflict {
    path: BString,
    stages: u32,
}

fn conflicts(index: &gix::index::State) -> Vec<Conflict> {
    let mut conflicts: Vec<Conflict> = Vec::new();
    for entry in index.entries().iter().filter(|entry| entry.stage_raw() > 0) {
        let path: &BStr = entry.path(index);
        let bit = 1 << (entry.stage_raw() - 1);
        match conflicts.last_mut().filter(|last| last.path == path) {
            Some(last) => last.stages |= bit,
            None => conflicts.push(Conflict { path: path.to_owned(), stages: bit }),
        }
    }
    conflicts
}

fn conflict_hint(conflicts: &[Conflict]) -> &'static str {
    let any = |wanted: fn(u32) -> bool| conflicts.iter().any(|conflict| wanted(conflict.stages));
    let both_deleted = any(|stages| stages == 1);
    let one_deleted = any(|stages| stages == 3 || stages == 5);
    let present = any(|stages| !matches!(stages, 1 | 3 | 5));
    match (both_deleted, one_deleted, present) {
        (false, false, _) => "  (use \"git add <file>...\" to mark resolution)\n",
        (true, false, false) => "  (use \"git rm <file>...\" to mark resolution)\n",
        _ => "  (use \"git add/rm <file>...\" as appropriate to mark resolution)\n",
    }
}

fn unstaged_hints(lines: &[UnstagedLine]) -> String {
    let command = if lines.iter().any(|line| line.deleted) { "add/rm" } else { "add" };
    let mut hints = format!("  (use \"git {command} <file>...\" to update what will be committed)\n");
    hints += "  (use \"git restore <file>...\" to discard changes in working directory)\n";
    if lines.iter().any(|line| line.dirty_submodule) {
        hints += "  (commit or discard the untracked or modified content in submodules)\n";
    }
    hints
}

fn submodule_note(state: SubmoduleState) -> String {
    let notes = [
        (state.new_commits, "new commits"),
        (state.modified_content, "modified content"),
        (state.untracked_content, "untracked content"),
    ];
    let notes: Vec<_> = notes.into_iter().filter_map(|(holds, note)| holds.then_some(note)).collect();
    if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) }
}

fn same_kind(one: Mode, other: Mode) -> bool {
    one.bits() & 0o170_000 == other.bits() & 0o170_000
}

fn labelled(label: &str, width: usize, parts: &[&[u8]]) -> BString {
    let mut line = format!("{label:width$}").into_bytes();
    for part in parts {
        line.extend_from_slice(part);
    }
    line.into()
}
