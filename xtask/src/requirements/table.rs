//! The table of requirements: tab-separated, one row each, with a heading.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail};

const HEADING: &str = "id\trevisions\tsection\tlevel\twho\trequirement\ttestable";

/// One sentence of the specification.
#[derive(Debug)]
pub(super) struct Requirement {
    pub(super) id: String,
    /// The revisions that contain it, or the extension (`ext:…`).
    pub(super) revisions: Vec<String>,
    pub(super) section: String,
    pub(super) level: String,
    pub(super) who: String,
    pub(super) text: String,
    pub(super) testable: bool,
}

impl Requirement {
    /// Returns the letters in front of the number.
    pub(super) fn area(&self) -> &str {
        area(&self.id)
    }
}

/// All requirements by id.
#[derive(Debug)]
pub(super) struct Table(BTreeMap<String, Requirement>);

impl Table {
    pub(super) fn read(path: &Path) -> Result<Self> {
        Self::parse(&read(path)?)
    }

    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut rows = BTreeMap::new();
        for line in below(HEADING, text)? {
            let row = row(line).with_context(|| format!("not a row of the table: {line:?}"))?;
            if let Some(double) = rows.insert(row.id.clone(), row) {
                bail!("the table has two rows named {}", double.id);
            }
        }
        Ok(Self(rows))
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Requirement> {
        self.0.values()
    }

    pub(super) fn areas(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(|id| area(id)).collect::<BTreeSet<_>>().into_iter()
    }
}

/// Reads a file with a table.
pub(super) fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Returns the lines of a table below its heading.
pub(super) fn below<'a>(heading: &str, text: &'a str) -> Result<std::str::Lines<'a>> {
    let mut lines = text.lines();
    if lines.next() != Some(heading) {
        bail!("a table must begin with its heading, {heading:?}");
    }
    Ok(lines)
}

fn area(id: &str) -> &str {
    id.split_once('-').map_or(id, |(area, _)| area)
}

fn row(line: &str) -> Option<Requirement> {
    let [id, revisions, section, level, who, text, testable] =
        line.split('\t').map(str::to_owned).collect::<Vec<_>>().try_into().ok()?;
    let (letters, digits) = id.split_once('-')?;
    let is_id = !letters.is_empty()
        && letters.bytes().all(|byte| byte.is_ascii_uppercase())
        && digits.len() == 3
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    let testable = match testable.as_str() {
        "yes" => true,
        "no" => false,
        _ => return None,
    };
    let revisions = revisions.split(',').map(str::to_owned).collect();
    is_id.then_some(Requirement { id, revisions, section, level, who, text, testable })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Workspace;

    #[test]
    fn the_real_table_is_readable() {
        let root = Workspace::find().unwrap().root;
        let table = Table::read(&root.join("tests/data/requirements.tsv")).unwrap();
        assert!(table.contains("BASE-001"));
        assert!(table.areas().any(|area| area == "STDIO"));
    }

    #[test]
    fn a_broken_table_is_refused() {
        let row = "BASE-001\t2024-11-05\tbasic\tMUST\tboth\tone\tyes\n";
        assert!(Table::parse(&format!("{HEADING}\n{row}")).is_ok());
        assert!(Table::parse(row).is_err(), "no heading");
        assert!(Table::parse(&format!("{HEADING}\n{row}{row}")).is_err(), "a row twice");
        assert!(Table::parse(&format!("{HEADING}\n{}", row.replace("yes", "maybe"))).is_err());
        assert!(Table::parse(&format!("{HEADING}\n{}", row.replace("BASE-001", "BASE-1"))).is_err());
        assert!(Table::parse(&format!("{HEADING}\nBASE-001\tshort\n")).is_err());
    }
}
