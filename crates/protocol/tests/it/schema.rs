//! The official JSON Schemas as judges.

use std::collections::HashMap;

use jackfield_protocol::Revision;
use serde_json::{Value, json};

/// The schema of one revision.
pub(crate) struct Official {
    root: Value,
    definitions: &'static str,
    validators: HashMap<String, jsonschema::Validator>,
}

/// The folder of the official schemas and examples, or a note that the test is skipped.
pub(crate) fn folder() -> Option<std::path::PathBuf> {
    let folder = std::env::var_os("MCP_SCHEMA_DIR").map(Into::into);
    if folder.is_none() {
        eprintln!("skipped: MCP_SCHEMA_DIR is not set");
    }
    folder
}

impl Official {
    pub(crate) fn load(revision: Revision) -> Option<Self> {
        let path = folder()?.join(format!("{revision}.json"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let root: Value = serde_json::from_str(&text).unwrap();
        let definitions = if root.get("$defs").is_some() { "$defs" } else { "definitions" };
        Some(Self { root, definitions, validators: HashMap::new() })
    }

    pub(crate) fn defines(&self, name: &str) -> bool {
        self.root[self.definitions].get(name).is_some()
    }

    /// Returns what is wrong with `value` as a `name`: broken rules, and members that the revision does not define.
    pub(crate) fn judge(&mut self, name: &str, value: &Value) -> Vec<String> {
        let definitions = self.definitions;
        assert!(self.defines(name), "no definition of {name}");
        let validator = self.validators.entry(name.to_owned()).or_insert_with(|| {
            let schema = json!({
                "$schema": self.root["$schema"], "$ref": format!("#/{definitions}/{name}"),
                definitions: self.root[definitions],
            });
            jsonschema::options().should_validate_formats(true).build(&schema).unwrap()
        });
        let mut faults: Vec<String> =
            validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        faults.extend(self.unknown(&self.root[definitions][name], value, ""));
        faults
    }

    /// Returns the paths of members that no schema on their way lists.
    fn unknown(&self, schema: &Value, value: &Value, path: &str) -> Vec<String> {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let name = reference.rsplit('/').next().unwrap();
            return self.unknown(&self.root[self.definitions][name], value, path);
        }
        if let Some(alternatives) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
            let choices = alternatives.as_array().unwrap().iter().filter(|choice| self.may_be(choice, value));
            return choices.map(|choice| self.unknown(choice, value, path)).min_by_key(Vec::len).unwrap_or_default();
        }
        match value {
            Value::Array(items) => {
                let Some(schema) = schema.get("items") else { return Vec::new() };
                items
                    .iter()
                    .enumerate()
                    .flat_map(|(i, item)| self.unknown(schema, item, &format!("{path}/{i}")))
                    .collect()
            }
            Value::Object(members) => {
                let Some(properties) = self.properties(schema) else { return Vec::new() };
                let further = schema.get("additionalProperties");
                let mut found = Vec::new();
                for (name, member) in members {
                    let path = format!("{path}/{name}");
                    match properties.get(name.as_str()) {
                        // What a user's schema and `_meta` say is free.
                        _ if matches!(name.as_str(), "_meta" | "inputSchema" | "outputSchema" | "jsonrpc" | "id") => {}
                        Some(schema) => found.extend(self.unknown(schema, member, &path)),
                        None => match further {
                            Some(schema) => found.extend(self.unknown(schema, member, &path)),
                            None => found.push(format!("{path}: not defined in this revision")),
                        },
                    }
                }
                found
            }
            _ => Vec::new(),
        }
    }

    /// The members that a schema lists; of all its parts if it is a combination.
    fn properties<'a>(&'a self, schema: &'a Value) -> Option<HashMap<&'a str, &'a Value>> {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            return self.properties(&self.root[self.definitions][reference.rsplit('/').next().unwrap()]);
        }
        if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
            return Some(parts.iter().filter_map(|part| self.properties(part)).flatten().collect());
        }
        schema
            .get("properties")
            .and_then(Value::as_object)
            .map(|map| map.iter().map(|(k, v)| (k.as_str(), v)).collect())
    }

    /// Whether the constants of a schema, such as `type`, fit the value.
    fn may_be(&self, schema: &Value, value: &Value) -> bool {
        let kind = |name: &str| schema.get("type").is_none_or(|kind| kind == name || kind.is_array());
        match value {
            Value::Array(_) => kind("array"),
            Value::Object(members) => {
                (kind("object"))
                    && self.properties(schema).is_none_or(|properties| {
                        properties.iter().all(|(name, schema)| match (schema.get("const"), members.get(*name)) {
                            (Some(constant), Some(member)) => constant == member,
                            _ => true,
                        })
                    })
            }
            _ => true,
        }
    }
}
