//! What is wrong with arguments, in the words of the family.

use serde_json::Value;

/// The most problems that are named; the rest is left out.
const MOST: usize = 20;

/// Returns one line for each problem: `MESSAGE at PATH`. The schemas are our own, so only what they use is understood.
pub(super) fn problems(schema: &Value, arguments: &Value) -> Vec<String> {
    let mut found = Found { root: schema, problems: Vec::new() };
    found.check(schema, Some(arguments), "");
    found.problems
}

struct Found<'a> {
    root: &'a Value,
    problems: Vec<String>,
}

impl<'a> Found<'a> {
    fn add(&mut self, message: String, path: &str) {
        if self.problems.len() < MOST {
            self.problems.push(if path.is_empty() { message } else { format!("{message} at {path}") });
        }
    }

    fn check(&mut self, schema: &'a Value, value: Option<&Value>, path: &str) {
        let schema = self.resolved(schema);
        if let Some(choices) = schema["enum"].as_array() {
            if !value.is_some_and(|value| choices.contains(value)) {
                let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
                self.add(format!("Invalid option: expected one of {}", choices.join("|")), path);
            }
            return;
        }
        let kinds = kinds(schema);
        if kinds.is_empty() {
            return;
        }
        let Some(value) = value.filter(|value| kinds.iter().any(|kind| is_of(value, kind))) else {
            let expected = match kinds.iter().find(|kind| **kind != "null") {
                Some(&"integer") => "number",
                Some(kind) => kind,
                None => "null",
            };
            return self.add(format!("Invalid input: expected {expected}, received {}", name(value)), path);
        };
        match value {
            Value::Number(number) => self.number(schema, &kinds, number.as_f64().unwrap_or(f64::NAN), path),
            Value::String(text) => self.size(schema, "Length", "string", "characters", text.chars().count(), path),
            Value::Array(items) => {
                self.size(schema, "Items", "array", "items", items.len(), path);
                for (index, item) in items.iter().enumerate() {
                    self.check(&schema["items"], Some(item), &joined(path, &index.to_string()));
                }
            }
            Value::Object(members) => {
                let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let required: Vec<&str> = required.collect();
                for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                    let value = members.get(name);
                    if value.is_some() || required.contains(&name.as_str()) {
                        self.check(schema, value, &joined(path, name));
                    }
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn number(&mut self, schema: &Value, kinds: &[&str], number: f64, path: &str) {
        if kinds.contains(&"integer") && !kinds.contains(&"number") && number.fract() != 0.0 {
            return self.add("Invalid input: expected int, received number".to_owned(), path);
        }
        if let Some(least) = schema["minimum"].as_f64().filter(|least| number < *least) {
            self.add(format!("Too small: expected number to be >={least}"), path);
        }
        if let Some(most) = schema["maximum"].as_f64().filter(|most| number > *most) {
            self.add(format!("Too big: expected number to be <={most}"), path);
        }
    }

    fn size(&mut self, schema: &Value, key: &str, what: &str, unit: &str, size: usize, path: &str) {
        let limit = |word: &str| schema[format!("{word}{key}")].as_u64();
        if let Some(least) = limit("min").filter(|least| (size as u64) < *least) {
            self.add(format!("Too small: expected {what} to have >={least} {unit}"), path);
        }
        if let Some(most) = limit("max").filter(|most| size as u64 > *most) {
            self.add(format!("Too big: expected {what} to have <={most} {unit}"), path);
        }
    }

    /// Follows a reference within the schema. Ours do not go in circles without a value in between.
    fn resolved(&self, schema: &'a Value) -> &'a Value {
        let target = schema["$ref"].as_str().and_then(|path| self.root.pointer(path.strip_prefix('#')?));
        target.unwrap_or(schema)
    }
}

fn kinds(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "integer" | "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => value.is_null(),
    }
}

fn name(value: Option<&Value>) -> &'static str {
    match value {
        None => "undefined",
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "boolean",
        Some(Value::Number(_)) => "number",
        Some(Value::String(_)) => "string",
        Some(Value::Array(_)) => "array",
        Some(Value::Object(_)) => "object",
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn problems_are_named_in_the_words_of_the_family() {
        let schema = json!({"type": "object", "required": ["s", "n", "e"], "properties": {
            "s": {"type": "string"}, "n": {"type": "number"}, "i": {"type": "integer", "minimum": 1, "maximum": 5},
            "e": {"$ref": "#/$defs/E"}, "o": {"type": ["string", "null"]},
            "edits": {"type": "array", "minItems": 1, "items": {"type": "object", "required": ["oldText"],
                "properties": {"oldText": {"type": "string"}}}}},
            "$defs": {"E": {"enum": ["name", "size"]}}});
        let good = json!({"s": "", "n": 1.5, "e": "size", "i": 5, "o": null, "extra": 1, "edits": [{"oldText": "x"}]});
        assert_eq!(problems(&schema, &good), [""; 0]);
        for (arguments, expected) in [
            (json!({"n": 1, "e": "name"}), "Invalid input: expected string, received undefined at s"),
            (json!({"s": 5, "n": 1, "e": "name"}), "Invalid input: expected string, received number at s"),
            (json!({"s": "", "n": "1", "e": "name"}), "Invalid input: expected number, received string at n"),
            (json!({"s": "", "n": null, "e": "name"}), "Invalid input: expected number, received null at n"),
            (json!({"s": "", "n": 1, "e": "x"}), r#"Invalid option: expected one of "name"|"size" at e"#),
            (json!({"s": "", "n": 1}), r#"Invalid option: expected one of "name"|"size" at e"#),
            (json!({"s": "", "n": 1, "e": "name", "i": 1.5}), "Invalid input: expected int, received number at i"),
            (json!({"s": "", "n": 1, "e": "name", "i": 0}), "Too small: expected number to be >=1 at i"),
            (json!({"s": "", "n": 1, "e": "name", "i": 6}), "Too big: expected number to be <=5 at i"),
            (json!({"s": "", "n": 1, "e": "name", "o": 1}), "Invalid input: expected string, received number at o"),
            (
                json!({"s": "", "n": 1, "e": "name", "edits": []}),
                "Too small: expected array to have >=1 items at edits",
            ),
            (
                json!({"s": "", "n": 1, "e": "name", "edits": [{}]}),
                "Invalid input: expected string, received undefined at edits.0.oldText",
            ),
        ] {
            assert_eq!(problems(&schema, &arguments), [expected], "{arguments}");
        }
        let two = problems(&schema, &json!({"e": "name"}));
        assert_eq!(two.len(), 2);
    }
}
