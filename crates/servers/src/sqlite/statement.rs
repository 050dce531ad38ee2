//! What can be seen of a statement without running it.

/// Returns the statement in capitals without the blanks before it, as far as anyone looks at it.
pub(super) fn beginning(query: &str) -> String {
    query.trim_start().chars().take(16).collect::<String>().to_uppercase()
}

/// Whether a statement is one whose first word, after comments, makes the original open a transaction that it commits only for some
/// beginnings of the text.
pub(super) fn opens_transaction(query: &str) -> bool {
    let word: String = without_blanks(query).chars().take_while(char::is_ascii_alphabetic).collect();
    ["INSERT", "UPDATE", "DELETE", "REPLACE"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Whether nothing but blanks and comments is left.
pub(super) fn is_blank(rest: &str) -> bool {
    without_blanks(rest).is_empty()
}

/// Skips blanks and comments.
fn without_blanks(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        rest = if let Some(comment) = rest.strip_prefix("--") {
            comment.split_once('\n').map_or("", |(_, after)| after)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map_or("", |(_, after)| after)
        } else {
            return rest;
        }
        .trim_start();
    }
}

/// Returns the name of a table that may be quoted as in SQL: `"a b"`, `[a b]`, `` `a b` `` or `'a b'`.
pub(super) fn unquoted(name: &str) -> String {
    let name = name.trim();
    let inner = |open: char, close: char| name.strip_prefix(open)?.strip_suffix(close);
    for quote in ['"', '`', '\''] {
        if let Some(inner) = inner(quote, quote) {
            return inner.replace(&format!("{quote}{quote}"), &quote.to_string());
        }
    }
    inner('[', ']').unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blanks_are_skipped() {
        assert!(opens_transaction("/* c */ -- d\n insert INTO t"));
        assert!(opens_transaction("REPLACE INTO t"));
        assert!(!opens_transaction("WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x"));
        assert!(!opens_transaction("-- INSERT"));
        assert!(is_blank(" -- x\n /* y */ "));
        assert!(!is_blank(" ; "));
    }

    #[test]
    fn quoted_names_are_understood() {
        for (given, expected) in [
            ("users", "users"),
            ("\"odd name\"", "odd name"),
            ("[odd name]", "odd name"),
            ("`odd name`", "odd name"),
            ("'odd name'", "odd name"),
            ("\"a\"\"b\"", "a\"b"),
            ("x); DROP TABLE users; --", "x); DROP TABLE users; --"),
            ("\"", "\""),
        ] {
            assert_eq!(unquoted(given), expected);
        }
    }
}
