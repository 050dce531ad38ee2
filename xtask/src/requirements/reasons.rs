//! Why a row has no test: tab-separated, one row each, with a heading.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::table::{self, Requirement, Table};

const HEADING: &str = "id\twhy";

/// Why rows have no test, by id.
#[derive(Debug)]
pub(super) struct Reasons(BTreeMap<String, String>);

impl Reasons {
    pub(super) fn read(path: &Path) -> Result<Self> {
        Self::parse(&table::read(path)?)
    }

    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut reasons = BTreeMap::new();
        for line in table::below(HEADING, text)? {
            let (id, why) = line.split_once('\t').with_context(|| format!("not a row of the table: {line:?}"))?;
            if why.trim().is_empty() || reasons.insert(id.to_owned(), why.to_owned()).is_some() {
                bail!("{id} needs one reason");
            }
        }
        Ok(Self(reasons))
    }

    pub(super) fn of(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }

    /// Says what is missing, and what is not true any more.
    pub(super) fn check(&self, table: &Table, covered: &BTreeSet<&str>) -> Result<()> {
        let is_silent = |row: &&Requirement| !row.testable && self.of(&row.id).is_none();
        let silent = table.rows().filter(is_silent).filter(|row| !covered.contains(row.id.as_str()));
        let silent: Vec<_> = silent.map(|row| row.id.as_str()).collect();
        if !silent.is_empty() {
            bail!("these rows cannot be tested, and nothing says why: {}", silent.join(", "));
        }
        let is_stale = |id: &&str| !table.contains(id) || covered.contains(id);
        let misjudged = table.rows().filter(|row| !row.testable && covered.contains(row.id.as_str()));
        let misjudged: Vec<_> = misjudged.map(|row| row.id.as_str()).collect();
        let stale: Vec<_> = self.0.keys().map(String::as_str).filter(is_stale).collect();
        if !stale.is_empty() {
            bail!("these rows have a reason for having no test, and have a test or do not exist: {}", stale.join(", "));
        }
        if !misjudged.is_empty() {
            bail!("these rows are marked as not testable, and have a test: {}", misjudged.join(", "));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "id\trevisions\tsection\tlevel\twho\trequirement\ttestable\n\
        BASE-001\t2024-11-05\tbasic\tMUST\tboth\tone\tyes\n\
        BASE-002\t2024-11-05\tbasic\tMUST\tboth\ttwo\tno\n";

    fn check(reasons: &str, covered: &[&str]) -> Result<(), String> {
        let reasons = Reasons::parse(&format!("{HEADING}\n{reasons}")).map_err(|error| error.to_string())?;
        let covered = covered.iter().copied().collect();
        reasons.check(&Table::parse(TABLE).unwrap(), &covered).map_err(|error| error.to_string())
    }

    #[test]
    fn every_row_that_can_not_be_tested_says_why() {
        assert_eq!(check("BASE-002\tis about people\n", &[]), Ok(()));
        assert_eq!(check("BASE-001\tdoes not apply\nBASE-002\tis about people\n", &[]), Ok(()));
        assert!(check("", &[]).unwrap_err().contains("BASE-002"));
        assert!(check("BASE-002\t\n", &[]).unwrap_err().contains("BASE-002"));
    }

    #[test]
    fn reasons_that_are_not_true_any_more_are_found() {
        let both = "BASE-001\tdoes not apply\nBASE-002\tis about people\n";
        assert!(check(both, &["BASE-001"]).unwrap_err().contains("BASE-001"));
        // The mark of a row says what somebody thought of it; a test says more.
        assert!(check("BASE-002\tis about people\n", &["BASE-002"]).unwrap_err().contains("BASE-002"));
        assert!(check("BASE-002\tis about people\nBASE-009\tx\n", &[]).unwrap_err().contains("BASE-009"));
        assert!(check("", &["BASE-002"]).unwrap_err().contains("marked as not testable"));
        assert!(Reasons::parse("BASE-002\tx\n").is_err(), "no heading");
    }
}
