//! `cargo xtask requirements`: which rows of the specification's MUST and SHOULD are proven by a test.

mod reasons;
pub(crate) mod scan;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, bail};
use clap::Args;

use crate::files::{self, File};
use crate::rust_source::test_functions;
use crate::workspace::Workspace;
use reasons::Reasons;
use table::{Requirement, Table};

/// What to show.
#[derive(Debug, Default, Args)]
pub(crate) struct Options {
    /// List the testable rows no test names.
    #[arg(long)]
    pub(crate) list_open: bool,
    /// List the rows that cannot be tested in code, and why.
    #[arg(long)]
    pub(crate) list_untestable: bool,
    /// Count and list only this area, such as BASE or STDIO.
    #[arg(long)]
    pub(crate) area: Option<String>,
    /// Fail when fewer rows are covered.
    #[arg(long, default_value_t = 0)]
    pub(crate) at_least: usize,
}

/// Prints how much is covered; fails when a test names a row that does not exist.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let table = Table::read(&workspace.root.join("tests/data/requirements.tsv"))?;
    let proven = proven(&files::of(&workspace.root)?, &table);

    let unknown: Vec<String> = proven
        .iter()
        .filter(|(id, _)| !table.contains(id))
        .map(|(id, places)| format!("{id} ({})", places.join(", ")))
        .collect();
    if !unknown.is_empty() {
        bail!("these tests name requirements that are not in the table: {}", unknown.join("; "));
    }

    let covered: BTreeSet<&str> = proven.keys().map(String::as_str).collect();
    let reasons = Reasons::read(&workspace.root.join("tests/data/without-test.tsv"))?;
    reasons.check(&table, &covered)?;
    let area = options.area.as_deref().map(str::to_uppercase);
    let rows: Vec<&Requirement> =
        table.rows().filter(|row| row.testable && area.as_deref().is_none_or(|area| row.area() == area)).collect();
    if rows.is_empty() {
        bail!("no testable requirement has this area; areas are {}", table.areas().collect::<Vec<_>>().join(", "));
    }

    println!("{}", report("area", &rows, &covered, |row| vec![row.area()]));
    println!("{}", report("revision", &rows, &covered, |row| row.revisions.iter().map(String::as_str).collect()));
    if options.list_open {
        for row in rows.iter().filter(|row| !covered.contains(row.id.as_str())) {
            println!("{}  {:6}  {:7}  {}  ({})", row.id, row.level, row.who, row.text, row.section);
            if let Some(why) = reasons.of(&row.id) {
                println!("          {why}");
            }
        }
        println!();
    }
    if options.list_untestable {
        let of_area = |row: &&Requirement| !row.testable && area.as_deref().is_none_or(|area| row.area() == area);
        for row in table.rows().filter(of_area) {
            println!("{}  {}\n          {}", row.id, row.text, reasons.of(&row.id).unwrap_or_default());
        }
        println!();
    }
    let count = rows.iter().filter(|row| covered.contains(row.id.as_str())).count();
    println!("{count} of {} testable requirements are covered", rows.len());
    if std::env::var_os("MCP_SCHEMA_DIR").is_none() {
        println!(
            "MCP_SCHEMA_DIR is not set: tests against the official schemas skip themselves, and what only they prove (BASE-083) is counted without having been shown here"
        );
    }
    if count < options.at_least {
        bail!("{count} requirements are covered, and at least {} must be", options.at_least);
    }
    Ok(())
}

/// Returns each id that tests name, with the tests that name it.
fn proven(files: &[File], table: &Table) -> BTreeMap<String, Vec<String>> {
    let areas: BTreeSet<&str> = table.areas().collect();
    let mut proven: BTreeMap<String, Vec<String>> = BTreeMap::new();
    // The samples in the scanner's own tests are not claims about the specification.
    for file in files.iter().filter(|file| file.is_rust() && !file.path.starts_with(Path::new("xtask"))) {
        for test in test_functions(&file.text) {
            for id in scan::ids(&test, &areas) {
                proven.entry(id).or_default().push(format!("{}:{}", file.path.display(), test.line));
            }
        }
    }
    proven
}

fn report<'a>(
    title: &str,
    rows: &[&'a Requirement],
    covered: &BTreeSet<&str>,
    groups: impl Fn(&'a Requirement) -> Vec<&'a str>,
) -> String {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for row in rows {
        for group in groups(row) {
            let (done, all) = counts.entry(group).or_default();
            *done += usize::from(covered.contains(row.id.as_str()));
            *all += 1;
        }
    }
    let mut text = format!("{title:<16} covered  testable\n");
    for (group, (done, all)) in counts {
        text.push_str(&format!("{group:<16} {done:>7}  {all:>8}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "id\trevisions\tsection\tlevel\twho\trequirement\ttestable\n\
        BASE-001\t2024-11-05,2025-03-26\tbasic\tMUST\tboth\tone\tyes\n\
        BASE-002\t2025-03-26\tbasic\tMUST\tboth\ttwo\tyes\n\
        HTTP-001\t2025-03-26\thttp\tSHOULD\tserver\tthree\tno\n";

    fn file(path: &str, text: &str) -> File {
        File { path: path.into(), text: text.into() }
    }

    #[test]
    fn ids_are_collected_with_their_places() {
        let table = Table::parse(TABLE).unwrap();
        let files = [
            file("crates/a/src/x.rs", "/// BASE-001\n#[test]\nfn holds() {}\n"),
            file("crates/a/tests/it/main.rs", "#[test]\nfn base_001_base_099_hold() {}\n"),
            file("crates/a/notes.md", "#[test]\nfn base_002_is_no_rust_file() {}\n"),
            file("xtask/src/x.rs", "#[test]\nfn base_002_is_a_sample() {}\n"),
        ];
        let proven = proven(&files, &table);
        assert_eq!(proven.keys().collect::<Vec<_>>(), ["BASE-001", "BASE-099"]);
        assert_eq!(proven["BASE-001"], ["crates/a/src/x.rs:3", "crates/a/tests/it/main.rs:2"]);
        assert!(!table.contains("BASE-099"));
    }

    #[test]
    fn a_row_counts_in_each_of_its_revisions() {
        let table = Table::parse(TABLE).unwrap();
        let rows: Vec<_> = table.rows().filter(|row| row.testable).collect();
        let covered = BTreeSet::from(["BASE-001"]);
        let text = report("revision", &rows, &covered, |row| row.revisions.iter().map(String::as_str).collect());
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1], ["2024-11-05", "1", "1"]);
        assert_eq!(lines[2], ["2025-03-26", "1", "2"]);
    }
}
