//! JSON values as YAML.

use serde_json::Value;

/// Writes a JSON value as YAML in block style. Text that YAML could take for something else stands in double quotes.
#[must_use]
pub fn yaml(value: &Value) -> String {
    let mut out = String::new();
    block(&mut out, value, 0);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// Writes a value behind `key:` or `-`, or at the beginning of the document.
fn block(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (key, value) in members {
                indent(out, depth);
                out.push_str(&text(key));
                out.push(':');
                nested(out, value, depth + 1);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                indent(out, depth);
                out.push('-');
                nested(out, item, depth + 1);
            }
        }
        scalar => out.push_str(&inline(scalar)),
    }
}

fn nested(out: &mut String, value: &Value, depth: usize) {
    let is_block = match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    out.push(if is_block { '\n' } else { ' ' });
    block(out, value, depth);
    if !is_block {
        out.push('\n');
    }
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n(' ', 2 * depth));
}

fn inline(value: &Value) -> String {
    match value {
        Value::String(word) => text(word),
        // Empty objects and arrays, numbers, booleans and null are the same in both.
        other => other.to_string(),
    }
}

/// A word that nothing but a string can be stands as it is.
fn text(word: &str) -> String {
    let is_plain = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '/')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-/. ".contains(c))
        && !word.ends_with(' ');
    // Words that some version of YAML reads as a boolean, null or a number.
    let means_more = ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "inf", "nan"];
    if is_plain && !means_more.contains(&word.to_ascii_lowercase().as_str()) {
        word.to_owned()
    } else {
        Value::from(word).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_written_in_block_style() {
        let value = json!({
            "$ref": "#/a", "a": { "b": [1, { "c": null }, [], ["x", "no"]] }, "empty": {}, "words": "two words: yes", "yes": true,
        });
        let expected = "\"$ref\": \"#/a\"\na:\n  b:\n    - 1\n    -\n      c: null\n    - []\n    -\n      - x\n      - \"no\"\n\
                        empty: {}\nwords: \"two words: yes\"\n\"yes\": true\n";
        assert_eq!(yaml(&value), expected);
        assert_eq!(yaml(&json!("2.0")), "\"2.0\"\n");
    }
}
