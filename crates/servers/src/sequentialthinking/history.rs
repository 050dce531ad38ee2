//! What is remembered of thoughts: counters and the names of branches, not the texts, which nobody asks for again.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

/// The most names of branches.
const MOST_BRANCHES: usize = 10_000;
/// The most bytes of names of branches.
const MOST_BYTES: usize = 1 << 20;

/// One thought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Thought {
    pub(super) text: String,
    pub(super) next_needed: bool,
    pub(super) number: u64,
    pub(super) total: u64,
    pub(super) is_revision: bool,
    pub(super) revises: Option<u64>,
    pub(super) branch_from: Option<u64>,
    pub(super) branch: Option<String>,
}

/// The thoughts of one session.
#[derive(Debug, Default)]
pub(super) struct History {
    length: u64,
    /// Branches whose names are numbers, which come first.
    numbered: BTreeSet<u32>,
    /// The others, in the order of their first use.
    named: Vec<String>,
    known: HashSet<String>,
    bytes: usize,
}

/// What the caller gets to know after a thought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Progress {
    thought_number: u64,
    total_thoughts: u64,
    next_thought_needed: bool,
    branches: Vec<String>,
    thought_history_length: u64,
}

impl History {
    /// Adds a thought. One whose number is above the total raises the total.
    ///
    /// # Errors
    /// There are too many branches; the thought is not added.
    pub(super) fn add(&mut self, thought: &mut Thought) -> Result<Progress, String> {
        thought.total = thought.total.max(thought.number);
        if let (Some(_), Some(name)) = (thought.branch_from, thought.branch.as_deref().filter(|name| !name.is_empty()))
        {
            self.note_branch(name)?;
        }
        self.length += 1;
        Ok(Progress {
            thought_number: thought.number,
            total_thoughts: thought.total,
            next_thought_needed: thought.next_needed,
            branches: self.numbered.iter().map(ToString::to_string).chain(self.named.iter().cloned()).collect(),
            thought_history_length: self.length,
        })
    }

    fn note_branch(&mut self, name: &str) -> Result<(), String> {
        let index = array_index(name);
        if index.is_some_and(|index| self.numbered.contains(&index)) || self.known.contains(name) {
            return Ok(());
        }
        if self.numbered.len() + self.named.len() >= MOST_BRANCHES || self.bytes + name.len() > MOST_BYTES {
            return Err(format!(
                "Too many branches: at most {MOST_BRANCHES} names with {MOST_BYTES} bytes in all are kept; use one of those before"
            ));
        }
        self.bytes += name.len();
        match index {
            Some(index) => drop(self.numbered.insert(index)),
            None => {
                self.named.push(name.to_owned());
                self.known.insert(name.to_owned());
            }
        }
        Ok(())
    }
}

/// Reads what JavaScript takes for the index of an array: a number below 2^32 - 1 in its shortest form.
fn array_index(name: &str) -> Option<u32> {
    name.parse().ok().filter(|index: &u32| *index != u32::MAX && index.to_string() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch(history: &mut History, name: &str) -> Result<Progress, String> {
        let (branch_from, branch) = (Some(1), Some(name.to_owned()));
        history.add(&mut Thought { number: 1, total: 1, branch_from, branch, ..Thought::default() })
    }

    #[test]
    fn branches_are_listed_as_javascript_lists_keys() {
        let mut history = History::default();
        for name in ["x", "10", "__proto__", "2", "02", "constructor", "4294967295", "4294967294", "x", "-1", ""] {
            branch(&mut history, name).unwrap();
        }
        let progress = branch(&mut history, "10").unwrap();
        let expected = ["2", "10", "4294967294", "x", "__proto__", "02", "constructor", "4294967295", "-1"];
        assert_eq!(progress.branches, expected);
        assert_eq!(progress.thought_history_length, 12);
    }

    #[test]
    fn the_history_is_bounded_and_its_length_exact() {
        let mut history = History::default();
        for _ in 0..20_000 {
            let text = "t".repeat(1000);
            history.add(&mut Thought { text, number: 3, total: 2, ..Thought::default() }).unwrap();
        }
        let progress = branch(&mut history, "b").unwrap();
        assert_eq!(progress.thought_history_length, 20_001);
        assert!(branch(&mut history, &"n".repeat(MOST_BYTES)).unwrap_err().starts_with("Too many branches"));
        assert_eq!(branch(&mut history, "b").unwrap().thought_history_length, 20_002);
    }
}
