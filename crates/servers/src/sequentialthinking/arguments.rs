//! Reading a thought from arguments, of which models get types wrong.

use serde_json::Value;

use super::history::Thought;
use super::number::{LARGEST, number};

/// Reads a thought, or returns what is wrong, one line for each problem.
pub(super) fn read(arguments: &Value) -> Result<Thought, Vec<String>> {
    let mut reader = Reader { arguments, problems: Vec::new() };
    let thought = Thought {
        text: reader.required_text("thought").unwrap_or_default(),
        next_needed: reader.boolean("nextThoughtNeeded", true).unwrap_or_default(),
        number: reader.integer("thoughtNumber", true).unwrap_or_default(),
        total: reader.integer("totalThoughts", true).unwrap_or_default(),
        is_revision: reader.boolean("isRevision", false).unwrap_or_default(),
        revises: reader.integer("revisesThought", false),
        branch_from: reader.integer("branchFromThought", false),
        branch: reader.text("branchId"),
    };
    reader.boolean("needsMoreThoughts", false);
    if reader.problems.is_empty() { Ok(thought) } else { Err(reader.problems) }
}

struct Reader<'a> {
    arguments: &'a Value,
    problems: Vec<String>,
}

impl<'a> Reader<'a> {
    fn add(&mut self, problem: impl AsRef<str>, name: &str) {
        self.problems.push(format!("{} at {name}", problem.as_ref()));
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.arguments.get(name)
    }

    fn required_text(&mut self, name: &str) -> Option<String> {
        if self.get(name).is_none() {
            self.add("Invalid input: expected string, received undefined", name);
        }
        self.text(name)
    }

    fn text(&mut self, name: &str) -> Option<String> {
        let received = match self.get(name)? {
            Value::String(text) => return Some(text.clone()),
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        self.add(format!("Invalid input: expected string, received {received}"), name);
        None
    }

    fn boolean(&mut self, name: &str, required: bool) -> Option<bool> {
        match self.get(name) {
            Some(Value::Bool(yes)) => return Some(*yes),
            Some(Value::String(text)) => match text.to_lowercase().as_str() {
                "true" => return Some(true),
                "false" => return Some(false),
                _ => {
                    let shown: String = text.chars().take(200).collect();
                    self.add(format!(r#"Expected boolean or "true"/"false" string, received "{shown}""#), name);
                }
            },
            None if !required => {}
            _ => self.add("Invalid input", name),
        }
        None
    }

    fn integer(&mut self, name: &str, required: bool) -> Option<u64> {
        let value = self.get(name);
        if value.is_none() && !required {
            return None;
        }
        let number = number(value);
        let problem = if number.is_nan() {
            "Invalid input: expected number, received NaN".to_owned()
        } else if number.is_infinite() {
            format!("Invalid input: expected number, received {}Infinity", if number < 0.0 { "-" } else { "" })
        } else if number.fract() != 0.0 {
            "Invalid input: expected int, received number".to_owned()
        } else if number > LARGEST {
            format!("Too big: expected int to be <={LARGEST}")
        } else if number < 1.0 {
            "Too small: expected number to be >=1".to_owned()
        } else {
            return Some(number as u64);
        };
        self.add(problem, name);
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn problems_are_those_of_the_original_and_in_its_order() {
        let nan = |name: &str| format!("Invalid input: expected number, received NaN at {name}");
        assert_eq!(
            read(&json!({})).unwrap_err(),
            [
                "Invalid input: expected string, received undefined at thought".to_owned(),
                "Invalid input at nextThoughtNeeded".to_owned(),
                nan("thoughtNumber"),
                nan("totalThoughts"),
            ]
        );
        let wrong = json!({"thought": "a", "nextThoughtNeeded": "maybe", "thoughtNumber": 1.5, "totalThoughts": null,
            "isRevision": null, "revisesThought": "Infinity", "branchFromThought": 9_007_199_254_740_992_u64, "branchId": 5});
        assert_eq!(
            read(&wrong).unwrap_err(),
            [
                "Expected boolean or \"true\"/\"false\" string, received \"maybe\" at nextThoughtNeeded",
                "Invalid input: expected int, received number at thoughtNumber",
                "Too small: expected number to be >=1 at totalThoughts",
                "Invalid input at isRevision",
                "Invalid input: expected number, received Infinity at revisesThought",
                "Too big: expected int to be <=9007199254740991 at branchFromThought",
                "Invalid input: expected string, received number at branchId",
            ]
        );
    }
}
