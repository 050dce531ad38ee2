//! What a tool takes, read from its input schema. Schemas come from servers, so nothing here trusts their form.

use std::fmt;

use jackfield::protocol::Schema;
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

/// One argument of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parameter {
    /// Its name.
    pub(crate) name: String,
    /// Its own schema, references resolved.
    pub(crate) schema: Value,
    /// Whether it must be given.
    pub(crate) required: bool,
}

impl Parameter {
    /// What it means, if the server says so.
    pub(crate) fn description(&self) -> Option<&str> {
        ["description", "title"].into_iter().find_map(|key| self.schema[key].as_str())
    }

    /// Its type and rules in few words, such as `integer, 1 to 10, default 3`.
    pub(crate) fn rules(&self) -> String {
        let mut words = vec![type_words(&self.schema)];
        let limit = |key: &str| self.schema[key].as_f64();
        match (limit("minimum"), limit("maximum")) {
            (Some(least), Some(most)) => words.push(format!("{least} to {most}")),
            (Some(least), None) => words.push(format!("at least {least}")),
            (None, Some(most)) => words.push(format!("at most {most}")),
            (None, None) => {}
        }
        if self.required {
            words.push("required".to_owned());
        }
        if let Some(default) = self.schema.get("default").filter(|default| !default.is_null()) {
            words.push(format!("default {default}"));
        }
        words.join(", ")
    }
}

/// Returns the arguments that a schema names, in its order. References within the schema are resolved.
pub(crate) fn parameters(schema: &Schema) -> Vec<Parameter> {
    let root = schema.to_value();
    let required: Vec<&str> = root["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let names = serde_json::from_str::<Properties>(schema.get()).unwrap_or_default().properties.0;
    let mut left = MOST_PARTS;
    names
        .into_iter()
        .map(|name| {
            let required = required.contains(&name.as_str());
            let schema = resolve(&root["properties"][&name], &root, &mut left);
            Parameter { name, schema, required }
        })
        .collect()
}

/// Returns a schema whose reference, if it is one, is replaced by what it refers to within `root`.
pub(crate) fn resolved(schema: &Value, root: &Value) -> Value {
    resolve(schema, root, &mut { MOST_PARTS })
}

/// References may go in circles, and schemas may be deep.
const DEEPEST: usize = 8;
/// How many parts are put in the places of references for one tool. A few that lead to each other could become any number.
const MOST_PARTS: usize = 10_000;

fn resolve(schema: &Value, root: &Value, left: &mut usize) -> Value {
    let mut out = schema.clone();
    expand(&mut out, root, 0, left);
    out
}

fn expand(schema: &mut Value, root: &Value, depth: usize, left: &mut usize) {
    if depth > DEEPEST || *left == 0 {
        return;
    }
    let pointer = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    if let Some(target) = pointer.and_then(|pointer| root.pointer(pointer)) {
        let Some(rest) = left.checked_sub(parts(target)) else {
            *left = 0;
            return;
        };
        *left = rest;
        let beside = std::mem::replace(schema, target.clone());
        // What stands beside a reference, such as a description, counts too.
        if let (Value::Object(out), Value::Object(beside)) = (&mut *schema, beside) {
            out.extend(beside.into_iter().filter(|(key, _)| key != "$ref"));
        }
        return expand(schema, root, depth + 1, left);
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(Value::Array(branches)) = schema.get_mut(key) {
            branches.iter_mut().for_each(|branch| expand(branch, root, depth + 1, left));
        }
    }
    if let Some(items) = schema.get_mut("items") {
        expand(items, root, depth + 1, left);
    }
}

/// How many values there are in a value, itself included.
fn parts(value: &Value) -> usize {
    let inner: usize = match value {
        Value::Array(items) => items.iter().map(parts).sum(),
        Value::Object(members) => members.values().map(parts).sum(),
        _ => 0,
    };
    inner + 1
}

/// Returns the type that a resolved schema asks for, in few words.
pub(crate) fn type_words(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        let shown: Vec<String> = values.iter().take(12).map(plain).collect();
        let more = if values.len() > shown.len() { ", …" } else { "" };
        return format!("one of {}{more}", shown.join(", "));
    }
    if let Some(value) = schema.get("const") {
        return format!("always {}", plain(value));
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(branches) = schema[key].as_array() {
            let words: Vec<String> = branches.iter().take(6).map(type_words).filter(|words| words != "null").collect();
            return words.join(" or ");
        }
    }
    if let Some(branches) = schema["allOf"].as_array()
        && let Some(branch) =
            branches.iter().find(|branch| branch.get("type").is_some() || branch.get("enum").is_some())
    {
        return type_words(branch);
    }
    match &schema["type"] {
        Value::String(kind) if kind == "array" && schema["items"].is_object() => {
            format!("array of {}", type_words(&schema["items"]))
        }
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            let words: Vec<&str> = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect();
            words.join(" or ")
        }
        _ => "anything".to_owned(),
    }
}

/// A text as it is, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The names of the properties in the order in which the server wrote them.
#[derive(Default, Deserialize)]
struct Properties {
    #[serde(default)]
    properties: Names,
}

#[derive(Default)]
struct Names(Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Names;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Names, A::Error> {
                let mut names = Vec::new();
                while let Some((name, IgnoredAny)) = map.next_entry::<String, IgnoredAny>()? {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
                Ok(Names(names))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_are_named_in_their_own_order_with_their_rules() {
        let schema = Schema::try_from(
            jackfield::protocol::RawJson::from_text(
                r##"{"type":"object","required":["z"],"properties":{
                    "z":{"type":"string","description":"Last letter."},
                    "n":{"type":"integer","minimum":1,"maximum":10,"default":3},
                    "m":{"$ref":"#/$defs/Mode","description":"How."},
                    "l":{"type":"array","items":{"$ref":"#/$defs/Mode"}},
                    "o":{"anyOf":[{"type":"number"},{"type":"null"}]},
                    "t":{"type":["string","null"]},
                    "a":{}},
                    "$defs":{"Mode":{"enum":["fast","slow"]}}}"##,
            )
            .unwrap(),
        )
        .unwrap();
        let shown: Vec<String> = parameters(&schema).iter().map(|p| format!("{}: {}", p.name, p.rules())).collect();
        assert_eq!(
            shown,
            [
                "z: string, required",
                "n: integer, 1 to 10, default 3",
                "m: one of fast, slow",
                "l: array of one of fast, slow",
                "o: number",
                "t: string",
                "a: anything",
            ]
        );
        assert_eq!(parameters(&schema)[2].description(), Some("How."));
    }

    /// T-102: a few references that lead to each other do not become billions of parts.
    #[test]
    fn references_are_followed_to_an_end() {
        let many = vec![json!({"$ref": "#/$defs/x"}); 200];
        let fields: serde_json::Map<_, _> = (0..50).map(|n| (n.to_string(), json!({"$ref": "#/$defs/x"}))).collect();
        let schema = json!({"properties": fields, "$defs": {"x": {"anyOf": many}}});
        let shown = parameters(&Schema::new(&schema).unwrap());
        assert_eq!(shown.len(), 50);
        let total: usize = shown.iter().map(|parameter| parts(&parameter.schema)).sum();
        assert!(total < 2 * MOST_PARTS, "{total}");
    }

    #[test]
    fn odd_schemas_do_no_harm() {
        for schema in [
            json!({"properties": [1, 2]}),
            json!({"properties": {"a": 7, "b": {"$ref": "#/properties/b"}}, "required": "a"}),
            json!({"properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}]}}}),
        ] {
            for parameter in parameters(&Schema::new(&schema).unwrap()) {
                let _ = parameter.rules();
            }
        }
    }
}
