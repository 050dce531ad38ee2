//! Finds the requirement ids that test functions claim to prove.
//!
//! An id counts when it stands in a comment directly above a test function, at the beginning of the function's name
//! (`base_004_…`), or in a comment inside its body.

use std::collections::BTreeSet;

use crate::rust_source::TestFunction;

/// Returns the ids a test claims, as far as their area is one of `areas`.
pub(crate) fn ids(test: &TestFunction<'_>, areas: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut ids: BTreeSet<String> = test.comments.iter().flat_map(|comment| ids_in_text(comment)).collect();
    ids.extend(ids_in_name(test.name));
    ids.retain(|id| id.split_once('-').is_some_and(|(area, _)| areas.contains(area)));
    ids
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
    use crate::rust_source::test_functions;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        let areas = BTreeSet::from(["BASE", "HTTP"]);
        let found: BTreeSet<String> = test_functions(source).iter().flat_map(|test| ids(test, &areas)).collect();
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn comments_of_a_test_count() {
        check("/// Proves BASE-001, BASE-002.\n#[test]\nfn holds() {}", &["BASE-001", "BASE-002"]);
        check("#[test]\nfn holds() {\n    f(); // BASE-001\n}\n// BASE-002", &["BASE-001"]);
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
        check("#[test]\nfn holds() {\n    f(\"BASE-001\");\n}", &[]);
    }

    #[test]
    fn look_alikes_do_not_count() {
        check(
            "// T-007 UTF-008 BASE-0011 XBASE-001 BASE-01 xBASE-001 BASE-001a 2025-11-25\n#[test]\nfn holds() {}",
            &[],
        );
    }
}
