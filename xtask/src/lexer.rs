//! Just enough of Rust's grammar to tell code, comments and string literals apart.

use std::ops::{Range, RangeInclusive};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or keyword.
    Word,
    /// A single punctuation character.
    Mark,
    /// A string literal of any sort, quotes included.
    Text,
    /// A line or block comment, documentation included.
    Comment,
    /// A number, character or lifetime.
    Other,
}

/// A piece of Rust source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
    /// Line of the first character, from 1.
    pub(crate) line: usize,
    /// Line of the last character.
    pub(crate) last_line: usize,
}

impl Token<'_> {
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Mark) && self.text == text
    }
}

/// Splits Rust source into tokens. Broken source gives odd tokens, never a failure.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut rest, mut line) = (source, 1);
    while let Some(first) = rest.chars().next() {
        let (kind, length) = if first.is_whitespace() { (None, first.len_utf8()) } else { token(rest, first) };
        let (text, tail) = rest.split_at(length);
        let last_line = line + text.matches('\n').count();
        if let Some(kind) = kind {
            found.push(Token { kind, text, line, last_line });
        }
        (rest, line) = (tail, last_line);
    }
    found
}

/// Returns the index behind the bracket that closes the one at `open`, or the end.
pub(crate) fn after_group(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        if token.kind != Kind::Mark {
            continue;
        }
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// Returns the tokens without the items that exist in test builds only.
pub(crate) fn without_test_items<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut index = 0;
    for item in test_items(tokens) {
        kept.extend_from_slice(&tokens[index..item.start]);
        index = item.end;
    }
    kept.extend_from_slice(&tokens[index..]);
    kept
}

/// Returns the lines of the items that exist in test builds only.
pub(crate) fn test_lines(tokens: &[Token<'_>]) -> Vec<RangeInclusive<usize>> {
    let items = test_items(tokens).into_iter();
    items.map(|item| tokens[item.start].line..=tokens[item.end - 1].last_line).collect()
}

/// Returns where the items are that exist in test builds only, their attribute included.
fn test_items(tokens: &[Token<'_>]) -> Vec<Range<usize>> {
    const MARKER: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut found = Vec::new();
    let mut index = 0;
    while index < tokens.len() {
        let start = index;
        if tokens[index..].iter().map(|token| token.text).take(MARKER.len()).eq(MARKER) {
            index = after_item(tokens, index + MARKER.len());
            found.push(start..index);
        } else {
            index += 1;
        }
    }
    found
}

/// Returns the index behind the item that begins at `start`: behind its `;` or its body.
fn after_item(tokens: &[Token<'_>], start: usize) -> usize {
    let mut index = start;
    while let Some(token) = tokens.get(index) {
        if token.is(";") {
            return index + 1;
        }
        if token.is("{") {
            return after_group(tokens, index);
        }
        index = if token.is("(") || token.is("[") { after_group(tokens, index) } else { index + 1 };
    }
    index
}

fn token(rest: &str, first: char) -> (Option<Kind>, usize) {
    if rest.starts_with("//") {
        return (Some(Kind::Comment), rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (Some(Kind::Comment), block_comment(rest));
    }
    if let Some(length) = string(rest) {
        return (Some(Kind::Text), length);
    }
    if first == '\'' {
        return (Some(Kind::Other), character_or_lifetime(rest));
    }
    if first.is_ascii_digit() {
        return (Some(Kind::Other), word(rest));
    }
    if first == '_' || first.is_alphabetic() {
        return (Some(Kind::Word), word(rest));
    }
    (Some(Kind::Mark), first.len_utf8())
}

fn word(rest: &str) -> usize {
    rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len())
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// Returns the length of the string literal at the beginning of `rest`: plain, byte, C or raw.
fn string(rest: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r"].into_iter().find(|p| rest.starts_with(p)).unwrap_or("");
    let after = &rest[prefix.len()..];
    if prefix.ends_with('r') {
        let hashes = after.len() - after.trim_start_matches('#').len();
        let body = after[hashes..].strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hashes));
        let start = prefix.len() + hashes + 1;
        return Some(body.find(&end).map_or(rest.len(), |at| start + at + end.len()));
    }
    let body = after.strip_prefix('"')?;
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(prefix.len() + 1 + at + 1),
            _ => {}
        }
    }
    Some(rest.len())
}

fn character_or_lifetime(rest: &str) -> usize {
    let mut inside = rest.char_indices().skip(1);
    match inside.next() {
        Some((_, '\\')) => {
            // The escaped character may itself be a quote.
            inside.next();
            inside.find(|(_, c)| *c == '\'').map_or(rest.len(), |(at, _)| at + 1)
        }
        Some((at, c)) if rest[at + c.len_utf8()..].starts_with('\'') => at + c.len_utf8() + 1,
        Some((at, _)) => at + word(&rest[at..]),
        None => rest.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<(Kind, &str)> {
        tokens(source).into_iter().map(|token| (token.kind, token.text)).collect()
    }

    #[test]
    fn comment_marks_inside_strings_are_text() {
        assert_eq!(
            kinds(r#"f("// no") // yes"#),
            [
                (Kind::Word, "f"),
                (Kind::Mark, "("),
                (Kind::Text, r#""// no""#),
                (Kind::Mark, ")"),
                (Kind::Comment, "// yes")
            ]
        );
    }

    #[test]
    fn raw_strings_end_at_their_own_fence() {
        assert_eq!(kinds(r###"r#"a "b" c"# x"###), [(Kind::Text, r###"r#"a "b" c"#"###), (Kind::Word, "x")]);
        assert_eq!(kinds(r#""a\"b" x"#), [(Kind::Text, r#""a\"b""#), (Kind::Word, "x")]);
        assert_eq!(kinds("reads"), [(Kind::Word, "reads")]);
    }

    #[test]
    fn quotes_of_characters_and_lifetimes_open_nothing() {
        assert_eq!(
            kinds(r"'\'' '{' 'a {"),
            [(Kind::Other, r"'\''"), (Kind::Other, "'{'"), (Kind::Other, "'a"), (Kind::Mark, "{")]
        );
    }

    #[test]
    fn block_comments_nest_and_lines_are_counted() {
        let found = tokens("/* a /* b */\n c */ x");
        assert_eq!((found[0].line, found[0].last_line), (1, 2));
        assert_eq!((found[1].text, found[1].line), ("x", 2));
    }

    #[test]
    fn test_items_are_left_out() {
        let source = r#"fn a() {} #[cfg(test)] mod tests { fn b() { "}" } } #[cfg(test)] mod other; fn c() {}"#;
        let words: Vec<_> =
            without_test_items(&tokens(source)).into_iter().filter(|t| t.kind == Kind::Word).map(|t| t.text).collect();
        assert_eq!(words, ["fn", "a", "fn", "c"]);
    }

    #[test]
    fn lines_of_test_items_begin_at_their_attribute() {
        let found = test_lines(&tokens("fn a() {}\n#[cfg(test)]\nmod tests {\n\n}\nfn b() {}"));
        assert_eq!(found, [2..=5]);
    }

    #[test]
    fn broken_source_does_not_panic() {
        for source in ["\"", "'", "/*", "r#\"", "'\\", "é'é", "b'", "}{", "r#type"] {
            tokens(source);
        }
    }
}
