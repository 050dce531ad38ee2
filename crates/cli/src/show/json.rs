//! JSON for people and programs: indented, in the order of its author, and harmless to a terminal.

use serde::Serialize;

use super::escape::is_harmful;

/// Returns a value as indented JSON text. Characters that could steer a terminal are written as escapes, which every reader
/// of JSON understands.
pub(crate) fn pretty(value: &impl Serialize) -> String {
    indented(&compact(value))
}

/// Returns a value as JSON text on one line.
pub(crate) fn compact(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap_or_else(|error| format!("\"{error}\""));
    if !text.chars().any(is_harmful) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        push(&mut out, c);
    }
    out
}

// Outside of strings there are no harmful characters in valid JSON but white space, and compact text has none of it.
fn push(out: &mut String, c: char) {
    if is_harmful(c) {
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    } else {
        out.push(c);
    }
}

/// Indents JSON text without reading it into a tree, so that order and numbers stay as they are.
fn indented(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth: usize = 0;
    let mut chars = text.chars().peekable();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        if in_string {
            out.push(c);
            match c {
                '\\' => out.extend(chars.next()),
                '"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match c {
            c if c.is_ascii_whitespace() => {}
            '{' | '[' => {
                out.push(c);
                while chars.peek().is_some_and(char::is_ascii_whitespace) {
                    chars.next();
                }
                if let Some(end) = chars.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c => {
                in_string = c == '"';
                out.push(c);
            }
        }
    }
    out
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use jackfield::protocol::RawJson;
    use serde_json::json;

    use super::*;

    #[test]
    fn order_numbers_and_texts_stay() {
        let raw = RawJson::from_text(r#"{"z":[1.50,{}, [ ] ,"a,{\"}"],"a":{"b":1e400}}"#).unwrap();
        let text = pretty(&raw);
        assert_eq!(
            text,
            "{\n  \"z\": [\n    1.50,\n    {},\n    [],\n    \"a,{\\\"}\"\n  ],\n  \"a\": {\n    \"b\": 1e400\n  }\n}"
        );
    }

    /// T-113: JSON on a terminal is as harmless as text, and still the same value.
    #[test]
    fn harmful_characters_are_escaped_within_json() {
        let value = json!({"a\u{202e}": "b\u{9b}31m\u{e0041}\u{1b}"});
        for text in [pretty(&value), compact(&value)] {
            assert!(!text.chars().any(|c| is_harmful(c) && c != '\n'), "{text}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        }
    }
}
