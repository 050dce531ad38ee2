//! How many lines of each crate were reached, and which bars that has to pass.

use std::fmt;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use super::lcov::Source;
use crate::files::File;
use crate::lexer::{test_lines, tokens};
use crate::workspace::Workspace;

/// What has to be reached of all lines, in percent.
const OVERALL: f64 = 90.0;

/// Crates that read what strangers send, and what has to be reached of them, in percent.
const OF_CRATES: &[(&str, f64)] =
    &[("jackfield-protocol", 95.0), ("jackfield-peer", 95.0), ("jackfield-http", 95.0), ("jackfield-auth", 95.0)];

/// The counted files, crate by crate.
#[derive(Debug)]
pub(crate) struct Table {
    files: Vec<Counted>,
}

/// A source file of a crate that people use.
#[derive(Debug)]
struct Counted {
    package: String,
    /// Relative to the root of the project.
    path: PathBuf,
    lines: usize,
    /// Those that were not reached, with their numbers.
    missed: Vec<(usize, String)>,
}

impl Table {
    /// Counts the lines of the crates that are published, without those that exist in tests only.
    pub(super) fn new(workspace: &Workspace, sources: &[Source]) -> Result<Self> {
        let mut files = Vec::new();
        for package in workspace.packages.iter().filter(|package| package.publish.is_none()) {
            let folder = package.manifest_path.parent().context("a manifest lies in a folder")?.join("src");
            for source in sources.iter().filter(|source| source.path.starts_with(&folder)) {
                let path = source.path.strip_prefix(&workspace.root)?.to_owned();
                // A program that was built before the file went may still speak of it.
                let Ok(text) = std::fs::read_to_string(&source.path) else { continue };
                files.extend(count(&package.name, &File { path, text }, source));
            }
        }
        files.sort_by(|a, b| (&a.package, &a.path).cmp(&(&b.package, &b.path)));
        Ok(Self { files })
    }

    /// Fails if something is below its bar.
    pub(crate) fn check(&self) -> Result<()> {
        let rows = self.rows();
        let below: Vec<&str> = rows.iter().filter(|row| row.is_below()).map(|row| row.name).collect();
        ensure!(below.is_empty(), "too few lines are reached by tests: {}", below.join(", "));
        Ok(())
    }

    /// In one line.
    pub(crate) fn overall(&self) -> String {
        self.rows().last().map_or_else(String::new, |row| format!("{:.1} % of {} lines", row.percent(), row.lines))
    }

    /// Lists files with many lines that were not reached, the worst first.
    pub(super) fn worst_files(&self, count: usize) -> String {
        let mut files: Vec<&Counted> = self.files.iter().collect();
        files.sort_by_key(|file| std::cmp::Reverse(file.missed.len()));
        let mut text = String::new();
        for file in files.into_iter().take(count) {
            let _ = writeln!(text, "{:>5} of {:>4} missed  {}", file.missed.len(), file.lines, file.path.display());
        }
        text
    }

    /// Lists the lines that were not reached in files whose path contains `part`.
    pub(super) fn missed_lines(&self, part: &str) -> String {
        let mut text = String::new();
        for file in self.files.iter().filter(|file| file.path.to_string_lossy().contains(part)) {
            for (number, line) in &file.missed {
                let _ = writeln!(text, "{}:{number}: {line}", file.path.display());
            }
        }
        text
    }

    /// A row for each crate, and one for all.
    fn rows(&self) -> Vec<Row<'_>> {
        let mut rows: Vec<Row<'_>> = Vec::new();
        for file in &self.files {
            if rows.last().is_none_or(|row| row.name != file.package) {
                let bar = OF_CRATES.iter().find(|(name, _)| *name == file.package).map(|(_, bar)| *bar);
                rows.push(Row { name: &file.package, lines: 0, missed: 0, bar });
            }
            if let Some(row) = rows.last_mut() {
                row.lines += file.lines;
                row.missed += file.missed.len();
            }
        }
        let (lines, missed) = rows.iter().fold((0, 0), |(lines, missed), row| (lines + row.lines, missed + row.missed));
        rows.push(Row { name: "all", lines, missed, bar: Some(OVERALL) });
        rows
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<20} {:>7} {:>7} {:>8} {:>6}", "crate", "lines", "missed", "reached", "bar")?;
        for row in self.rows() {
            write!(f, "{:<20} {:>7} {:>7} {:>6.1} %", row.name, row.lines, row.missed, row.percent())?;
            if let Some(bar) = row.bar {
                write!(f, " {bar:>4.0} %{}", if row.is_below() { "  BELOW" } else { "" })?;
            }
            writeln!(f)?;
        }
        writeln!(f, "not counted: tests, examples, benches, fuzz targets, jackfield-testkit, xtask")
    }
}

/// A crate, or all of them.
#[derive(Debug)]
struct Row<'a> {
    name: &'a str,
    lines: usize,
    missed: usize,
    bar: Option<f64>,
}

impl Row<'_> {
    #[expect(clippy::cast_precision_loss, reason = "no project has so many lines")]
    fn percent(&self) -> f64 {
        if self.lines == 0 { 0.0 } else { 100.0 * (self.lines - self.missed) as f64 / self.lines as f64 }
    }

    fn is_below(&self) -> bool {
        self.bar.is_some_and(|bar| self.percent() < bar)
    }
}

/// `None` for a file that exists in tests only.
fn count(package: &str, file: &File, source: &Source) -> Option<Counted> {
    if file.is_test() {
        return None;
    }
    let of_tests = test_lines(&tokens(&file.text));
    let lines = source.lines.iter().filter(|line| !of_tests.iter().any(|range| range.contains(&line.number)));
    let texts: Vec<&str> = file.text.lines().collect();
    let (mut all, mut missed) = (0, Vec::new());
    for line in lines {
        all += 1;
        if !line.is_reached {
            missed.push((line.number, texts.get(line.number - 1).copied().unwrap_or_default().to_owned()));
        }
    }
    Some(Counted { package: package.to_owned(), path: file.path.clone(), lines: all, missed })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::lcov::Line;

    const SOURCE: &str = "fn a() {\n    b();\n}\n#[cfg(test)]\nmod tests {\n    fn c() {}\n}\n";

    fn counted(path: &str, reached: &[usize], missed: &[usize]) -> Option<Counted> {
        let line = |is_reached| move |number: &usize| Line { number: *number, is_reached };
        let lines = reached.iter().map(line(true)).chain(missed.iter().map(line(false))).collect();
        let file = File { path: path.into(), text: SOURCE.to_owned() };
        count("jackfield-peer", &file, &Source { path: path.into(), lines })
    }

    #[test]
    fn lines_of_tests_do_not_count() {
        let file = counted("crates/peer/src/a.rs", &[1, 3, 6], &[2]).unwrap();
        assert_eq!((file.lines, file.missed), (3, vec![(2, "    b();".to_owned())]));
        assert!(counted("crates/peer/src/a/tests.rs", &[1], &[]).is_none());
    }

    #[test]
    fn a_crate_below_its_bar_is_named() {
        let table = |reached, missed| Table { files: vec![counted("crates/peer/src/a.rs", reached, missed).unwrap()] };
        assert!(table(&[1, 2, 3], &[]).check().is_ok());
        let error = table(&[1, 2], &[3]).check().unwrap_err().to_string();
        assert_eq!(error, "too few lines are reached by tests: jackfield-peer, all");
        assert!(table(&[1, 2], &[3]).to_string().contains("66.7 %   95 %  BELOW"));
    }

    #[test]
    fn nothing_measured_is_not_good_enough() {
        assert!(Table { files: Vec::new() }.check().is_err());
    }
}
