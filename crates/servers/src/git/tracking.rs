//! How a branch stands to its upstream.

use std::collections::{BinaryHeap, HashMap, HashSet};

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
};

use super::{failure::Result, repository::Repository, revision::REFERENCE_RULES};

/// Commits that only one of two histories has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Divergence {
    pub(super) ahead: usize,
    pub(super) behind: usize,
}

impl Repository {
    /// The full name of the reference that a branch follows.
    pub(super) fn upstream(&self, branch: &BStr) -> Option<BString> {
        let short = branch.strip_prefix(b"refs/heads/")?.as_bstr();
        let config = self.gix.config_snapshot();
        let value = |key: &str| config.plumbing().string_by("branch", Some(short), key);
        let (remote, merge) = (value("remote")?, value("merge")?);
        if remote == "." {
            return Some(merge);
        }
        let specifications =
            config.plumbing().strings_filter_by("remote", Some(remote.as_bstr()), "fetch", |_| true)?;
        specifications.iter().find_map(|specification| mapped(specification.as_bstr(), merge.as_bstr()))
    }

    /// The lines of `git status` about the upstream of a branch.
    pub(super) fn tracking_lines(&self, branch: &BStr, commit: ObjectId) -> Result<Option<String>> {
        let Some(upstream) = self.upstream(branch) else { return Ok(None) };
        let shown = self.shortened_reference(&upstream);
        let target = self.reference_target(&upstream.to_string()).and_then(|id| self.peeled_commit(id));
        let Some(target) = target else {
            return Ok(Some(format!(
                "Your branch is based on '{shown}', but the upstream is gone.\n  \
                 (use \"git branch --unset-upstream\" to fixup)\n"
            )));
        };
        let Divergence { ahead, behind } = self.divergence(commit, target)?;
        let commits = |count: usize| if count == 1 { "commit" } else { "commits" };
        Ok(Some(match (ahead, behind) {
            (0, 0) => format!("Your branch is up to date with '{shown}'.\n"),
            (_, 0) => format!(
                "Your branch is ahead of '{shown}' by {ahead} {}.\n  (use \"git push\" to publish your local commits)\n",
                commits(ahead)
            ),
            (0, _) => format!(
                "Your branch is behind '{shown}' by {behind} {}, and can be fast-forwarded.\n  \
                 (use \"git pull\" to update your local branch)\n",
                commits(behind)
            ),
            _ => format!(
                "Your branch and '{shown}' have diverged,\nand have {ahead} and {behind} different {} each, respectively.\n  \
                 (use \"git pull\" if you want to integrate the remote branch with yours)\n",
                commits(ahead + behind)
            ),
        }))
    }

    /// The shortest name that means this reference and no other.
    pub(super) fn shortened_reference(&self, full: &BString) -> String {
        let full = full.to_string();
        for (at, (before, after)) in REFERENCE_RULES.iter().enumerate().skip(1).rev() {
            let Some(short) = full.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)) else { continue };
            let taken = |(before, after): &(&str, &str)| self.reference(&format!("{before}{short}{after}")).is_some();
            if !short.is_empty() && !REFERENCE_RULES[..at].iter().any(taken) {
                return short.to_owned();
            }
        }
        full
    }

    /// How many commits each of two histories has that the other lacks.
    pub(super) fn divergence(&self, ours: ObjectId, theirs: ObjectId) -> Result<Divergence> {
        const OURS: u8 = 1;
        const THEIRS: u8 = 2;
        const BOTH: u8 = OURS | THEIRS;
        if ours == theirs {
            return Ok(Divergence { ahead: 0, behind: 0 });
        }
        let mut sides = HashMap::from([(ours, OURS), (theirs, THEIRS)]);
        let mut waiting = HashSet::from([ours, theirs]);
        let mut queue = BinaryHeap::from([(self.commit_time(ours)?, ours), (self.commit_time(theirs)?, theirs)]);
        // Commits come youngest first; once all that wait are in both histories, so are their ancestors.
        let mut undecided = 2usize;
        while undecided > 0
            && let Some((_, id)) = queue.pop()
        {
            self.cancellation.check()?;
            waiting.remove(&id);
            let side = sides[&id];
            undecided -= usize::from(side != BOTH);
            for parent in self.gix.find_commit(id)?.parent_ids() {
                let parent = parent.detach();
                let before = sides.get(&parent).copied().unwrap_or(0);
                let after = before | side;
                if after == before {
                    continue;
                }
                sides.insert(parent, after);
                if waiting.insert(parent) {
                    queue.push((self.commit_time(parent)?, parent));
                    undecided += usize::from(after != BOTH);
                } else {
                    undecided -= 1;
                }
            }
        }
        let count = |wanted: u8| sides.values().filter(|side| **side == wanted).count();
        Ok(Divergence { ahead: count(OURS), behind: count(THEIRS) })
    }

    pub(super) fn commit_time(&self, id: ObjectId) -> Result<i64> {
        Ok(self.gix.find_commit(id)?.time()?.seconds)
    }
}

/// Where a fetch puts a reference of the remote, by a specification such as `+refs/heads/*:refs/remotes/origin/*`.
fn mapped(specification: &BStr, name: &BStr) -> Option<BString> {
    let specification = specification.strip_prefix(b"+").unwrap_or(specification);
    let (from, to) = specification.split_once_str(":")?;
    let (Some((before, after)), Some((to_before, to_after))) = (from.split_once_str("*"), to.split_once_str("*"))
    else {
        return (from == name.as_bytes()).then(|| to.into());
    };
    let middle = name.strip_prefix(before)?.strip_suffix(after)?;
    Some([to_before, middle, to_after].concat().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fetch_specification_maps_names() {
        let check =
            |specification: &str, name: &str| mapped(specification.into(), name.into()).map(|to| to.to_string());
        let all = "+refs/heads/*:refs/remotes/origin/*";
        assert_eq!(check(all, "refs/heads/a/b").as_deref(), Some("refs/remotes/origin/a/b"));
        assert_eq!(check(all, "refs/tags/v1"), None);
        assert_eq!(
            check("refs/heads/main:refs/remotes/x/main", "refs/heads/main").as_deref(),
            Some("refs/remotes/x/main")
        );
        assert_eq!(check("refs/heads/main", "refs/heads/main"), None);
    }
}
