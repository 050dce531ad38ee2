//! Unified diffs of lines, as the original writes them: four lines of context, and the choices of its diff among equally short ones.

use std::collections::HashMap;
use std::fmt::Write;

const CONTEXT: usize = 4;

/// How many edits are looked for. Beyond, everything between the common beginning and end counts as replaced, because finding a short
/// diff takes time that grows with the square of the edits.
const MOST_EDITS: usize = 3_000;

/// Returns the diff of two texts under a path.
pub(crate) fn unified(old: &str, new: &str, path: &str) -> String {
    let mut diff = format!("Index: {path}\n{}\n--- {path}\toriginal\n+++ {path}\tmodified\n", "=".repeat(67));
    let (old, new) = (lines(old), lines(new));
    for hunk in hunks(&runs(&old, &new)) {
        hunk.write(&mut diff, &old, &new);
    }
    diff
}

/// Splits after each newline.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Lines that stay, or go, or come, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Same,
    Removed,
    Added,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    change: Change,
    count: usize,
}

/// A step of a path through the edit graph; `previous` is the index of the step before. There are up to the square of the edits.
struct Step {
    change: Change,
    count: u32,
    previous: u32,
}

/// No step before.
const NONE: u32 = u32::MAX;

/// The furthest path on a diagonal: how many old lines it has used, and its last step.
#[derive(Clone, Copy)]
struct Furthest {
    old: isize,
    last: u32,
}

/// Compares lines by number, not by text.
fn numbered<'a>(old: &[&'a str], new: &[&'a str]) -> (Vec<u32>, Vec<u32>) {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |line: &&'a str| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        *numbers.entry(line).or_insert(next)
    };
    let old = old.iter().map(&mut number).collect();
    (old, new.iter().map(number).collect())
}

/// Finds a shortest sequence of edits with Myers' algorithm, greedily along diagonals.
fn runs(old: &[&str], new: &[&str]) -> Vec<Run> {
    let (old, new) = numbered(old, new);
    Search { old: &old, new: &new, steps: Vec::new() }.run().unwrap_or_else(|| replaced(&old, &new))
}

struct Search<'a> {
    old: &'a [u32],
    new: &'a [u32],
    steps: Vec<Step>,
}

impl Search<'_> {
    /// Returns `None` when there are too many edits.
    ///
    /// Diagonal `d` holds the paths that have removed `d` lines more than they have added. Among paths of the same length the one that
    /// used more old lines wins, and removal wins over addition where they are equal: which of several shortest diffs is found, and so
    /// the text that clients see, depends on it.
    fn run(mut self) -> Option<Vec<Run>> {
        let (old_len, new_len) = (self.old.len() as isize, self.new.len() as isize);
        let limit = (self.old.len() + self.new.len()).min(MOST_EDITS) as isize;
        let at = |diagonal: isize| (diagonal + limit + 1) as usize;
        let mut best: Vec<Option<Furthest>> = vec![None; at(limit + 1) + 1];
        let mut start = Furthest { old: -1, last: NONE };
        let new_position = self.follow_common(&mut start, 0);
        if start.old + 1 >= old_len && new_position + 1 >= new_len {
            return Some(self.ordered(start.last));
        }
        best[at(0)] = Some(start);
        let (mut lowest, mut highest) = (-limit, limit);
        for edits in 1..=limit {
            let mut diagonal = lowest.max(-edits);
            while diagonal <= highest.min(edits) {
                let removing = best[at(diagonal - 1)].take();
                let adding = best[at(diagonal + 1)];
                let adding = adding.filter(|path| (0..new_len).contains(&(path.old - diagonal)));
                let removing = removing.filter(|path| path.old + 1 < old_len);
                let mut path = match (removing, adding) {
                    (None, None) => {
                        best[at(diagonal)] = None;
                        diagonal += 2;
                        continue;
                    }
                    (Some(removing), Some(adding)) if removing.old < adding.old => self.extended(adding, Change::Added),
                    (None, Some(adding)) => self.extended(adding, Change::Added),
                    (Some(removing), _) => self.extended(removing, Change::Removed),
                };
                let new_position = self.follow_common(&mut path, diagonal);
                let (old_used, new_used) = (path.old + 1 >= old_len, new_position + 1 >= new_len);
                if old_used && new_used {
                    return Some(self.ordered(path.last));
                }
                best[at(diagonal)] = Some(path);
                // Beyond the end of a text a diagonal has nothing to offer.
                if old_used {
                    highest = highest.min(diagonal - 1);
                }
                if new_used {
                    lowest = lowest.max(diagonal + 1);
                }
                diagonal += 2;
            }
        }
        None
    }

    fn extended(&mut self, path: Furthest, change: Change) -> Furthest {
        let old = path.old + isize::from(change == Change::Removed);
        let step = match self.steps.get(path.last as usize) {
            Some(last) if last.change == change => Step { change, count: last.count + 1, previous: last.previous },
            _ => Step { change, count: 1, previous: path.last },
        };
        Furthest { old, last: self.push(step) }
    }

    /// Goes on as long as lines are equal; returns the place in the new text.
    fn follow_common(&mut self, path: &mut Furthest, diagonal: isize) -> isize {
        let first = (path.old + 1) as usize;
        let first_new = (path.old - diagonal + 1) as usize;
        let pairs = self.old.get(first..).into_iter().flatten().zip(self.new.get(first_new..).into_iter().flatten());
        let count = pairs.take_while(|(old, new)| old == new).count();
        if count > 0 {
            let step = Step { change: Change::Same, count: count as u32, previous: path.last };
            path.last = self.push(step);
            path.old += count as isize;
        }
        path.old - diagonal
    }

    fn push(&mut self, step: Step) -> u32 {
        self.steps.push(step);
        (self.steps.len() - 1) as u32
    }

    /// Returns the runs from the beginning.
    fn ordered(&self, mut last: u32) -> Vec<Run> {
        let mut runs = Vec::new();
        while let Some(step) = self.steps.get(last as usize) {
            runs.push(Run { change: step.change, count: step.count as usize });
            last = step.previous;
        }
        runs.reverse();
        runs
    }
}

/// Everything but the common beginning and end.
fn replaced(old: &[u32], new: &[u32]) -> Vec<Run> {
    let prefix = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let rest = old[prefix..].iter().rev().zip(new[prefix..].iter().rev());
    let suffix = rest.take_while(|(old, new)| old == new).count();
    let runs = [
        Run { change: Change::Same, count: prefix },
        Run { change: Change::Removed, count: old.len() - prefix - suffix },
        Run { change: Change::Added, count: new.len() - prefix - suffix },
        Run { change: Change::Same, count: suffix },
    ];
    runs.into_iter().filter(|run| run.count > 0).collect()
}

/// Changes that are close to each other, with the lines around them.
#[derive(Debug, Default)]
struct Hunk {
    old_start: usize,
    new_start: usize,
    runs: Vec<Run>,
}

fn hunks(runs: &[Run]) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let mut open: Option<Hunk> = None;
    let (mut old, mut new) = (0, 0);
    for (index, run) in runs.iter().enumerate() {
        match run.change {
            Change::Same => {
                let joins = run.count <= 2 * CONTEXT && index + 1 < runs.len();
                match &mut open {
                    Some(hunk) if joins => hunk.runs.push(*run),
                    Some(hunk) => {
                        hunk.runs.push(Run { count: run.count.min(CONTEXT), ..*run });
                        hunks.extend(open.take());
                    }
                    None => {}
                }
                (old, new) = (old + run.count, new + run.count);
            }
            change => {
                let hunk = open.get_or_insert_with(|| {
                    let before = index.checked_sub(1).map_or(0, |before| runs[before].count.min(CONTEXT));
                    let context = (before > 0).then_some(Run { change: Change::Same, count: before });
                    Hunk { old_start: old - before, new_start: new - before, runs: context.into_iter().collect() }
                });
                hunk.runs.push(*run);
                if change == Change::Removed { old += run.count } else { new += run.count }
            }
        }
    }
    hunks.extend(open);
    hunks
}

impl Hunk {
    fn lines(&self, side: Change) -> usize {
        self.runs.iter().filter(|run| run.change == Change::Same || run.change == side).map(|run| run.count).sum()
    }

    fn write(&self, diff: &mut String, old: &[&str], new: &[&str]) {
        let (old_count, new_count) = (self.lines(Change::Removed), self.lines(Change::Added));
        // Lines are counted from one, but a side without lines names the line before.
        let first = |start: usize, count: usize| if count == 0 { start } else { start + 1 };
        let (old_first, new_first) = (first(self.old_start, old_count), first(self.new_start, new_count));
        let _ = writeln!(diff, "@@ -{old_first},{old_count} +{new_first},{new_count} @@");
        let (mut old, mut new) = (old[self.old_start..].iter(), new[self.new_start..].iter());
        for run in &self.runs {
            for _ in 0..run.count {
                let (mark, line) = match run.change {
                    Change::Same => {
                        new.next();
                        (' ', old.next())
                    }
                    Change::Removed => ('-', old.next()),
                    Change::Added => ('+', new.next()),
                };
                write_line(diff, mark, line.copied().unwrap_or_default());
            }
        }
    }
}

fn write_line(diff: &mut String, mark: char, line: &str) {
    diff.push(mark);
    diff.push_str(line);
    if !line.ends_with('\n') {
        diff.push_str("\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        let diff = unified(old, new, "/p");
        let header = format!("Index: /p\n{}\n--- /p\toriginal\n+++ /p\tmodified\n", "=".repeat(67));
        assert_eq!(diff.strip_prefix(&header), Some(expected), "{diff}");
    }

    #[test]
    fn equal_texts_have_only_a_header() {
        check("a\n", "a\n", "");
        check("", "", "");
    }

    #[test]
    fn a_side_without_lines_names_the_line_before() {
        check("", "a\n", "@@ -0,0 +1,1 @@\n+a\n");
        check("a\n", "", "@@ -1,1 +0,0 @@\n-a\n");
    }

    #[test]
    fn a_missing_last_newline_is_told() {
        check("a", "b", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n");
        check("a\nb", "c\nb", "@@ -1,2 +1,2 @@\n-a\n+c\n b\n\\ No newline at end of file\n");
    }

    #[test]
    fn hunks_join_when_at_most_eight_lines_lie_between() {
        let text = |changed: &[usize]| -> String {
            (1..=30)
                .map(|line| if changed.contains(&line) { format!("x{line}\n") } else { format!("{line}\n") })
                .collect()
        };
        let count = |changed: &[usize]| unified(&text(&[]), &text(changed), "/p").matches("@@ -").count();
        assert_eq!(count(&[10, 19]), 1);
        assert_eq!(count(&[10, 20]), 2);
        assert_eq!(count(&[1, 30]), 2);
    }

    #[test]
    fn too_many_edits_become_one_replacement() {
        let old: String = (0..20_000).map(|line| format!("a{line}\n")).collect();
        let new: String = (0..20_000).map(|line| format!("b{line}\n")).collect();
        let diff = unified(&format!("same\n{old}end\n"), &format!("same\n{new}end\n"), "/p");
        assert!(diff.contains("@@ -1,20002 +1,20002 @@\n same\n-a0\n"));
        assert!(diff.ends_with("+b19999\n end\n"));
    }
}
