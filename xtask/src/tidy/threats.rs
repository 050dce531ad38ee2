//! The page of threats names tests that exist, and every threat that a test names or that is known is on the page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::files::File;
use crate::requirements::scan;
use crate::rust_source::test_functions;

const PAGE: &str = "docs/security.md";
/// All threats that are known, those too that nothing stands against yet: a tab-separated table with a heading.
const KNOWN: &str = "tests/data/threats.tsv";

pub(super) fn problems(files: &[File]) -> Vec<String> {
    let Some(page) = files.iter().find(|file| file.path == Path::new(PAGE)) else {
        return vec![format!("{PAGE} is missing")];
    };
    let claims = claims(files);
    let rows = rows(&page.text);
    let mut problems = Vec::new();
    for (id, named) in &rows {
        let claiming = claims.get(*id);
        if named.is_empty() {
            problems.push(format!("{PAGE}: {id} names no test"));
        }
        let unknown = named.iter().filter(|name| !claiming.is_some_and(|tests| tests.contains(*name)));
        problems.extend(unknown.map(|name| format!("{PAGE}: {id} names {name}, but no such test names {id}")));
    }
    let known = match files.iter().find(|file| file.path == Path::new(KNOWN)) {
        Some(file) => file.text.lines().skip(1).filter_map(|line| line.split('\t').next()).collect(),
        None => {
            problems.push(format!("{KNOWN} is missing"));
            Vec::new()
        }
    };
    let named: BTreeSet<&str> = page.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').collect();
    let untold = known.iter().filter(|id| !named.contains(*id));
    problems.extend(untold.map(|id| format!("{PAGE} says nothing of {id}, which is a row of {KNOWN}")));
    let unknown = rows.keys().filter(|id| !known.contains(id));
    problems.extend(unknown.map(|id| format!("{PAGE}: {id} is no row of {KNOWN}")));
    let missing = claims.keys().filter(|id| !rows.contains_key(id.as_str()));
    problems.extend(missing.map(|id| format!("{PAGE} has no row for {id}, which tests name")));
    problems
}

/// Returns the tests that name each threat.
fn claims(files: &[File]) -> BTreeMap<String, BTreeSet<&str>> {
    let threats = BTreeSet::from(["T"]);
    let mut claims: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_rust() && !file.path.starts_with("xtask")) {
        for test in test_functions(&file.text) {
            for id in scan::ids(&test, &threats) {
                claims.entry(id).or_default().insert(test.name);
            }
        }
    }
    claims
}

/// Returns the rows of the page, and the words in backticks in the last cell of each.
fn rows(page: &str) -> BTreeMap<&str, Vec<&str>> {
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
        let (id, last) = (*cells.first()?, *cells.last()?);
        id.starts_with("T-").then(|| (id, last.split('`').skip(1).step_by(2).collect()))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, source: &str, expected: &[&str]) {
        let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
        let known = file(KNOWN, "id\tthreat\nT-001\tone\n");
        let files = [file(PAGE, page), file("crates/a/src/lib.rs", source), known];
        assert_eq!(problems(&files), expected);
    }

    #[test]
    fn rows_and_tests_name_each_other() {
        let test = "/// T-001.\n#[test]\nfn holds() {}\n";
        check("| T-001 | a | `holds` |\n", test, &[]);
        check("| T-001 | `holds` | – |\n", test, &["docs/security.md: T-001 names no test"]);
        check(
            "| T-001 | a | `other`, `holds` |\n",
            test,
            &["docs/security.md: T-001 names other, but no such test names T-001"],
        );
        check("not yet: T-001.\n", test, &["docs/security.md has no row for T-001, which tests name"]);
    }

    #[test]
    fn every_known_threat_is_on_the_page() {
        check("not yet: T-001.\n", "", &[]);
        check("T-0010\n", "", &["docs/security.md says nothing of T-001, which is a row of tests/data/threats.tsv"]);
        let test = "/// T-001, T-002\n#[test]\nfn holds() {}\n";
        let both = "| T-001 | a | `holds` |\n| T-002 | b | `holds` |\n";
        check(both, test, &["docs/security.md: T-002 is no row of tests/data/threats.tsv"]);
        let page = File { path: PAGE.into(), text: String::new() };
        assert_eq!(problems(&[page]), ["tests/data/threats.tsv is missing"]);
    }
}
