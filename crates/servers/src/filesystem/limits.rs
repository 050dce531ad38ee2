//! What one call may use, and how it learns that nobody waits for it any more.

/// What one call may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The most bytes of text in one answer, the same for base64. An answer repeats its text as structured content.
    pub answer_bytes: u64,
    /// The most directory entries that one call looks at.
    pub entries: u64,
    /// How many directories deep a call goes.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { answer_bytes: 24 * 1024 * 1024, entries: 1_000_000, depth: 200 }
    }
}

/// What a long operation asks and tells while it runs.
pub(crate) trait Watcher {
    /// Whether nobody waits for the result any more.
    fn is_cancelled(&self) -> bool;

    /// Tells how many entries were looked at.
    fn progress(&self, entries: u64);
}

/// Nobody watches.
#[cfg(test)]
pub(crate) struct Unwatched;

#[cfg(test)]
impl Watcher for Unwatched {
    fn is_cancelled(&self) -> bool {
        false
    }

    fn progress(&self, _: u64) {}
}
