//! Branches: listing them and making new ones.

use std::{collections::HashMap, fs};

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
    refs::TargetRef,
};

use super::{
    answer::{Answer, MAX_ANSWER},
    failure::{Failure, Result},
    references::full_name,
    repository::{Head, Repository, short_branch},
    revision::refuse_option,
};

/// Which branches are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchType {
    /// Those of this repository.
    Local,
    /// Those of remotes, as they were seen last.
    Remote,
    /// Both.
    All,
}

impl BranchType {
    /// The type by its name in the arguments of the tool.
    pub fn named(name: &str) -> Result<Self> {
        match name {
            "local" => Ok(Self::Local),
            "remote" => Ok(Self::Remote),
            "all" => Ok(Self::All),
            _ => Err(Failure::new(format!("Invalid branch type: {name}"))),
        }
    }
}

/// A line of the list.
struct Listed {
    mark: char,
    shown: BString,
    target: Option<BString>,
    commit: Option<ObjectId>,
}

impl Repository {
    /// What `git branch` prints.
    pub fn branches(&self, branch_type: &str, contains: Option<&str>, not_contains: Option<&str>) -> Result<String> {
        refuse_option("contains value", contains.unwrap_or_default())?;
        refuse_option("not_contains value", not_contains.unwrap_or_default())?;
        let branch_type = BranchType::named(branch_type)?;
        let commit = |name: Option<&str>| name.map(|name| self.commit_for_filter(name)).transpose();
        let filters = [(commit(contains)?, true), (commit(not_contains)?, false)];
        let mut listed = self.listed_branches(branch_type)?;
        for (commit, wanted) in filters {
            let Some(commit) = commit else { continue };
            let mut reach = Reach { repository: self, target: commit, known: HashMap::new() };
            let mut kept = Vec::new();
            for branch in listed {
                if let Some(tip) = branch.commit
                    && reach.contains(tip)? == wanted
                {
                    kept.push(branch);
                }
            }
            listed = kept;
        }
        let mut out = Answer::new(MAX_ANSWER);
        for branch in listed {
            out.push(format!("{} ", branch.mark));
            out.push(branch.shown);
            if let Some(target) = branch.target {
                out.push(" -> ");
                out.push(target);
            }
            out.push("\n");
        }
        Ok(out.finish_output("Ask for branches that contain a certain commit."))
    }

    fn commit_for_filter(&self, name: &str) -> Result<ObjectId> {
        let object = self.resolve(name).map_err(|_| Failure::new(format!("error: malformed object name {name}")))?;
        self.peeled_commit(object.id).ok_or_else(|| Failure::new(format!("error: no such commit {name}")))
    }

    fn listed_branches(&self, branch_type: BranchType) -> Result<Vec<Listed>> {
        let head = self.head()?;
        let elsewhere = self.branches_of_other_worktrees();
        let mut listed = Vec::new();
        if branch_type != BranchType::Remote
            && let Head::Detached(commit) = head
        {
            let shown = match self.operations().branch_description() {
                Some(description) => description,
                None => self.detached_description(commit)?.map_or("(no branch)".to_owned(), |text| format!("({text})")),
            };
            listed.push(Listed { mark: '*', shown: shown.into(), target: None, commit: Some(commit) });
        }
        let prefixes: &[(&str, &str)] = match branch_type {
            BranchType::Local => &[("refs/heads/", "")],
            BranchType::Remote => &[("refs/remotes/", "")],
            BranchType::All => &[("refs/heads/", ""), ("refs/remotes/", "remotes/")],
        };
        for (prefix, shown_prefix) in prefixes {
            let references = self.gix.references()?;
            let mut names: Vec<_> = references.prefixed(*prefix)?.filter_map(Result::ok).collect();
            names.sort_by(|one, other| one.name().as_bstr().cmp(other.name().as_bstr()));
            for mut reference in names {
                let full = reference.name().as_bstr().to_owned();
                let target = match reference.target() {
                    TargetRef::Symbolic(name) => Some(shown_target(name.as_bstr())),
                    TargetRef::Object(_) => None,
                };
                let commit = reference.peel_to_commit().ok().map(|commit| commit.id);
                let current = matches!(&head, Head::Branch(name, _) if name.as_bstr() == full);
                let mark = if current {
                    '*'
                } else if elsewhere.contains(&full) {
                    '+'
                } else {
                    ' '
                };
                let shown = [shown_prefix.as_bytes(), &full[prefix.len()..]].concat().into();
                listed.push(Listed { mark, shown, target, commit });
            }
        }
        Ok(listed)
    }

    /// Branches that are checked out in another working tree of the same repository.
    pub(super) fn branches_of_other_worktrees(&self) -> Vec<BString> {
        let common = self.gix.common_dir();
        let mut directories = vec![common.to_owned()];
        directories
            .extend(fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten().map(|entry| entry.path()));
        let own = self.gix.git_dir().canonicalize().ok();
        let others = directories.into_iter().filter(|directory| directory.canonicalize().ok() != own);
        let head = |directory: std::path::PathBuf| fs::read(directory.join("HEAD")).ok();
        others
            .filter_map(head)
            .filter_map(|head| Some(BString::from(head.strip_prefix(b"ref: ")?.trim_ascii())))
            .collect()
    }

    /// Makes a branch from an existing one, and says so.
    pub fn create_branch(&self, name: &str, base: Option<&str>) -> Result<String> {
        refuse_option("branch name", name)?;
        let base = base.filter(|base| !base.is_empty());
        refuse_option("base branch", base.unwrap_or_default())?;
        let (base_name, target) = match base {
            Some(base) => (base.to_owned(), self.base_reference(base)?),
            None => self.current_branch_as_base()?,
        };
        let full = format!("refs/heads/{name}");
        if self.reference(&full).is_some() {
            return Err(Failure::new(format!("Cannot create branch '{name}': {full} already exists")));
        }
        check_reference_name(&full)?;
        let commit = target.and_then(|id| self.peeled_commit(id)).ok_or_else(|| Failure::unresolved(&base_name))?;
        self.refuse_directory_conflict(name, &full)?;
        self.create_reference(full_name(&full)?, commit, &format!("branch: Created from {base_name}"))?;
        Ok(format!("Created branch '{name}' from '{base_name}'"))
    }

    fn current_branch_as_base(&self) -> Result<(String, Option<ObjectId>)> {
        match self.head()? {
            Head::Branch(name, commit) => Ok((short_branch(name.as_bstr()).to_string(), commit)),
            Head::Detached(_) => {
                Err(Failure::new("HEAD is detached, so there is no current branch to branch from; pass base_branch"))
            }
        }
    }

    /// A reference by its name without `refs/heads/`, `refs/tags/` and so on; the first in order of full names.
    fn base_reference(&self, base: &str) -> Result<Option<ObjectId>> {
        let references = self.gix.references()?;
        for reference in references.all()?.filter_map(Result::ok) {
            let full = reference.name().as_bstr().to_string();
            let short = full.splitn(3, '/').nth(2).unwrap_or(&full);
            if short == base {
                return Ok(self.reference_target(&full));
            }
        }
        Err(Failure::new(format!("No item found with id {base}")))
    }

    /// `a` and `a/b` cannot both be branches.
    fn refuse_directory_conflict(&self, name: &str, full: &str) -> Result<()> {
        let parent = name.match_indices('/').map(|(at, _)| format!("refs/heads/{}", &name[..at]));
        let taken = parent.into_iter().find(|parent| self.reference(parent).is_some());
        let below = format!("{full}/");
        let references = self.gix.references()?;
        let child = references
            .prefixed("refs/heads/")?
            .filter_map(Result::ok)
            .find(|reference| reference.name().as_bstr().starts_with_str(&below));
        match taken.or_else(|| child.map(|child| child.name().as_bstr().to_string())) {
            Some(taken) => Err(Failure::new(format!("Cannot create branch '{name}': {taken} already exists"))),
            None => Ok(()),
        }
    }
}

/// The target of a symbolic reference, as lists show it.
fn shown_target(name: &BStr) -> BString {
    let short = name.strip_prefix(b"refs/heads/").or_else(|| name.strip_prefix(b"refs/remotes/"));
    short.unwrap_or(name).into()
}

/// Which commits reach another one; what is found out about a commit holds for all that build on it.
struct Reach<'repo> {
    repository: &'repo Repository,
    target: ObjectId,
    known: HashMap<ObjectId, bool>,
}

impl Reach<'_> {
    fn contains(&mut self, tip: ObjectId) -> Result<bool> {
        let mut stack = vec![tip];
        while let Some(id) = stack.last().copied() {
            self.repository.cancellation.check()?;
            if self.known.contains_key(&id) {
                stack.pop();
                continue;
            }
            if id == self.target {
                self.known.insert(id, true);
                continue;
            }
            let commit = self.repository.gix.find_commit(id)?;
            let parents = self.repository.parents(&commit);
            let known: Vec<_> = parents.iter().map(|parent| self.known.get(parent).copied()).collect();
            if known.contains(&Some(true)) {
                self.known.insert(id, true);
            } else if let Some(at) = known.iter().position(Option::is_none) {
                stack.push(parents[at]);
            } else {
                self.known.insert(id, false);
            }
        }
        Ok(self.known.get(&tip).copied().unwrap_or(false))
    }
}

/// The rules for names of references, with the wording of the original.
fn check_reference_name(full: &str) -> Result<()> {
    match broken_rule(full) {
        Some(rule) => Err(Failure::new(format!("Invalid reference '{full}': references cannot {rule}"))),
        None => Ok(()),
    }
}

fn broken_rule(full: &str) -> Option<&'static str> {
    let mut previous = None;
    for c in full.chars() {
        let rule = match (previous, c) {
            (_, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\') => Some(
                "contain spaces, tildes (~), carets (^), colons (:), question marks (?), asterisks (*), \
                 open brackets ([) or backslashes (\\)",
            ),
            (Some('/'), '.') => Some("start with a period (.) or contain '/.'"),
            (Some('.'), '.') => Some("contain '..'"),
            (Some('/'), '/') => Some("contain '//'"),
            (Some('@'), '{') => Some("contain '@{'"),
            (_, c) if c.is_ascii_control() => Some("contain ASCII control characters"),
            _ => None,
        };
        if rule.is_some() {
            return rule;
        }
        previous = Some(c);
    }
    if full.ends_with('.') {
        Some("end with a period (.)")
    } else if full.ends_with('/') {
        Some("end with a forward slash (/)")
    } else if full.split('/').any(|part| part.ends_with(".lock")) {
        Some("have slash-separated components that end with '.lock'")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_git_refuses_are_refused_with_a_reason() {
        for (name, rule) in [
            ("a b", "contain spaces"),
            ("a..b", "contain '..'"),
            (".x", "start with a period"),
            ("x.lock", "have slash-separated"),
            ("a/", "end with a forward slash"),
            ("a//b", "contain '//'"),
            ("a.", "end with a period"),
            ("@{", "contain '@{'"),
            ("a\u{7f}", "contain ASCII control"),
        ] {
            let broken = broken_rule(&format!("refs/heads/{name}")).unwrap_or_default();
            assert!(broken.starts_with(rule), "{name}: {broken}");
        }
        assert_eq!(broken_rule("refs/heads/feature/x-1"), None);
    }
}
