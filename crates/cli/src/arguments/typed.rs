//! Text becomes a value of the type that a schema asks for. What does not fit is an error, never a null.

use serde_json::{Number, Value};

use crate::show::type_words;

/// Reads a text as a value of a resolved schema. The error says what would fit.
pub(crate) fn typed(schema: &Value, text: &str) -> Result<Value, String> {
    attempt(schema, text).ok_or_else(|| {
        let hint = if text == "null" { "; for a real null write :=null" } else { "" };
        format!("{text:?} is not {}{hint}", type_words(schema))
    })
}

/// Reads several texts, given for the same name, as an array.
pub(crate) fn typed_list(schema: &Value, texts: &[String]) -> Result<Value, String> {
    if !takes(schema, "array") {
        return Err(format!("is given {} times, but takes one value", texts.len()));
    }
    let items = items(schema);
    texts.iter().map(|text| typed(&items, text)).collect::<Result<Vec<Value>, String>>().map(Value::Array)
}

/// Whether a resolved schema allows a type.
pub(crate) fn takes(schema: &Value, kind: &str) -> bool {
    match &schema["type"] {
        Value::String(only) => only == kind,
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        _ => branches(schema).any(|branch| takes(branch, kind)),
    }
}

fn attempt(schema: &Value, text: &str) -> Option<Value> {
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().find(|value| is_meant(value, text)).cloned();
    }
    if let Some(value) = schema.get("const") {
        return is_meant(value, text).then(|| value.clone());
    }
    if schema.get("type").is_none() && branches(schema).next().is_some() {
        // A text fits almost everything, so what is more particular goes first.
        let (plain, particular): (Vec<_>, Vec<_>) = branches(schema).partition(|branch| takes_any_text(branch));
        return particular.into_iter().chain(plain).find_map(|branch| attempt(branch, text));
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        // Nothing is said: it is the text that was typed.
        _ => vec!["string"],
    };
    ["boolean", "integer", "number", "array", "object", "string"]
        .into_iter()
        .filter(|kind| kinds.contains(kind))
        .find_map(|kind| of_kind(kind, schema, text))
}

fn of_kind(kind: &str, schema: &Value, text: &str) -> Option<Value> {
    match kind {
        "boolean" => boolean(text).map(Value::Bool),
        "integer" => integer(text).map(Value::Number),
        "number" => number(text).map(Value::Number),
        "array" => array(schema, text),
        "object" => serde_json::from_str(text).ok().filter(Value::is_object),
        _ => Some(Value::String(text.to_owned())),
    }
}

/// Reads yes or no.
pub(crate) fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

/// Reads a whole number that JSON can carry without loss.
pub(crate) fn integer(text: &str) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Ok(number) = text.parse::<i64>() {
        return Some(number.into());
    }
    if let Ok(number) = text.parse::<u64>() {
        return Some(number.into());
    }
    // "3.0" and "1e3" are whole numbers too.
    let number = text.parse::<f64>().ok().filter(|number| number.fract() == 0.0 && number.abs() <= EXACT)?;
    #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is small enough")]
    Some((number as i64).into())
}

/// Reads a finite number; whole ones stay whole.
pub(crate) fn number(text: &str) -> Option<Number> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(number.into());
    }
    text.parse().ok().and_then(Number::from_f64)
}

/// JSON, or one element, or several with commas between them if commas cannot be part of an element.
fn array(schema: &Value, text: &str) -> Option<Value> {
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).ok().filter(Value::is_array);
    }
    let items = items(schema);
    if takes_any_text(&items) {
        return Some(Value::Array(vec![attempt(&items, text)?]));
    }
    text.split(',').map(|part| attempt(&items, part.trim())).collect::<Option<Vec<_>>>().map(Value::Array)
}

fn items(schema: &Value) -> Value {
    let own = schema.get("items").filter(|items| items.is_object());
    let branch = || branches(schema).find(|branch| takes(branch, "array")).and_then(|branch| branch.get("items"));
    own.or_else(branch).cloned().unwrap_or(Value::Null)
}

/// Whether any text is a value of the schema.
fn takes_any_text(schema: &Value) -> bool {
    let free = schema.get("enum").is_none() && schema.get("const").is_none();
    let kind = schema.get("type").is_none() && branches(schema).next().is_none() || takes(schema, "string");
    free && kind
}

fn branches(schema: &Value) -> impl Iterator<Item = &Value> {
    ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten()
}

/// Whether a value of a closed list is what was typed.
fn is_meant(value: &Value, text: &str) -> bool {
    match value {
        Value::String(value) => value == text,
        Value::Null => false,
        other => serde_json::from_str::<Value>(text).is_ok_and(|typed| typed == *other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// schema | text | value, or `!` and a part of the error
    const TABLE: &str = r#"
        {"type":"string"} | 5 | "5"
        {"type":"string"} | null | "null"
        {"type":"string"} |  | ""
        {"type":"integer"} | 5 | 5
        {"type":"integer"} | -7 | -7
        {"type":"integer"} | 3.0 | 3
        {"type":"integer"} | 1e3 | 1000
        {"type":"integer"} | 18446744073709551615 | 18446744073709551615
        {"type":"integer"} | 99999999999999999999 | ! is not integer
        {"type":"integer"} | 5.5 | ! is not integer
        {"type":"integer"} |  | ! "" is not integer
        {"type":"integer"} | null | ! write :=null
        {"type":"number"} | 5 | 5
        {"type":"number"} | 5.5 | 5.5
        {"type":"number"} | 1e3 | 1000.0
        {"type":"number"} | NaN | ! is not number
        {"type":"number"} | inf | ! is not number
        {"type":"number"} | five | ! "five" is not number
        {"type":"boolean"} | true | true
        {"type":"boolean"} | No | false
        {"type":"boolean"} | 1 | true
        {"type":"boolean"} | maybe | ! is not boolean
        {"type":["integer","null"]} | 5 | 5
        {"type":["integer","null"]} | null | ! write :=null
        {"type":["string","null"]} | null | "null"
        {"type":["integer","string"]} | 5 | 5
        {"type":["string","integer"]} | 05x | "05x"
        {"anyOf":[{"type":"string"},{"type":"integer"}]} | 5 | 5
        {"anyOf":[{"type":"boolean"},{"type":"null"}]} | yes | true
        {"allOf":[{"type":"integer"}]} | 5 | 5
        {"enum":["fast","slow"]} | fast | "fast"
        {"enum":["fast","slow"]} | quick | ! is not one of fast, slow
        {"enum":[1,2,null,"2"]} | 2 | 2
        {"enum":[1,null]} | null | ! is not one of
        {"const":true} | true | true
        {"const":true} | false | ! is not always true
        {"type":"array","items":{"type":"integer"}} | 1,2, 3 | [1,2,3]
        {"type":"array","items":{"type":"integer"}} | [1,2] | [1,2]
        {"type":"array","items":{"type":"integer"}} | 1,x | ! is not array of integer
        {"type":"array","items":{"type":"string"}} | a,b | ["a,b"]
        {"type":"array","items":{"enum":["a","b"]}} | a,b | ["a","b"]
        {"type":"array"} | a,b | ["a,b"]
        {"type":"array"} | [1 | ! is not array
        {"type":"object"} | {"a":1} | {"a":1}
        {"type":"object"} | a | ! is not object
        {"type":"object"} | null | ! is not object
        {} | 5 | "5"
        true | x | "x"
    "#;

    #[test]
    fn text_becomes_what_the_schema_asks_for() {
        for line in TABLE.lines().filter(|line| !line.trim().is_empty()) {
            let [schema, text, expected] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
                panic!("{line}");
            };
            let outcome = typed(&serde_json::from_str(schema).unwrap(), text);
            match expected.strip_prefix('!') {
                Some(part) => {
                    let error = outcome.expect_err(line);
                    assert!(error.contains(part.trim()), "{line}: {error}");
                }
                None => assert_eq!(outcome.expect(line).to_string(), expected, "{line}"),
            }
        }
    }

    #[test]
    fn several_texts_become_an_array() {
        let texts = ["1".to_owned(), "2".to_owned()];
        let list = |schema: Value| typed_list(&schema, &texts);
        assert_eq!(
            list(serde_json::json!({"type": "array", "items": {"type": "integer"}})).unwrap().to_string(),
            "[1,2]"
        );
        assert_eq!(list(serde_json::json!({"type": "array"})).unwrap().to_string(), r#"["1","2"]"#);
        assert!(list(serde_json::json!({"type": "integer"})).unwrap_err().contains("takes one value"));
    }
}
