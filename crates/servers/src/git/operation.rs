//! Operations that are in progress, such as a merge, as `git status` tells them.

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice},
};

use super::{failure::Result, repository::Repository};

/// What was begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operation {
    Merge,
    Rebase(Rebase),
    /// `git am`.
    Mailbox {
        empty_patch: bool,
    },
    /// The commit is missing between two picks of a series.
    CherryPick(Option<ObjectId>),
    Revert(Option<ObjectId>),
}

/// A rebase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rebase {
    interactive: bool,
    branch: Option<String>,
    onto: Option<String>,
    done: Vec<String>,
    todo: Vec<String>,
    /// It stopped so that a commit can be edited.
    editing: bool,
}

/// The operations of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Operations {
    pub(super) current: Option<Operation>,
    /// A merge inside an interactive rebase.
    rebase_around: Option<Rebase>,
    /// The branch that a bisection started from.
    bisect: Option<Option<String>>,
}

impl Repository {
    pub(super) fn operations(&self) -> Operations {
        let rebase = self.rebase();
        let mut operations = Operations { bisect: self.bisect(), ..Operations::default() };
        let single = |name: &str| self.state_file(name).and_then(|content| ObjectId::from_hex(content.trim()).ok());
        operations.current = if self.has_state("MERGE_HEAD") {
            operations.rebase_around = rebase.filter(|rebase| rebase.interactive);
            Some(Operation::Merge)
        } else if self.has_state("rebase-apply/applying") {
            Some(Operation::Mailbox {
                empty_patch: self.state_file("rebase-apply/patch").is_some_and(|p| p.is_empty()),
            })
        } else if let Some(rebase) = rebase {
            Some(Operation::Rebase(rebase))
        } else if self.has_state("CHERRY_PICK_HEAD") {
            Some(Operation::CherryPick(single("CHERRY_PICK_HEAD")))
        } else if self.has_state("REVERT_HEAD") {
            Some(Operation::Revert(single("REVERT_HEAD")))
        } else {
            self.series()
        };
        operations
    }

    /// Between the commits of a series there is only its list of what is left.
    fn series(&self) -> Option<Operation> {
        let todo = self.state_file("sequencer/todo")?;
        if todo.starts_with(b"pick") {
            return Some(Operation::CherryPick(None));
        }
        todo.starts_with(b"revert").then_some(Operation::Revert(None))
    }

    fn rebase(&self) -> Option<Rebase> {
        let directory = if self.has_state("rebase-apply") {
            "rebase-apply"
        } else if self.has_state("rebase-merge") {
            "rebase-merge"
        } else {
            return None;
        };
        let interactive = self.has_state("rebase-merge/interactive");
        Some(Rebase {
            interactive,
            branch: self.branch_in(&format!("{directory}/head-name")),
            onto: self.branch_in(&format!("{directory}/onto")),
            done: self.todo_lines("rebase-merge/done"),
            todo: self.todo_lines("rebase-merge/git-rebase-todo"),
            editing: interactive && !self.has_state("MERGE_MSG"),
        })
    }

    fn bisect(&self) -> Option<Option<String>> {
        self.has_state("BISECT_LOG").then(|| self.branch_in("BISECT_START"))
    }

    /// A branch or commit that a file of the git directory names, in its short form.
    fn branch_in(&self, file: &str) -> Option<String> {
        let content = self.state_file(file)?;
        let name = content.trim().as_bstr().to_string();
        if let Some(branch) = name.strip_prefix("refs/heads/") {
            return Some(branch.to_owned());
        }
        if let Ok(id) = ObjectId::from_hex(name.as_bytes()) {
            return Some(self.abbreviated(id));
        }
        (name != "detached HEAD" && !name.is_empty()).then_some(name)
    }

    fn todo_lines(&self, file: &str) -> Vec<String> {
        let content = self.state_file(file).unwrap_or_default();
        let lines = content
            .lines()
            .map(<[u8]>::trim_ascii)
            .filter(|line| !line.is_empty() && !line.starts_with(&self.settings.comment));
        lines.map(|line| self.with_short_id(line)).collect()
    }

    /// `pick <hash> subject` with the hash abbreviated.
    fn with_short_id(&self, line: &[u8]) -> String {
        let line = line.to_str_lossy().into_owned();
        let mut words = line.splitn(3, ' ');
        let (Some(command), Some(hash)) = (words.next(), words.next()) else { return line };
        if matches!(command, "exec" | "x" | "label" | "l") {
            return line;
        }
        let Ok(id) = ObjectId::from_hex(hash.as_bytes()) else { return line };
        let short = self.abbreviated(id);
        match words.next() {
            Some(rest) => format!("{command} {short} {rest}"),
            None => format!("{command} {short}"),
        }
    }
}

impl Operations {
    /// Whether the next commit concludes something, so that `git status` gives no hints how to unstage.
    pub(super) fn is_concluding(&self, repository: &Repository) -> bool {
        matches!(self.current, Some(Operation::Merge)) || repository.has_state("CHERRY_PICK_HEAD")
    }

    /// What stands in place of the branch while `HEAD` is detached by a rebase.
    pub(super) fn rebase_heading(&self) -> Option<String> {
        let rebase = match &self.current {
            Some(Operation::Rebase(rebase)) => rebase,
            _ => self.rebase_around.as_ref()?,
        };
        let kind = if rebase.interactive { "interactive rebase" } else { "rebase" };
        Some(format!("{kind} in progress; onto {}", rebase.onto.as_deref().unwrap_or_default()))
    }

    /// `(no branch, …)` of `git branch` during a rebase or a bisection.
    pub(super) fn branch_description(&self) -> Option<String> {
        let rebase = match &self.current {
            Some(Operation::Rebase(rebase)) => Some(rebase),
            _ => self.rebase_around.as_ref(),
        };
        if let Some(rebase) = rebase {
            let name = rebase.branch.as_deref();
            return Some(match name {
                Some(name) => format!("(no branch, rebasing {name})"),
                None => "(no branch, rebasing detached HEAD)".to_owned(),
            });
        }
        let start = self.bisect.as_ref()?;
        Some(format!("(no branch, bisect started on {})", start.as_deref().unwrap_or_default()))
    }

    /// The paragraph of `git status`, with the empty line that ends it.
    pub(super) fn describe(&self, repository: &Repository, unmerged: bool) -> Result<String> {
        let mut text = String::new();
        if let Some(rebase) = &self.rebase_around {
            text += &rebase.progress(repository);
            text.push('\n');
        }
        match &self.current {
            Some(Operation::Merge) => text += merge(unmerged),
            Some(Operation::Rebase(rebase)) => text += &rebase.describe(repository, unmerged),
            Some(Operation::Mailbox { empty_patch }) => text += mailbox(*empty_patch),
            Some(Operation::CherryPick(commit)) => {
                text += &pick(
                    repository,
                    *commit,
                    unmerged,
                    ["Cherry-pick", "cherry-picking", "cherry-pick", "cherry-pick"],
                );
            }
            Some(Operation::Revert(commit)) => {
                text += &pick(repository, *commit, unmerged, ["Revert", "reverting", "revert", "revert"]);
            }
            None => {}
        }
        if let Some(start) = &self.bisect {
            match start {
                Some(branch) => text += &format!("You are currently bisecting, started from branch '{branch}'.\n"),
                None => text += "You are currently bisecting.\n",
            }
            text += "  (use \"git bisect reset\" to get back to the original branch)\n\n";
        }
        Ok(text)
    }
}

fn merge(unmerged: bool) -> &'static str {
    if unmerged {
        "You have unmerged paths.\n  (fix conflicts and run \"git commit\")\n  (use \"git merge --abort\" to abort the merge)\n\n"
    } else {
        "All conflicts fixed but you are still merging.\n  (use \"git commit\" to conclude merge)\n\n"
    }
}

fn mailbox(empty_patch: bool) -> &'static str {
    if empty_patch {
        "You are in the middle of an am session.\nThe current patch is empty.\n  \
         (use \"git am --skip\" to skip this patch)\n  \
         (use \"git am --allow-empty\" to record this patch as an empty commit)\n  \
         (use \"git am --abort\" to restore the original branch)\n\n"
    } else {
        "You are in the middle of an am session.\n  (fix conflicts and then run \"git am --continue\")\n  \
         (use \"git am --skip\" to skip this patch)\n  (use \"git am --abort\" to restore the original branch)\n\n"
    }
}

fn pick(repository: &Repository, commit: Option<ObjectId>, unmerged: bool, words: [&str; 4]) -> String {
    let [title, doing, command, name] = words;
    let mut text = match commit {
        Some(commit) => format!("You are currently {doing} commit {}.\n", repository.abbreviated(commit)),
        None => format!("{title} currently in progress.\n"),
    };
    text += &match (unmerged, commit) {
        (true, _) => format!("  (fix conflicts and run \"git {command} --continue\")\n"),
        (false, None) => format!("  (run \"git {command} --continue\" to continue)\n"),
        (false, Some(_)) => format!("  (all conflicts fixed: run \"git {command} --continue\")\n"),
    };
    text += &format!("  (use \"git {command} --skip\" to skip this patch)\n");
    text += &format!("  (use \"git {command} --abort\" to cancel the {name} operation)\n\n");
    text
}

impl Rebase {
    fn describe(&self, repository: &Repository, unmerged: bool) -> String {
        let mut text = self.progress(repository);
        let place = match (&self.branch, &self.onto) {
            (Some(branch), Some(onto)) => Some(format!("branch '{branch}' on '{onto}'")),
            _ => None,
        };
        let rebasing = || match &place {
            Some(place) => format!("You are currently rebasing {place}.\n"),
            None => "You are currently rebasing.\n".to_owned(),
        };
        if unmerged {
            text += &rebasing();
            text += "  (fix conflicts and then run \"git rebase --continue\")\n  \
                     (use \"git rebase --skip\" to skip this patch)\n  \
                     (use \"git rebase --abort\" to check out the original branch)\n";
        } else if !self.editing {
            text += &rebasing();
            text += "  (all conflicts fixed: run \"git rebase --continue\")\n";
        } else {
            text += &match &place {
                Some(place) => format!("You are currently editing a commit while rebasing {place}.\n"),
                None => "You are currently editing a commit during a rebase.\n".to_owned(),
            };
            text += "  (use \"git commit --amend\" to amend the current commit)\n  \
                     (use \"git rebase --continue\" once you are satisfied with your changes)\n";
        }
        text + "\n"
    }

    /// The last and the next commands of an interactive rebase.
    fn progress(&self, repository: &Repository) -> String {
        const SHOWN: usize = 2;
        if !self.interactive {
            return String::new();
        }
        let mut text = String::new();
        match self.done.len() {
            0 => text += "No commands done.\n",
            1 => text += "Last command done (1 command done):\n",
            count => text += &format!("Last commands done ({count} commands done):\n"),
        }
        for line in self.done.iter().skip(self.done.len().saturating_sub(SHOWN)) {
            text += &format!("   {line}\n");
        }
        if self.done.len() > SHOWN {
            let file = repository.gix.git_dir().join("rebase-merge/done");
            let shown = file.strip_prefix(&repository.root).unwrap_or(&file).display().to_string();
            text += &format!("  (see more in file {shown})\n");
        }
        match self.todo.len() {
            0 => text += "No commands remaining.\n",
            1 => text += "Next command to do (1 remaining command):\n",
            count => text += &format!("Next commands to do ({count} remaining commands):\n"),
        }
        for line in self.todo.iter().take(SHOWN) {
            text += &format!("   {line}\n");
        }
        if !self.todo.is_empty() {
            text += "  (use \"git rebase --edit-todo\" to view and edit)\n";
        }
        text
    }
}

impl Repository {
    /// What `git status` and `git branch` say about a detached `HEAD`: `at` or `from` what was checked out last.
    pub(super) fn detached_description(&self, head: ObjectId) -> Result<Option<String>> {
        let mut last = None;
        self.each_head_log_entry(|message, new| {
            let target = message.strip_prefix("checkout: moving from ").and_then(|moved| moved.rsplit_once(" to "));
            last = target.map(|(_, target)| (target.to_owned(), new));
            last.is_none()
        })?;
        let Some((target, commit)) = last else { return Ok(None) };
        let name = match self.references_meant_by(&target).as_slice() {
            [only] if target != "HEAD" && self.names_commit(only, commit) => {
                let short = only.strip_prefix("refs/tags/").or_else(|| only.strip_prefix("refs/remotes/"));
                short.unwrap_or(only).to_owned()
            }
            _ => self.abbreviated(commit),
        };
        Ok(Some(format!("HEAD detached {} {name}", if commit == head { "at" } else { "from" })))
    }

    fn names_commit(&self, reference: &str, commit: ObjectId) -> bool {
        let target = self.reference_target(reference);
        target == Some(commit) || target.and_then(|id| self.peeled_commit(id)) == Some(commit)
    }

    /// Parents that a merge in progress will have besides `HEAD`.
    pub(super) fn merge_heads(&self) -> Option<Vec<BString>> {
        let content = self.state_file("MERGE_HEAD")?;
        Some(content.fields().map(BString::from).collect())
    }
}
