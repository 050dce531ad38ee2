//! What a schema of ours says about a value, as far as our schemas say anything.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A JSON Schema, with members in the order in which they are written: problems are reported in that order.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Shape {
    #[serde(rename = "type")]
    types: Types,
    any_of: Vec<Self>,
    #[serde(rename = "$ref")]
    reference: Option<String>,
    #[serde(rename = "$defs")]
    definitions: Members,
    #[serde(rename = "enum")]
    pub(crate) choices: Option<Vec<Value>>,
    pub(crate) minimum: Option<f64>,
    pub(crate) maximum: Option<f64>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) items: Option<Box<Self>>,
    pub(crate) properties: Members,
    pub(crate) required: Vec<String>,
}

/// Named schemas in the order in which they are written.
#[derive(Debug, Default)]
pub(crate) struct Members(pub(crate) Vec<(String, Shape)>);

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Types {
    One(String),
    Several(Vec<String>),
}

impl Default for Types {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl Shape {
    /// Reads a schema; one that cannot be read demands nothing.
    pub(crate) fn of(schema: &str) -> Self {
        serde_json::from_str(schema).unwrap_or_default()
    }

    /// Returns the types that a value may have; any if there are none.
    pub(crate) fn types(&self) -> Vec<&str> {
        match &self.types {
            Types::One(name) => vec![name],
            Types::Several(names) if !names.is_empty() => names.iter().map(String::as_str).collect(),
            Types::Several(_) => self.any_of.iter().flat_map(Self::types).collect(),
        }
    }

    /// Follows a reference within this schema, which is the root. Ours do not go in circles without a value in between.
    pub(crate) fn resolve<'a>(&'a self, shape: &'a Self) -> &'a Self {
        let name = shape.reference.as_deref().and_then(|path| path.strip_prefix("#/$defs/"));
        name.and_then(|name| self.definitions.get(name)).unwrap_or(shape)
    }

    pub(crate) fn is_required(&self, name: &str) -> bool {
        self.required.iter().any(|required| required == name)
    }
}

impl Members {
    pub(crate) fn get(&self, name: &str) -> Option<&Shape> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, shape)| shape)
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrder)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of schemas")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

/// Whether a value is of a type of JSON Schema; integers are told from other numbers elsewhere.
pub(crate) fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "integer" | "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => value.is_null(),
    }
}

/// Joins the path of a value and a name within it, with a dot.
pub(crate) fn joined(path: &str, name: impl fmt::Display) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}
