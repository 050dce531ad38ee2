//! Finds test functions in Rust source, and the requirement ids they claim to prove.
//!
//! An id counts when it stands in a comment directly above a test function, at the beginning of the function's name
//! (`base_004_…`), or in a comment inside its body.

use std::collections::BTreeSet;

use crate::lexer::{Kind, Token, after_group, tokens};

/// A function with a `#[test]` attribute of any library.
#[derive(Debug)]
pub(crate) struct Test<'a> {
    pub(crate) name: &'a str,
    /// The line of its `fn`.
    pub(crate) line: usize,
    comments: Vec<&'a str>,
}

/// Returns the test functions of a source file.
pub(crate) fn tests(source: &str) -> Vec<Test<'_>> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    let (mut index, mut header, mut is_test) = (0, 0, false);
    while let Some(token) = tokens.get(index) {
        if token.is("#") && tokens.get(index + 1).is_some_and(|next| next.is("[")) {
            let end = after_group(&tokens, index + 1);
            is_test |= names_a_test(&tokens[index + 2..end]);
            index = end;
        } else if token.is("fn") && is_test {
            let end = after_body(&tokens, index);
            if let Some(name) = tokens.get(index + 1) {
                let above = contiguous(&tokens[header..index]);
                let comments = above.iter().chain(&tokens[index..end]);
                let comments = comments.filter(|t| t.kind == Kind::Comment).map(|t| t.text).collect();
                found.push(Test { name: name.text, line: token.line, comments });
            }
            (index, header, is_test) = (end, end, false);
        } else {
            index += 1;
            if token.is("{") || token.is("}") || token.is(";") {
                (header, is_test) = (index, false);
            }
        }
    }
    found
}

/// Returns the ids a test claims, as far as their area is one of `areas`.
pub(crate) fn ids(test: &Test<'_>, areas: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut ids: BTreeSet<String> = test.comments.iter().flat_map(|comment| ids_in_text(comment)).collect();
    ids.extend(ids_in_name(test.name));
    ids.retain(|id| id.split_once('-').is_some_and(|(area, _)| areas.contains(area)));
    ids
}

/// `#[test]`, `#[tokio::test(…)]` and the like: the last word of the attribute's path is `test`.
fn names_a_test(attribute: &[Token<'_>]) -> bool {
    let path = attribute.iter().take_while(|token| token.kind == Kind::Word || token.is(":"));
    path.filter(|token| token.kind == Kind::Word).last().is_some_and(|word| word.text == "test")
}

/// Returns the end of the tokens, back to the first blank line.
fn contiguous<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let gap = tokens.windows(2).rposition(|pair| pair[1].line > pair[0].last_line + 1);
    &tokens[gap.map_or(0, |index| index + 1)..]
}

fn after_body(tokens: &[Token<'_>], function: usize) -> usize {
    let open = tokens.iter().enumerate().skip(function).find(|(_, token)| token.is("{"));
    open.map_or(tokens.len(), |(open, _)| after_group(tokens, open))
}

/// Returns each run of capitals, a hyphen and exactly three digits that stands alone.
fn ids_in_text(text: &str) -> Vec<String> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let bytes = text.as_bytes();
    let mut ids = Vec::new();
    for hyphen in text.match_indices('-').map(|(at, _)| at) {
        let letters = bytes[..hyphen].iter().rev().take_while(|byte| byte.is_ascii_uppercase()).count();
        let digits = bytes[hyphen + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (start, end) = (hyphen - letters, hyphen + 1 + digits);
        let alone = !bytes[..start].last().is_some_and(is_part) && !bytes.get(end).is_some_and(is_part);
        if letters > 0 && digits == 3 && alone {
            ids.push(text[start..end].to_owned());
        }
    }
    ids
}

/// Returns the ids a name begins with: `base_004_srv_012_…` has two.
fn ids_in_name(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split('_').collect();
    let pairs = words.chunks_exact(2).map(|pair| (pair[0], pair[1]));
    pairs
        .take_while(|(area, number)| {
            !area.is_empty()
                && area.bytes().all(|byte| byte.is_ascii_lowercase())
                && number.len() == 3
                && number.bytes().all(|byte| byte.is_ascii_digit())
        })
        .map(|(area, number)| format!("{}-{number}", area.to_uppercase()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        let areas = BTreeSet::from(["BASE", "HTTP"]);
        let found: BTreeSet<String> = tests(source).iter().flat_map(|test| ids(test, &areas)).collect();
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn comments_above_a_test_count() {
        check("/// Proves BASE-001, BASE-002.\n#[test]\nfn holds() {}", &["BASE-001", "BASE-002"]);
        check("#[tokio::test(start_paused = true)]\n// HTTP-003\nasync fn holds() {}", &["HTTP-003"]);
    }

    #[test]
    fn comments_inside_a_test_count() {
        check("#[test]\nfn holds() { if a { b() } /* BASE-001 */ }\n// BASE-002", &["BASE-001"]);
    }

    #[test]
    fn the_beginning_of_a_name_counts() {
        check("#[test]\nfn base_004_http_001_both() {}", &["BASE-004", "HTTP-001"]);
        check("#[test]\nfn answers_http_404() {}", &[]);
    }

    #[test]
    fn other_places_do_not_count() {
        check("// BASE-001\nfn helper() {}\n#[test]\nfn holds() {}", &[]);
        check("// BASE-001 opens a section.\n\n#[test]\nfn holds() {}", &[]);
        check("#[test]\nfn holds() { f(\"BASE-001\") }", &[]);
        check("#[test]\nfn holds() {}\n// BASE-001\nconst A: u8 = 1;", &[]);
        check("#[cfg(test)]\nmod tests {\n// BASE-001\nfn helper() {}\n}", &[]);
    }

    #[test]
    fn look_alikes_do_not_count() {
        check(
            "// T-007 UTF-008 BASE-0011 XBASE-001 BASE-01 xBASE-001 BASE-001a 2025-11-25\n#[test]\nfn holds() {}",
            &[],
        );
    }

    #[test]
    fn tests_inside_macros_and_modules_are_found() {
        check("proptest! { #[test] fn base_001_any(x in 0..9) { f(x) } }", &["BASE-001"]);
        check(
            "mod tests { use a; /// BASE-002\n #[test] fn a() {} /// BASE-003\n #[test] fn b() {} }",
            &["BASE-002", "BASE-003"],
        );
    }
}
