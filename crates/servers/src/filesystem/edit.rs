//! Editing text: replacements of passages, applied in order.

use super::diff;
use super::failure::Failure;
use super::limits::Limits;
use super::location::Location;
use super::read::{Part, read_text, without_carriage_returns};
use super::write::{WriteRules, write_file};

/// One replacement.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    pub(crate) old_text: String,
    pub(crate) new_text: String,
}

/// Applies edits to a file, and returns a fenced diff of what changed. A dry run writes nothing.
pub(crate) fn edit_file(
    location: &Location,
    edits: &[Edit],
    dry_run: bool,
    limits: &Limits,
    rules: WriteRules,
) -> Result<String, Failure> {
    if !dry_run {
        location.check_writable()?;
    }
    let original = with_line_feeds(read_text(location, Part::Whole, limits)?);
    let mut modified = original.clone();
    for edit in edits {
        modified = applied(modified, edit)?;
    }
    let difference = diff::unified(&original, &modified, &location.path.display().to_string());
    if !dry_run {
        write_file(location, modified.as_bytes(), rules)?;
    }
    Ok(fenced(&difference))
}

fn with_line_feeds(text: String) -> String {
    // Removing one ASCII byte leaves valid text.
    String::from_utf8(without_carriage_returns(text.into_bytes())).unwrap_or_default()
}

fn applied(text: String, edit: &Edit) -> Result<String, Failure> {
    let old = with_line_feeds(edit.old_text.clone());
    let new = with_line_feeds(edit.new_text.clone());
    if text.contains(&old) {
        return Ok(text.replacen(&old, &new, 1));
    }
    matched_by_lines(&text, &old, &new)
        .ok_or_else(|| Failure::new(format!("Could not find exact match for edit:\n{}", edit.old_text)))
}

/// Replaces the first run of lines that equal the old ones but for the white space around them.
fn matched_by_lines(text: &str, old: &str, new: &str) -> Option<String> {
    let old_lines: Vec<&str> = old.split('\n').collect();
    let lines: Vec<&str> = text.split('\n').collect();
    let trimmed: Vec<&str> = old_lines.iter().map(|line| trim(line)).collect();
    let start = lines
        .windows(old_lines.len())
        .position(|window| window.iter().zip(&trimmed).all(|(line, old)| trim(line) == *old))?;
    let indent = indent(lines[start]);
    let replaced: Vec<String> =
        new.split('\n').enumerate().map(|(index, line)| indented(line, index, indent, &old_lines)).collect();
    let before = lines[..start].iter().copied();
    let after = lines[start + old_lines.len()..].iter().copied();
    Some(before.chain(replaced.iter().map(String::as_str)).chain(after).collect::<Vec<_>>().join("\n"))
}

/// The first new line gets the indentation of the line that it replaces. A later one keeps its indentation relative to the old line of
/// the same number, if both have one.
fn indented(line: &str, index: usize, first: &str, old_lines: &[&str]) -> String {
    let bare = line.trim_start_matches(is_space);
    if index == 0 {
        return format!("{first}{bare}");
    }
    let old = old_lines.get(index).map_or("", |line| indent(line));
    let new = indent(line);
    if old.is_empty() || new.is_empty() {
        return line.to_owned();
    }
    let more = new.encode_utf16().count().saturating_sub(old.encode_utf16().count());
    format!("{first}{}{bare}", " ".repeat(more))
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(is_space).len()]
}

fn trim(line: &str) -> &str {
    line.trim_matches(is_space)
}

/// White space as JavaScript sees it: with the byte-order mark, without NEL.
fn is_space(c: char) -> bool {
    c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
}

/// Puts a diff between fences that are longer than any run of backticks in it.
fn fenced(difference: &str) -> String {
    let longest = difference.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.saturating_add(1).max(3));
    format!("{fence}diff\n{difference}{fence}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, old: &str, new: &str) -> Result<String, String> {
        let edit = Edit { old_text: old.to_owned(), new_text: new.to_owned() };
        applied(text.to_owned(), &edit).map_err(|failure| failure.to_string())
    }

    #[test]
    fn the_first_exact_occurrence_is_replaced_literally() {
        assert_eq!(edited("a b a", "a", "$& $1"), Ok("$& $1 b a".to_owned()));
        assert_eq!(edited("one\ntwo", "one\r\ntwo", "x\r\ny"), Ok("x\ny".to_owned()));
        assert_eq!(edited("abc", "", "x"), Ok("xabc".to_owned()));
    }

    #[test]
    fn lines_match_without_their_indentation() {
        let code = "fn f() {\n    if a {\n        b();\n    }\n}\n";
        assert_eq!(
            edited(code, "if a {\n  b();\n}", "if c {\n    d();\n  e();\n}"),
            Ok("fn f() {\n    if c {\n      d();\n  e();\n}\n}\n".to_owned())
        );
        // The byte-order mark is white space, NEL is not.
        assert_eq!(edited("\u{feff}x \ny", "x\ny ", "z"), Ok("\u{feff}z".to_owned()));
        assert!(edited("\u{85}x\ny", "x\ny ", "z").is_err());
    }

    #[test]
    fn what_does_not_match_is_an_error() {
        let text = "Could not find exact match for edit:\nabsent\r\n".to_owned();
        assert_eq!(edited("a\nb", "absent\r\n", "x"), Err(text));
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("x\n"), "```diff\nx\n```\n\n");
        assert_eq!(fenced("```js\n"), "````diff\n```js\n````\n\n");
    }
}
