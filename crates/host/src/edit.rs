//! Changing an `mcp.json` without touching what else is in it: comments, order and members that nobody here knows stay as they are.

use serde_json::Value;

use crate::ConfigError;
use crate::document::{Document, Object, SECTIONS};

/// Returns the text of a file with one more server. The text of an absent file is empty.
///
/// # Errors
/// If the text can not be used, or has a server of that name.
pub fn with_server(text: &str, name: &str, server: &Value) -> Result<String, ConfigError> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Ok(format!("{:#}\n", serde_json::json!({ SECTIONS[0]: { name: server } })));
    }
    let written = format!("{server:#}");
    let file = Document::read(text)?;
    let key = Value::from(name).to_string();
    let Some(section) = file.section()? else {
        let section = format!("{}: {{\n    {key}: {}\n  }}", Value::from(SECTIONS[0]), indented(&written, "    "));
        return Ok(file.inserted(&file.root()?, &section, "  "));
    };
    if section.members.iter().any(|member| member.name == name) {
        return Err(ConfigError::Known(name.to_owned()));
    }
    let indent = section.members.last().map_or_else(|| "    ".to_owned(), |last| file.indent(last.range.start));
    Ok(file.inserted(&section, &format!("{key}: {}", indented(&written, &indent)), &indent))
}

/// Returns the text of a file without a server; `None` if there is none of that name.
///
/// # Errors
/// If the text can not be used.
pub fn without_server(text: &str, name: &str) -> Result<Option<String>, ConfigError> {
    let file = Document::read(text)?;
    let Some(section) = file.section()? else { return Ok(None) };
    let Some(at) = section.members.iter().position(|member| member.name == name) else { return Ok(None) };
    let own = section.members[at].range.clone();
    let before = at.checked_sub(1).and_then(|at| section.members.get(at));
    let gone = match (before, section.members.get(at + 1)) {
        (_, Some(next)) => own.start..next.range.start,
        (Some(before), None) => before.range.end..own.end,
        (None, None) => own.start..file.after_comma(own.end),
    };
    Ok(Some(file.text[..gone.start].iter().chain(&file.text[gone.end..]).collect()))
}

impl Document {
    /// The blanks before something on its line.
    fn indent(&self, at: usize) -> String {
        let line = self.text[..at].iter().rposition(|c| *c == '\n').map_or(0, |end| end + 1);
        self.text[line..at].iter().take_while(|c| matches!(c, ' ' | '\t')).collect()
    }

    /// Adds a member to the end of an object.
    fn inserted(&self, object: &Object, member: &str, indent: &str) -> String {
        let (at, added) = match object.members.last() {
            Some(last) => (last.range.end, format!(",\n{indent}{member}")),
            None => {
                let end = self.indent(object.open);
                (object.open + 1, format!("\n{indent}{member}\n{end}"))
            }
        };
        let (before, after) = self.text.split_at(at);
        before.iter().copied().chain(added.chars()).chain(after.iter().copied()).collect()
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
        assert_eq!(without_server(noted, "a").unwrap().unwrap(), "{\"servers\": { /* , */}}");
        let only = "{\"mcpServers\": {\"only\": {},}}";
        assert_eq!(parsed(&without_server(only, "only").unwrap().unwrap()), json!({"mcpServers": {}}));
        for bad in ["[]", "{", "5"] {
            assert!(with_server(bad, "n", &json!({})).is_err());
        }
    }
}
