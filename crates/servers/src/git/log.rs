//! The history of `HEAD`.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashSet},
};

use gix::ObjectId;

use super::{
    answer::{Answer, MAX_ANSWER},
    approximate_date, date,
    failure::Result,
    repository::Repository,
    revision::refuse_option,
};

/// Which commits are listed.
#[derive(Debug, Clone, Default)]
pub struct LogRange<'a> {
    /// At most so many; a negative number is no limit.
    pub max_count: i64,
    /// Only commits at or after this date.
    pub since: Option<&'a str>,
    /// Only commits at or before this date.
    pub until: Option<&'a str>,
}

impl Repository {
    /// The entries of `git_log`, joined by newlines.
    pub fn log(&self, range: &LogRange<'_>) -> Result<String> {
        for (what, value) in [("start_timestamp", range.since), ("end_timestamp", range.until)] {
            refuse_option(what, value.unwrap_or_default())?;
        }
        let now = approximate_date::Clock::system();
        let date =
            |text: Option<&str>| text.filter(|text| !text.is_empty()).map(|text| approximate_date::parse(text, &now));
        let (since, until) = (date(range.since), date(range.until));
        let mut walk = Walk::from(self, self.head_commit()?)?;
        let mut out = Answer::new(MAX_ANSWER);
        let mut left = usize::try_from(range.max_count).unwrap_or(usize::MAX);
        while left > 0
            && !out.is_full()
            && let Some((time, id)) = walk.next()?
        {
            // Commits before the first date are not walked through; those after the last are.
            if since.is_some_and(|since| time < since) {
                continue;
            }
            let commit = walk.follow(id)?;
            if until.is_none_or(|until| time <= until) {
                if !out.is_empty() {
                    out.push("\n");
                }
                write_entry(&commit, &mut out)?;
                left -= 1;
            }
        }
        Ok(out.finish("Ask for a smaller max_count or a range of dates."))
    }
}

fn write_entry(commit: &gix::Commit<'_>, out: &mut Answer) -> Result<()> {
    let author = commit.author()?;
    let when = author.time()?;
    out.push(format!("Commit: {}\nAuthor: ", commit.id));
    out.push(author.name);
    out.push(format!("\nDate: {}\nMessage: ", date::shown(when, date::Offset::Colon)));
    out.push(commit.message_raw()?);
    out.push("\n");
    Ok(())
}

/// Commits in the order of git: youngest first, those of one time in the order in which they were found.
struct Walk<'repo> {
    repository: &'repo Repository,
    queue: BinaryHeap<(i64, Reverse<usize>, ObjectId)>,
    seen: HashSet<ObjectId>,
}

impl<'repo> Walk<'repo> {
    fn from(repository: &'repo Repository, start: ObjectId) -> Result<Self> {
        let mut walk = Self { repository, queue: BinaryHeap::new(), seen: HashSet::new() };
        walk.push(start)?;
        Ok(walk)
    }

    fn push(&mut self, id: ObjectId) -> Result<()> {
        if self.seen.insert(id) {
            let time = self.repository.commit_time(id)?;
            self.queue.push((time, Reverse(self.seen.len()), id));
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<(i64, ObjectId)>> {
        self.repository.cancellation.check()?;
        Ok(self.queue.pop().map(|(time, _, id)| (time, id)))
    }

    /// Adds the parents of a commit, and gives it.
    fn follow(&mut self, id: ObjectId) -> Result<gix::Commit<'repo>> {
        let commit = self.repository.gix.find_commit(id)?;
        for parent in self.repository.parents(&commit) {
            self.push(parent)?;
        }
        Ok(commit)
    }
}
