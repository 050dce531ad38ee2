//! Rust sources: where dates of revisions may stand, that no test is ignored, and how long a file may be.

use std::path::Path;

use crate::files::File;
use crate::rust_source::{is_comment, shipped_lines};

/// The file that names the revisions of the protocol.
const REVISIONS: &str = "crates/protocol/src/revision.rs";

/// Where else dates may stand: the tables of differences, and what is not part of a published crate.
const DATED: &[&str] = &["crates/protocol/src/dialect", "crates/testkit", "examples", "fuzz", "xtask"];

const LONGEST: usize = 500;

/// Files that are better long, each with the reason.
const LONG: &[(&str, &str)] = &[];

pub(super) fn problems(files: &[File]) -> Vec<String> {
    let dates = revision_dates(files);
    let sources = files.iter().filter(|file| file.is_rust());
    sources.flat_map(|file| of_file(file, &dates)).collect()
}

fn of_file(file: &File, dates: &[&str]) -> Vec<String> {
    let mut problems = ignored_tests(&file.text);
    if !file.is_test() {
        let shipped: Vec<(usize, &str)> = shipped_lines(&file.text).collect();
        if !may_have_dates(&file.path) {
            problems.extend(dated(&shipped, dates));
        }
        if shipped.len() > LONGEST && !LONG.iter().any(|(path, _)| Path::new(path) == file.path) {
            problems.push(format!("1: has {} lines, more than {LONGEST}; look for its second concept", shipped.len()));
        }
    }
    problems.into_iter().map(|problem| format!("{}:{problem}", file.path.display())).collect()
}

/// Returns the dates in string literals of the file that names the revisions.
fn revision_dates(files: &[File]) -> Vec<&str> {
    let source = files.iter().find(|file| file.path == Path::new(REVISIONS));
    let lines = source.into_iter().flat_map(|file| shipped_lines(&file.text));
    let literals = lines.filter(|(_, line)| !is_comment(line)).flat_map(|(_, line)| line.split('"').skip(1).step_by(2));
    literals.filter(|text| is_date(text)).collect()
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
}

fn may_have_dates(path: &Path) -> bool {
    path == Path::new(REVISIONS)
        || DATED.iter().any(|place| path.starts_with(place) || path == Path::new(&format!("{place}.rs")))
}

fn dated(lines: &[(usize, &str)], dates: &[&str]) -> Vec<String> {
    let code = lines.iter().filter(|(_, line)| !is_comment(line));
    code.filter(|(_, line)| line.contains('"') && dates.iter().any(|date| line.contains(date)))
        .map(|(number, _)| format!("{number}: names the date of a revision; ask `Revision` a question instead"))
        .collect()
}

fn ignored_tests(source: &str) -> Vec<String> {
    let lines = source.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("#[ignore"));
    lines.map(|(at, _)| format!("{}: ignores a test; repair it or delete it", at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: usize) {
        let file = File { path: path.into(), text: text.into() };
        let problems = of_file(&file, &["2025-06-18"]);
        assert_eq!(problems.len(), expected, "{problems:?}");
    }

    #[test]
    fn dates_stand_in_the_revision_and_the_dialects_only() {
        let source = "fn f() -> &str { \"2025-06-18\" }";
        check("crates/server/src/x.rs", source, 1);
        check(REVISIONS, source, 0);
        check("crates/protocol/src/dialect/v2025_06_18.rs", source, 0);
        check("crates/protocol/src/dialect.rs", source, 0);
        check("crates/server/tests/it/main.rs", source, 0);
        check("crates/server/src/x/tests.rs", source, 0);
        check("crates/server/src/x.rs", "// Since \"2025-06-18\".\nfn f() {}", 0);
        check("crates/server/src/x.rs", &format!("#[cfg(test)]\nmod tests {{\n    {source}\n}}"), 0);
        check("crates/server/src/x.rs", "const BIRTHDAY: &str = \"2025-06-19\";", 0);
    }

    #[test]
    fn no_test_is_ignored() {
        check("crates/a/tests/x.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}", 1);
        check("crates/a/src/x.rs", "fn f() {\n    g(\"#[ignore]\")\n}", 0);
    }

    #[test]
    fn long_files_are_reported_without_their_tests() {
        let lines = |count: usize| "fn f() {}\n".repeat(count);
        check("crates/a/src/x.rs", &lines(500), 0);
        check("crates/a/src/x.rs", &lines(501), 1);
        check("crates/a/src/x.rs", &format!("{}#[cfg(test)]\nmod tests {{\n{}}}\n", lines(400), lines(400)), 0);
        check("crates/a/tests/it/x.rs", &lines(501), 0);
    }

    #[test]
    fn the_dates_come_from_the_revision_itself() {
        let text = "const A: &str = \"2025-06-18\"; const B: &str = \"text\";".to_owned();
        assert_eq!(revision_dates(&[File { path: REVISIONS.into(), text }]), ["2025-06-18"]);
    }
}
