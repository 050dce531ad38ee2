//! How many lines of each crate were reached, and which bars that has to pass.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::files::File;
use crate::rust_source::test_modules;
use crate::workspace::Workspace;

/// What has to be reached of all lines, in percent.
const OVERALL: f64 = 90.0;

/// Crates that read what strangers send, and what has to be reached of them, in percent.
const OF_CRATES: &[(&str, f64)] =
    &[("jackfield-protocol", 95.0), ("jackfield-peer", 95.0), ("jackfield-http", 95.0), ("jackfield-auth", 95.0)];

/// The counted lines, crate by crate.
#[derive(Debug)]
pub(super) struct Table {
    crates: BTreeMap<String, Row>,
    /// File, line and text of what was not reached.
    missed: Vec<(PathBuf, usize, String)>,
}

/// How many lines were counted and reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Row {
    lines: usize,
    reached: usize,
}

impl Table {
    /// Reads a report in the format of lcov. Counts the lines of the crates that are published, without those of tests.
    pub(super) fn new(workspace: &Workspace, report: &str) -> Result<Self> {
        // A crate that the report does not name is not reached at all.
        let crates = OF_CRATES.iter().map(|(name, _)| ((*name).to_owned(), Row::default())).collect();
        let mut table = Self { crates, missed: Vec::new() };
        for package in workspace.packages.iter().filter(|package| package.publish.is_none()) {
            let folder = package.manifest_path.parent().context("a manifest lies in a folder")?.join("src");
            for section in report.split("end_of_record").filter(|section| is_of(section, &folder)) {
                table.count(workspace, &package.name, section)?;
            }
        }
        Ok(table)
    }

    fn count(&mut self, workspace: &Workspace, package: &str, section: &str) -> Result<()> {
        let path = path(section).context("a section of the report names its file")?;
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let file = File { path: path.strip_prefix(&workspace.root)?.to_owned(), text };
        if file.is_test() {
            return Ok(());
        }
        let row = self.crates.entry(package.to_owned()).or_default();
        let (tests, texts) = (test_modules(&file.text), file.text.lines().collect::<Vec<_>>());
        for (number, count) in lines(section).filter(|(number, _)| !tests.iter().any(|range| range.contains(number))) {
            row.lines += 1;
            row.reached += usize::from(count > 0);
            if count == 0 {
                let text = texts.get(number - 1).map_or("", |text| text.trim()).to_owned();
                self.missed.push((file.path.clone(), number, text));
            }
        }
        Ok(())
    }

    /// Fails if something is below its bar.
    pub(super) fn check(&self) -> Result<()> {
        let below: Vec<&str> = self
            .rows()
            .filter(|(_, row, bar)| bar.is_some_and(|bar| row.percent() < bar))
            .map(|(name, ..)| name)
            .collect();
        ensure!(below.is_empty(), "too few lines are reached by tests: {}", below.join(", "));
        Ok(())
    }

    /// In one line.
    pub(super) fn overall(&self) -> String {
        let all = self.all();
        format!("{:.1} % of {} lines", all.percent(), all.lines)
    }

    /// Lists the lines that were not reached in files whose path contains `part`.
    pub(super) fn missed_lines(&self, part: &str) -> String {
        let mut text = String::new();
        for (path, number, line) in self.missed.iter().filter(|(path, ..)| path.to_string_lossy().contains(part)) {
            let _ = writeln!(text, "{}:{number}: {line}", path.display());
        }
        text
    }

    fn all(&self) -> Row {
        let add = |all: Row, row: &Row| Row { lines: all.lines + row.lines, reached: all.reached + row.reached };
        self.crates.values().fold(Row::default(), add)
    }

    /// A row for each crate, and one for all, with their bars.
    fn rows(&self) -> impl Iterator<Item = (&str, Row, Option<f64>)> {
        let bar = |name: &str| OF_CRATES.iter().find(|(known, _)| *known == name).map(|(_, bar)| *bar);
        let crates = self.crates.iter().map(move |(name, row)| (name.as_str(), *row, bar(name)));
        crates.chain([("all", self.all(), Some(OVERALL))])
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<20} {:>7} {:>7} {:>8} {:>6}", "crate", "lines", "missed", "reached", "bar")?;
        for (name, row, bar) in self.rows() {
            write!(f, "{name:<20} {:>7} {:>7} {:>6.1} %", row.lines, row.lines - row.reached, row.percent())?;
            writeln!(f, "{}", bar.map_or_else(String::new, |bar| format!(" {bar:>4.0} %")))?;
        }
        Ok(())
    }
}

impl Row {
    #[expect(clippy::cast_precision_loss, reason = "no project has so many lines")]
    fn percent(self) -> f64 {
        if self.lines == 0 { 0.0 } else { 100.0 * self.reached as f64 / self.lines as f64 }
    }
}

fn path(section: &str) -> Option<&Path> {
    section.lines().find_map(|line| line.strip_prefix("SF:")).map(Path::new)
}

/// A program that was built before a file went may still list it.
fn is_of(section: &str, folder: &Path) -> bool {
    path(section).is_some_and(|path| path.starts_with(folder) && path.is_file())
}

/// Returns numbers and counts: `DA:12,3` says that line 12 was reached three times.
fn lines(section: &str) -> impl Iterator<Item = (usize, u64)> {
    section.lines().filter_map(|line| {
        let (number, count) = line.strip_prefix("DA:")?.split_once(',')?;
        Some((number.parse().ok()?, count.split(',').next()?.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_tests_and_of_other_crates_do_not_count() {
        let workspace = Workspace::find().unwrap();
        let source = workspace.root.join("crates/protocol/src/lib.rs");
        let length = std::fs::read_to_string(&source).unwrap().lines().count();
        let report = format!(
            "SF:{}\nDA:1,2\nDA:2,0\nDA:{length},1,sum\nend_of_record\nSF:/elsewhere/b.rs\nDA:7,1\nend_of_record\n",
            source.display()
        );
        let table = Table::new(&workspace, &report).unwrap();
        assert_eq!(table.crates["jackfield-protocol"], Row { lines: 3, reached: 2 });
        assert_eq!(table.all(), Row { lines: 3, reached: 2 });
        assert!(table.missed_lines("protocol/src").starts_with("crates/protocol/src/lib.rs:2: "));
        let below = table.check().unwrap_err().to_string();
        assert!(below.ends_with("jackfield-auth, jackfield-http, jackfield-peer, jackfield-protocol, all"), "{below}");
    }
}
