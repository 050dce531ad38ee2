//! Going through a directory and those below it, with limits.

use std::fmt;

use super::beneath::{Dir, Entry};
use super::limits::{Limits, Watcher};

/// What a walk has used so far, and whether it had to stop.
pub(crate) struct Walk<'a> {
    limits: &'a Limits,
    watcher: &'a dyn Watcher,
    entries: u64,
    cut: Option<Cut>,
}

/// Which limit a walk has met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Entries(u64),
    Depth(usize),
    Bytes(u64),
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entries(most) => write!(f, "The result is incomplete: only the first {most} entries were looked at"),
            Self::Depth(most) => {
                write!(f, "The result is incomplete: directories more than {most} levels deep were left out")
            }
            Self::Bytes(most) => write!(f, "The result is incomplete: it would have more than {most} bytes"),
        }
    }
}

/// Between how many entries a walk tells how far it is.
const PROGRESS_STEP: u64 = 5000;

impl<'a> Walk<'a> {
    pub(crate) fn new(limits: &'a Limits, watcher: &'a dyn Watcher) -> Self {
        Self { limits, watcher, entries: 0, cut: None }
    }

    /// Returns the entries of a directory in byte order.
    pub(crate) fn entries(&self, dir: &Dir) -> std::io::Result<Vec<Entry>> {
        let mut entries = dir.entries()?;
        entries.sort_unstable_by(|left, right| left.name.cmp(&right.name));
        Ok(entries)
    }

    /// Counts an entry; says whether the walk may go on.
    pub(crate) fn may_look(&mut self) -> bool {
        if self.entries >= self.limits.entries {
            self.cut.get_or_insert(Cut::Entries(self.limits.entries));
            return false;
        }
        self.entries += 1;
        if self.entries.is_multiple_of(PROGRESS_STEP) {
            self.watcher.progress(self.entries);
        }
        true
    }

    /// Whether a directory that is so many levels below the first may be entered.
    pub(crate) fn may_enter(&mut self, depth: usize) -> bool {
        if depth > self.limits.depth {
            self.cut.get_or_insert(Cut::Depth(self.limits.depth));
            return false;
        }
        true
    }

    /// Whether a result of so many bytes may grow.
    pub(crate) fn may_grow(&mut self, bytes: usize) -> bool {
        if bytes as u64 > self.limits.answer_bytes {
            self.cut.get_or_insert(Cut::Bytes(self.limits.answer_bytes));
            return false;
        }
        true
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.watcher.is_cancelled()
    }

    /// Which limit was met first.
    pub(crate) fn cut(&self) -> Option<Cut> {
        self.cut
    }
}
