//! What is wrong with arguments, in the words of the family.

use serde_json::Value;

use crate::shape::{Shape, is_of, joined};

/// The most problems that are named; the rest is left out.
const MOST: usize = 20;

/// Returns one line for each problem: `MESSAGE at PATH`, in the order of the schema.
pub(super) fn problems(shape: &Shape, arguments: &Value) -> Vec<String> {
    let mut check = Check { root: shape, problems: Vec::new() };
    check.value(shape, Some(arguments), "");
    check.problems
}

struct Check<'a> {
    root: &'a Shape,
    problems: Vec<String>,
}

impl<'a> Check<'a> {
    fn add(&mut self, message: String, path: &str) {
        if self.problems.len() < MOST {
            self.problems.push(if path.is_empty() { message } else { format!("{message} at {path}") });
        }
    }

    fn value(&mut self, shape: &'a Shape, value: Option<&Value>, path: &str) {
        let shape = self.root.resolve(shape);
        if let Some(choices) = &shape.choices {
            return self.choice(choices, value, path);
        }
        let types = shape.types();
        if types.is_empty() {
            return;
        }
        let Some(value) = value.filter(|value| types.iter().any(|name| is_of(value, name))) else {
            let expected = match types.iter().find(|name| **name != "null") {
                Some(&"integer") => "number",
                Some(name) => name,
                None => "null",
            };
            return self.add(format!("Invalid input: expected {expected}, received {}", type_of(value)), path);
        };
        match value {
            Value::Number(number) => self.number(shape, &types, number.as_f64().unwrap_or(f64::NAN), path),
            // The family counts as JavaScript does.
            Value::String(text) => {
                let limits = [shape.min_length, shape.max_length];
                self.size(limits, "string", "characters", text.encode_utf16().count(), path);
            }
            Value::Array(items) => {
                self.size([shape.min_items, shape.max_items], "array", "items", items.len(), path);
                if let Some(item_shape) = &shape.items {
                    for (index, item) in items.iter().enumerate() {
                        self.value(item_shape, Some(item), &format!("{path}[{index}]"));
                    }
                }
            }
            Value::Object(members) => {
                for (name, member_shape) in &shape.properties.0 {
                    let member = members.get(name);
                    if member.is_some() || shape.is_required(name) {
                        self.value(member_shape, member, &joined(path, name));
                    }
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn choice(&mut self, choices: &[Value], value: Option<&Value>, path: &str) {
        if value.is_some_and(|value| choices.contains(value)) {
            return;
        }
        match choices {
            [only] => self.add(format!("Invalid input: expected {only}"), path),
            choices => {
                let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
                self.add(format!("Invalid option: expected one of {}", choices.join("|")), path);
            }
        }
    }

    fn number(&mut self, shape: &Shape, types: &[&str], number: f64, path: &str) {
        if types.contains(&"integer") && !types.contains(&"number") && number.fract() != 0.0 {
            return self.add("Invalid input: expected int, received number".to_owned(), path);
        }
        if let Some(least) = shape.minimum.filter(|least| number < *least) {
            self.add(format!("Too small: expected number to be >={least}"), path);
        }
        if let Some(most) = shape.maximum.filter(|most| number > *most) {
            self.add(format!("Too big: expected number to be <={most}"), path);
        }
    }

    fn size(&mut self, [least, most]: [Option<u64>; 2], what: &str, unit: &str, size: usize, path: &str) {
        if let Some(least) = least.filter(|least| (size as u64) < *least) {
            self.add(format!("Too small: expected {what} to have >={least} {unit}"), path);
        }
        if let Some(most) = most.filter(|most| size as u64 > *most) {
            self.add(format!("Too big: expected {what} to have <={most} {unit}"), path);
        }
    }
}

/// Returns what JavaScript calls the type of a value.
fn type_of(value: Option<&Value>) -> &'static str {
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
        let schema = Shape::of(&schema.to_string());
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
                "Invalid input: expected string, received undefined at edits[0].oldText",
            ),
        ] {
            assert_eq!(problems(&schema, &arguments), [expected], "{arguments}");
        }
        let two = problems(&schema, &json!({"e": "name"}));
        assert_eq!(two.len(), 2);
    }

    #[test]
    fn problems_come_in_the_order_in_which_the_schema_is_written() {
        let shape = Shape::of(
            r#"{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}},"required":["a","z"]}"#,
        );
        let undefined = |name: &str| format!("Invalid input: expected string, received undefined at {name}");
        assert_eq!(problems(&shape, &json!({})), [undefined("z"), undefined("a")]);
    }
}
