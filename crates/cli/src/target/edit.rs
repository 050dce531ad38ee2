//! Changing an `mcp.json` without touching what else is in it: comments, order and members that nobody here knows stay as they are.

use std::ops::Range;

use serde_json::Value;

use super::jsonc;

/// The members under which servers are listed; the first is written where there is none.
use super::config::SECTIONS;

/// Returns the text with one more server. The text of an absent file is empty.
pub(crate) fn with_server(text: &str, name: &str, server: &Value) -> Result<String, String> {
    let written = serde_json::to_string_pretty(server).map_err(|error| error.to_string())?;
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        let file = serde_json::json!({ SECTIONS[0]: { name: server } });
        return serde_json::to_string_pretty(&file).map(|text| text + "\n").map_err(|error| error.to_string());
    }
    let file = File::read(text)?;
    let key = Value::from(name).to_string();
    let Some(section) = file.section() else {
        let section = format!("{}: {{\n    {key}: {}\n  }}", Value::from(SECTIONS[0]), indented(&written, "    "));
        let root = file.root().ok_or("it is not a JSON object")?;
        return Ok(file.inserted(&root, &section, "  "));
    };
    if section.members.iter().any(|member| member.name == name) {
        return Err(format!("it has a server named {name:?} already"));
    }
    let indent = section.members.last().map_or_else(|| "    ".to_owned(), |last| file.indent(last.range.start));
    Ok(file.inserted(&section, &format!("{key}: {}", indented(&written, &indent)), &indent))
}

/// Returns the text without a server; `None` if there is none of that name.
pub(crate) fn without_server(text: &str, name: &str) -> Result<Option<String>, String> {
    let file = File::read(text)?;
    let Some(section) = file.section() else { return Ok(None) };
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

/// The text of a file, with comments and without them, character by character.
struct File {
    text: Vec<char>,
    plain: Vec<char>,
}

/// An object in the text.
struct Object {
    /// Where its opening brace is.
    open: usize,
    members: Vec<Member>,
}

struct Member {
    name: String,
    /// From the name to the end of the value.
    range: Range<usize>,
    /// Where the value begins.
    value: usize,
}

impl File {
    fn read(text: &str) -> Result<Self, String> {
        let start = text.len() - text.trim_start_matches('\u{feff}').len();
        let plain = format!("{}{}", " ".repeat(text[..start].chars().count()), jsonc::plain(&text[start..]));
        // From here on it is known to be JSON, so that it can be walked through without looking for mistakes.
        let root: Value = serde_json::from_str(&plain).map_err(|error| error.to_string())?;
        if !root.is_object() {
            return Err("it is not a JSON object".to_owned());
        }
        Ok(Self { text: text.chars().collect(), plain: plain.chars().collect() })
    }

    fn root(&self) -> Option<Object> {
        self.object(self.skip_blank(0))
    }

    /// The object that lists the servers; editors also keep it one level deeper, in their general settings.
    fn section(&self) -> Option<Object> {
        let root = self.root()?;
        let deeper = || self.object(root.find("mcp")?.value);
        SECTIONS
            .iter()
            .find_map(|name| self.object(root.find(name)?.value))
            .or_else(|| deeper().and_then(|root| SECTIONS.iter().find_map(|name| self.object(root.find(name)?.value))))
    }

    /// Reads the object that begins here, if one does.
    fn object(&self, open: usize) -> Option<Object> {
        (self.plain.get(open) == Some(&'{')).then_some(())?;
        let mut members = Vec::new();
        let mut at = self.skip_blank(open + 1);
        while self.plain.get(at)? != &'}' {
            let end = self.skip_value(at);
            let name: String = self.plain.get(at..end)?.iter().collect();
            let name = serde_json::from_str(&name).ok()?;
            let value = self.skip_blank(self.skip_blank(end) + 1);
            let after = self.skip_value(value);
            members.push(Member { name, range: at..after, value });
            at = self.skip_blank(after);
            if self.plain.get(at) == Some(&',') {
                at = self.skip_blank(at + 1);
            }
        }
        Some(Object { open, members })
    }

    fn skip_blank(&self, at: usize) -> usize {
        let rest = self.plain.iter().enumerate().skip(at);
        rest.into_iter().find(|(_, c)| !c.is_whitespace()).map_or(self.plain.len(), |(at, _)| at)
    }

    /// Returns the end of the value that begins here.
    fn skip_value(&self, start: usize) -> usize {
        let (mut depth, mut at) = (0_usize, start);
        while let Some(c) = self.plain.get(at) {
            match c {
                '"' => {
                    at += 1;
                    while self.plain.get(at).is_some_and(|c| *c != '"') {
                        at += if self.plain[at] == '\\' { 2 } else { 1 };
                    }
                }
                '{' | '[' => depth += 1,
                '}' | ']' if depth > 0 => depth -= 1,
                ',' | ':' | '}' | ']' if depth == 0 => return at,
                c if depth == 0 && c.is_whitespace() => return at,
                _ => {}
            }
            at += 1;
            if depth == 0 && matches!(c, '"' | '}' | ']') {
                return at;
            }
        }
        at
    }

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

    /// Skips a comma that stands behind the last value, as editors allow it.
    fn after_comma(&self, at: usize) -> usize {
        let next = self.skip_blank(at);
        let comma = (at..next).find(|at| self.text.get(*at) == Some(&','));
        comma.map_or(at, |comma| comma + 1)
    }
}

impl Object {
    fn find(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.name == name)
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

    fn parsed(text: &str) -> Value {
        serde_json::from_str(&jsonc::plain(text.trim_start_matches('\u{feff}'))).unwrap()
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
        assert_eq!(without_server(text, "c"), Ok(None));
        assert!(with_server(text, "a", &json!({})).unwrap_err().contains("already"));
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
        let only = "{\"mcpServers\": {\"only\": {},}}";
        assert_eq!(parsed(&without_server(only, "only").unwrap().unwrap()), json!({"mcpServers": {}}));
        for bad in ["[]", "{", "5"] {
            assert!(with_server(bad, "n", &json!({})).is_err());
        }
    }
}
