//! Rust sources: where dates of revisions may stand, what must not be left behind, and how long a file may be.

use std::path::Path;

use crate::files::File;
use crate::lexer::{Kind, Token, tokens, without_test_items};

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
    let all = tokens(&file.text);
    let mut problems = left_behind(&all);
    if !file.is_test() {
        let shipped = without_test_items(&all);
        if !may_have_dates(&file.path) {
            problems.extend(dated(&shipped, dates));
        }
        let length = shipped.last().map_or(0, |token| token.last_line);
        if length > LONGEST && !LONG.iter().any(|(path, _)| Path::new(path) == file.path) {
            problems.push(format!("{length}: has more than {LONGEST} lines; look for its second concept"));
        }
    }
    problems.into_iter().map(|problem| format!("{}:{problem}", file.path.display())).collect()
}

fn revision_dates(files: &[File]) -> Vec<&str> {
    let source = files.iter().find(|file| file.path == Path::new(REVISIONS));
    let tokens = source.map_or_else(Vec::new, |file| without_test_items(&tokens(&file.text)));
    tokens
        .into_iter()
        .filter(|token| token.kind == Kind::Text)
        .map(|token| token.text.trim_matches('"'))
        .filter(|text| is_date(text))
        .collect()
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

fn dated(tokens: &[Token<'_>], dates: &[&str]) -> Vec<String> {
    let literals = tokens.iter().filter(|token| token.kind == Kind::Text);
    literals
        .filter(|token| dates.iter().any(|date| token.text.contains(date)))
        .map(|token| format!("{}: names the date of a revision; ask `Revision` a question instead", token.line))
        .collect()
}

fn left_behind(tokens: &[Token<'_>]) -> Vec<String> {
    let code: Vec<&Token<'_>> = tokens.iter().filter(|token| token.kind != Kind::Comment).collect();
    let mut problems = Vec::new();
    for (index, token) in code.iter().enumerate() {
        let next = |offset: usize, text: &str| code.get(index + offset).is_some_and(|token| token.is(text));
        if token.is("#") && next(1, "[") && next(2, "ignore") {
            problems.push(format!("{}: ignores a test; repair it or delete it", token.line));
        }
        if (token.is("todo") || token.is("unimplemented")) && next(1, "!") {
            problems.push(format!("{}: leaves `{}!` behind", token.line, token.text));
        }
    }
    problems
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
        check("crates/server/src/x.rs", &format!("#[cfg(test)]\nmod tests {{ {source} }}"), 0);
        check("crates/server/src/x.rs", "const BIRTHDAY: &str = \"2025-06-19\";", 0);
    }

    #[test]
    fn nothing_is_left_behind() {
        check("crates/a/tests/x.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}", 1);
        check("crates/a/src/x.rs", "fn f() { todo!() }", 1);
        check("crates/a/src/x.rs", "fn f() { g(\"todo!() #[ignore]\") } // todo!()", 0);
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
