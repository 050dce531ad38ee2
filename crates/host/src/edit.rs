//! Changing an `mcp.json` without touching what else is in it: comments, order and members that nobody here knows stay as they are.

use std::ops::Range;

use serde_json::Value;

use crate::ConfigError;
use crate::document::{Document, Object, SECTIONS};

/// Returns the text of a file with one more server. The text of an absent file is empty.
///
/// # Errors
/// If the text cannot be used, or has a server of that name.
pub fn with_server(text: &str, name: &str, server: &Value) -> Result<String, ConfigError> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(format!("{:#}\n", serde_json::json!({ SECTIONS[0]: { name: server } })));
    }
    let written = format!("{server:#}");
    let file = Document::read(text)?;
    let key = Value::from(name).to_string();
    let Some(section) = file.section()? else {
        let (root, list) = (file.root()?, SECTIONS[0]);
        if root.members.iter().any(|member| member.name == list) {
            return Err(ConfigError::Entry(format!("its {list} is not an object")));
        }
        let section = format!("{}: {{\n    {key}: {}\n  }}", Value::from(list), indented(&written, "    "));
        return Ok(file.inserted(&root, &section, "  "));
    };
    if section.members.iter().any(|member| member.name == name) {
        return Err(ConfigError::Known(name.to_owned()));
    }
    let indent = section.members.last().map_or_else(|| "    ".to_owned(), |last| file.indent(last.range.start));
    Ok(file.inserted(&section, &format!("{key}: {}", indented(&written, &indent)), &indent))
}

/// Returns the text of a file without a server; `None` if there is none of that name. Comments stay, also those that are about it.
///
/// # Errors
/// If the text cannot be used.
pub fn without_server(text: &str, name: &str) -> Result<Option<String>, ConfigError> {
    let file = Document::read(text)?;
    let Some(section) = file.section()? else { return Ok(None) };
    let Some(at) = section.members.iter().position(|member| member.name == name) else { return Ok(None) };
    let own = section.members[at].range.clone();
    let before = at.checked_sub(1).and_then(|at| section.members.get(at));
    // One comma goes with it: the one behind it, or else, if it is the last, the one before it.
    let comma = file.comma_after(own.end).or_else(|| file.comma_after(before?.range.end));
    let (first, second) = match comma {
        Some(comma) if comma < own.start && file.is_blank(comma + 1..own.start) => (comma..own.end, None),
        Some(comma) if comma < own.start => (comma..comma + 1, Some(own)),
        Some(comma) if file.is_blank(own.end..comma) => (own.start..comma + 1, None),
        Some(comma) => (own, Some(comma..comma + 1)),
        None => (own, None),
    };
    Ok(Some(file.without([first].into_iter().chain(second).map(|range| file.with_blanks(range)))))
}

impl Document {
    /// The blanks before something on its line.
    fn indent(&self, at: usize) -> String {
        self.text[self.line_start(at)..at].iter().take_while(|c| matches!(c, ' ' | '\t')).collect()
    }

    /// Adds a member to the end of an object.
    fn inserted(&self, object: &Object, member: &str, indent: &str) -> String {
        let Some(last) = object.members.last() else {
            let (before, after) = self.text.split_at(object.open + 1);
            let added = format!("\n{indent}{member}\n{}", self.indent(object.open));
            return before.iter().copied().chain(added.chars()).chain(after.iter().copied()).collect();
        };
        // A file with a comma behind the last member goes on to have one, and what is said behind that member stays behind it.
        let (value_end, comma) = (last.range.end, self.comma_after(last.range.end));
        let place = self.after_remarks(comma.map_or(value_end, |comma| comma + 1));
        let (first, second) = if comma.is_some() { ("", ",") } else { (",", "") };
        let added = format!("\n{indent}{member}{second}");
        let (before, rest) = self.text.split_at(value_end);
        let (between, after) = rest.split_at(place - value_end);
        let parts =
            [before.iter().collect(), first.to_owned(), between.iter().collect(), added, after.iter().collect()];
        parts.concat()
    }

    /// What is left when these places are cut out, which are in order.
    fn without(&self, gone: impl Iterator<Item = Range<usize>>) -> String {
        let (mut left, mut from) = (String::new(), 0);
        for range in gone {
            left.extend(&self.text[from..range.start]);
            from = range.end;
        }
        left.extend(&self.text[from..]);
        left
    }

    /// A place to be cut out, with the blanks that would be left over: the whole line if nothing else is on it, and an empty line behind it
    /// if there is one before it too.
    fn with_blanks(&self, range: Range<usize>) -> Range<usize> {
        let start = self.line_start(range.start);
        if self.is_blank(start..range.start)
            && let Some(mut end) = self.blank_to_line_end(range.end)
        {
            let opens = self.text[..start].iter().rev().find(|c| !c.is_whitespace()).is_none_or(|c| *c == '{');
            let is_parted = start > 0 && self.is_blank(self.line_start(start - 1)..start);
            if (opens || is_parted)
                && let Some(next) = self.blank_to_line_end(end)
            {
                end = next;
            }
            return start..end;
        }
        let follows_blank = range.start.checked_sub(1).is_some_and(|at| matches!(self.text[at], ' ' | '\t' | '{'));
        let blanks = self.text[range.end..].iter().take_while(|c| follows_blank && matches!(c, ' ' | '\t')).count();
        range.start..range.end + blanks
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].iter().rposition(|c| *c == '\n').map_or(0, |end| end + 1)
    }

    /// The place behind the end of the line, if only blanks come before it.
    fn blank_to_line_end(&self, at: usize) -> Option<usize> {
        let end = at + self.text[at..].iter().position(|c| *c == '\n')?;
        self.is_blank(at..end).then_some(end + 1)
    }

    /// Whether there is nothing, not even a comment.
    fn is_blank(&self, range: Range<usize>) -> bool {
        self.text[range].iter().all(|c| c.is_whitespace())
    }
}

/// Indents all lines but the first.
fn indented(text: &str, indent: &str) -> String {
    text.replace('\n', &format!("\n{indent}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::jsonc;

    fn parsed(text: &str) -> Value {
        let plain: String = jsonc::plain(text.trim_start_matches('\u{feff}')).chars.into_iter().collect();
        serde_json::from_str(&plain).unwrap()
    }

    #[test]
    fn everything_else_stays_as_it_was() {
        let text = "// mine\n{\n  \"inputs\": [1, {\"a\": \"}\"}],\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\", \"odd\": [\"}\\\"\"]}, /* kept */\n    \"b\": {\"url\": \"http://x, ]\"},\n  },\n  \"z\": null\n}\n";
        let added = with_server(text, "c \"d\"", &json!({"command": "y", "args": ["1"]})).unwrap();
        assert!(added.starts_with(&text[..text.find("},\n  },").unwrap()]), "{added}");
        assert!(added.contains("/* kept */") && added.ends_with("  },\n  \"z\": null\n}\n"), "{added}");
        let mut wanted = parsed(text);
        wanted["mcpServers"]["c \"d\""] = json!({"command": "y", "args": ["1"]});
        assert_eq!(parsed(&added), wanted);
        assert_eq!(without_server(&added, "c \"d\"").unwrap().as_deref(), Some(text));

        for name in ["a", "b"] {
            let less = without_server(text, name).unwrap().unwrap();
            let mut wanted = parsed(text);
            wanted["mcpServers"].as_object_mut().unwrap().remove(name);
            assert_eq!(parsed(&less), wanted, "{less}");
        }
        assert_eq!(without_server(text, "c").unwrap(), None);
        assert!(matches!(with_server(text, "a", &json!({})), Err(ConfigError::Known(name)) if name == "a"));
    }

    #[test]
    fn comments_stay_whatever_is_removed() {
        const TEXT: &str = "{
  \"mcpServers\": {
    // about a
    \"a\": {\"command\": \"x\"}, // behind a

    // about b
    \"b\": {
      \"url\": \"http://x\" // inside b
    } /* behind b, */ ,
    // about c
    \"c\": {} // behind c
    // at the end
  }
}
";
        let inside = " // inside b";
        for (name, cut, left) in [
            ("a", "    \"a\": {\"command\": \"x\"}, // behind a", "    // behind a"),
            (
                "b",
                "    \"b\": {\n      \"url\": \"http://x\" // inside b\n    } /* behind b, */ ,",
                "    /* behind b, */ ",
            ),
            (
                "c",
                "    } /* behind b, */ ,\n    // about c\n    \"c\": {} // behind c",
                "    } /* behind b, */ \n    // about c\n    // behind c",
            ),
        ] {
            assert!(TEXT.contains(cut), "{name}");
            assert_eq!(without_server(TEXT, name).unwrap().unwrap(), TEXT.replace(cut, left), "{name}");
        }
        assert!(!without_server(TEXT, "b").unwrap().unwrap().contains(inside));
        // What is added leaves comments where they are, too, and goes without a trace.
        let added = with_server(TEXT, "d", &json!({})).unwrap();
        assert_eq!(added, TEXT.replace("\"c\": {} // behind c", "\"c\": {}, // behind c\n    \"d\": {}"));
        assert_eq!(without_server(&added, "d").unwrap().as_deref(), Some(TEXT));
        // A comment of several lines is not torn apart.
        let torn = "{\"servers\": {\"a\": {} /* of\n two */}}";
        let added = with_server(torn, "b", &json!({})).unwrap();
        assert_eq!(added, "{\"servers\": {\"a\": {},\n\"b\": {} /* of\n two */}}");
    }

    #[test]
    fn what_is_left_over_is_no_heap_of_blanks() {
        for (text, name, left) in [
            (r#"{"servers": {"a": 1, "b": 2}}"#, "a", r#"{"servers": {"b": 2}}"#),
            (r#"{"servers": {"a": 1, "b": 2}}"#, "b", r#"{"servers": {"a": 1}}"#),
            (r#"{"servers": { "a": 1, "b": 2, "c": 3 }}"#, "b", r#"{"servers": { "a": 1, "c": 3 }}"#),
            ("{\"servers\": {\n  \"a\": 1,\r\n  \"b\": 2\r\n}}", "b", "{\"servers\": {\n  \"a\": 1\r\n}}"),
            ("{\"servers\": {\n  \"a\": 1\n, \"b\": 2\n}}", "b", "{\"servers\": {\n  \"a\": 1\n}}"),
            (
                "{\"servers\": {\n\"a\": 1,\n\n\"b\": 2,\n\n\"c\": 3\n}}",
                "b",
                "{\"servers\": {\n\"a\": 1,\n\n\"c\": 3\n}}",
            ),
            ("{\"servers\": {\n\"a\": 1,\n\n\"b\": 2,\n}}", "a", "{\"servers\": {\n\"b\": 2,\n}}"),
        ] {
            assert_eq!(without_server(text, name).unwrap().unwrap(), left);
        }
    }

    #[test]
    fn every_kind_of_file_gets_a_server() {
        for (text, pointer) in [
            ("", "/mcpServers/n"),
            ("{}", "/mcpServers/n"),
            ("\u{feff}{\"servers\": {}}", "/servers/n"),
            ("{\"mcp\": {\"servers\": {\"x\": 5,},},}", "/mcp/servers/n"),
            ("{\"theme\": \"ä\" /* ö */}", "/mcpServers/n"),
            ("{\"mcpServers\": {\"only\": {},}}", "/mcpServers/n"),
        ] {
            let added = with_server(text, "n", &json!({"url": "http://h"})).unwrap();
            assert_eq!(parsed(&added).pointer(pointer), Some(&json!({"url": "http://h"})), "{added}");
            let again = without_server(&added, "n").unwrap().unwrap();
            assert_eq!(parsed(&again).pointer(pointer), None, "{again}");
        }
        let noted = "{\"servers\": {\"a\": 5 // x, ]\n, /* , */}}";
        assert_eq!(without_server(noted, "a").unwrap().unwrap(), "{\"servers\": {// x, ]\n /* , */}}");
        let only = "{\"mcpServers\": {\"only\": {},}}";
        assert_eq!(parsed(&without_server(only, "only").unwrap().unwrap()), json!({"mcpServers": {}}));
        for bad in ["[]", "{", "5", "{\"mcpServers\": 5}"] {
            assert!(with_server(bad, "n", &json!({})).is_err());
        }
    }
}
