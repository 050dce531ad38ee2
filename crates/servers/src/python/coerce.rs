//! What the family takes for a number, a boolean or a list.

use serde_json::{Number, Value};

use crate::shape::{Shape, is_of};

/// Replaces values that are not of their type and can be read as such. Returns whether there were any.
pub(super) fn coerce(shape: &Shape, arguments: &mut Value) -> bool {
    let Value::Object(members) = arguments else { return false };
    let mut changed = false;
    for (name, shape) in &shape.properties.0 {
        if let Some(value) = members.get_mut(name) {
            changed |= member(shape, value);
        }
    }
    changed
}

fn member(shape: &Shape, value: &mut Value) -> bool {
    let types = shape.types();
    let read = match value {
        Value::String(text) if types.contains(&"string") => {
            (text == "null" && types.contains(&"null")).then_some(Value::Null)
        }
        Value::Number(number) if types.contains(&"integer") => whole(number),
        ref value if types.iter().any(|name| is_of(value, name)) => None,
        ref value => types.iter().find_map(|name| converted(value, name)),
    };
    if let Some(read) = read {
        *value = read;
        return true;
    }
    false
}

/// Returns an integer that is written as a fraction; 3.0 is one.
fn whole(number: &Number) -> Option<Value> {
    let fraction = number.as_f64().filter(|_| number.is_f64())?;
    (fraction.fract() == 0.0 && fraction.abs() < 9e15).then(|| Value::from(fraction as i64))
}

fn converted(value: &Value, name: &str) -> Option<Value> {
    match (name, value) {
        ("integer", Value::String(text)) => integer(text.trim()),
        ("number", Value::String(text)) => text.trim().parse().ok().and_then(Number::from_f64).map(Value::Number),
        ("integer" | "number", Value::Bool(yes)) => Some(Value::from(u8::from(*yes))),
        ("boolean", Value::String(text)) => boolean(text),
        ("boolean", Value::Number(number)) => match number.as_f64()? {
            0.0 => Some(false.into()),
            1.0 => Some(true.into()),
            _ => None,
        },
        ("array", Value::String(text)) => serde_json::from_str(text).ok().filter(Value::is_array),
        ("object", Value::String(text)) => serde_json::from_str(text).ok().filter(Value::is_object),
        _ => None,
    }
}

fn integer(text: &str) -> Option<Value> {
    let text = text.strip_prefix('+').unwrap_or(text);
    let digits =
        text.split_once('.').filter(|(_, zeros)| zeros.bytes().all(|zero| zero == b'0')).map_or(text, |(d, _)| d);
    digits.parse::<i64>().ok().map(Value::from)
}

fn boolean(text: &str) -> Option<Value> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "on" | "1" => Some(true.into()),
        "false" | "f" | "no" | "n" | "off" | "0" => Some(false.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_can_be_read_as_its_type_is_taken_for_it() {
        let shape = Shape::of(
            r#"{"type":"object","properties":{"n":{"type":"integer"},"b":{"type":"boolean"},"s":{"type":"string"},
                "l":{"type":"array","items":{"type":"string"}},"o":{"anyOf":[{"type":"string"},{"type":"null"}]}}}"#,
        );
        for (given, expected) in [
            (json!({"n": "3"}), json!({"n": 3})),
            (json!({"n": " -3 "}), json!({"n": -3})),
            (json!({"n": "3.0"}), json!({"n": 3})),
            (json!({"n": 3.0}), json!({"n": 3})),
            (json!({"n": true}), json!({"n": 1})),
            (json!({"b": "Yes"}), json!({"b": true})),
            (json!({"l": "[\"a\"]"}), json!({"l": ["a"]})),
            (json!({"o": "null"}), json!({"o": null})),
        ] {
            let mut value = given.clone();
            assert!(coerce(&shape, &mut value), "{given}");
            assert_eq!(value, expected);
        }
        for given in
            [json!({"n": "x"}), json!({"n": 1.5}), json!({"s": "[1]"}), json!({"l": "a"}), json!([]), json!({"n": 2})]
        {
            let mut value = given.clone();
            assert!(!coerce(&shape, &mut value), "{given}");
            assert_eq!(value, given);
        }
    }
}
