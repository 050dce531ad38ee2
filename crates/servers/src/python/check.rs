//! What is wrong with arguments. The family's exact words are not promised; its first line is.

use serde_json::Value;

use crate::shape::{Shape, is_of, joined};

/// The most problems that are named; the rest is left out.
const MOST: usize = 20;

/// Returns two lines for each problem: where it is, and what it is.
pub(super) fn problems(shape: &Shape, arguments: &Value) -> Vec<String> {
    let mut check = Check { root: shape, problems: Vec::new() };
    check.value(shape, arguments, "");
    check.problems.truncate(MOST);
    check.problems
}

struct Check<'a> {
    root: &'a Shape,
    problems: Vec<String>,
}

impl<'a> Check<'a> {
    fn add(&mut self, message: impl AsRef<str>, path: &str) {
        self.problems.push(format!("{path}\n  {}", message.as_ref()));
    }

    fn value(&mut self, shape: &'a Shape, value: &Value, path: &str) {
        let shape = self.root.resolve(shape);
        let types = shape.types();
        if !types.is_empty() && !types.iter().any(|name| is_of(value, name)) {
            let expected = match types.first().copied().unwrap_or_default() {
                "array" => "list",
                "object" => "dictionary",
                name => name,
            };
            return self.add(format!("Input should be a valid {expected}"), path);
        }
        if let Some(choices) = &shape.choices
            && !choices.contains(value)
        {
            let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
            return self.add(format!("Input should be {}", choices.join(" or ").replace('"', "'")), path);
        }
        match value {
            Value::Number(number) => self.number(shape, &types, number.as_f64().unwrap_or(f64::NAN), path),
            Value::String(text) => {
                self.size([shape.min_length, shape.max_length], "String", "character", text.chars().count(), path);
            }
            Value::Array(items) => {
                self.size([shape.min_items, shape.max_items], "List", "item", items.len(), path);
                if let Some(item_shape) = &shape.items {
                    for (index, item) in items.iter().enumerate() {
                        self.value(item_shape, item, &joined(path, index));
                    }
                }
            }
            Value::Object(members) => {
                for (name, member_shape) in &shape.properties.0 {
                    match members.get(name) {
                        Some(member) => self.value(member_shape, member, &joined(path, name)),
                        None if shape.is_required(name) => self.add("Field required", &joined(path, name)),
                        None => {}
                    }
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn number(&mut self, shape: &Shape, types: &[&str], number: f64, path: &str) {
        if types.contains(&"integer") && !types.contains(&"number") && number.fract() != 0.0 {
            return self.add("Input should be a valid integer, got a number with a fractional part", path);
        }
        if let Some(least) = shape.minimum.filter(|least| number < *least) {
            self.add(format!("Input should be greater than or equal to {least}"), path);
        }
        if let Some(most) = shape.maximum.filter(|most| number > *most) {
            self.add(format!("Input should be less than or equal to {most}"), path);
        }
    }

    fn size(&mut self, [least, most]: [Option<u64>; 2], what: &str, unit: &str, size: usize, path: &str) {
        let plural = |limit: u64| if limit == 1 { "" } else { "s" };
        if let Some(least) = least.filter(|least| (size as u64) < *least) {
            self.add(format!("{what} should have at least {least} {unit}{}", plural(least)), path);
        }
        if let Some(most) = most.filter(|most| size as u64 > *most) {
            self.add(format!("{what} should have at most {most} {unit}{}", plural(most)), path);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn problems_are_named_with_their_place() {
        let shape = Shape::of(
            r#"{"type":"object","required":["s"],"properties":{"s":{"type":"string","minLength":1},
                "n":{"type":"integer","minimum":0,"maximum":5},"l":{"type":"array","minItems":1,"items":{"type":"string"}},
                "o":{"anyOf":[{"type":"string"},{"type":"null"}]},"e":{"enum":["a","b"]}}}"#,
        );
        assert_eq!(problems(&shape, &json!({"s": "x", "n": 5, "l": ["y"], "o": null, "e": "a", "extra": 1})), [""; 0]);
        for (arguments, expected) in [
            (json!({}), "s\n  Field required"),
            (json!({"s": 1}), "s\n  Input should be a valid string"),
            (json!({"s": ""}), "s\n  String should have at least 1 character"),
            (json!({"s": "x", "n": 1.5}), "n\n  Input should be a valid integer, got a number with a fractional part"),
            (json!({"s": "x", "n": -1}), "n\n  Input should be greater than or equal to 0"),
            (json!({"s": "x", "n": 6}), "n\n  Input should be less than or equal to 5"),
            (json!({"s": "x", "l": []}), "l\n  List should have at least 1 item"),
            (json!({"s": "x", "l": [1]}), "l.0\n  Input should be a valid string"),
            (json!({"s": "x", "o": 1}), "o\n  Input should be a valid string"),
            (json!({"s": "x", "e": "c"}), "e\n  Input should be 'a' or 'b'"),
        ] {
            assert_eq!(problems(&shape, &arguments), [expected], "{arguments}");
        }
    }
}
