//! What a schema looks like: its size, its dialect, its references, and whether types alone enforce it.

use std::collections::{BTreeMap, BTreeSet};

use jackfield_protocol::Schema;
use serde_json::{Map, Value};

const MAX_BYTES: usize = 256 * 1024;
const MAX_DEPTH: usize = 64;
const MAX_SUBSCHEMAS: usize = 10_000;
/// How many ways through a schema a single value may take.
const MAX_PATHS: u64 = 100_000;

const DIALECTS: [&str; 5] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
];

/// What is known about a schema before it is compiled.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// It has rules that the Rust types it was made from do not enforce.
    pub(crate) has_constraints: bool,
    /// How many ways through the schema a single value may take.
    pub(crate) ways: u64,
    /// How often definitions refer to themselves, if they do.
    pub(crate) recursive_refs: usize,
}

/// Checks a schema without compiling it.
pub(crate) fn check(schema: &Schema) -> Result<Outline, String> {
    if schema.get().len() > MAX_BYTES {
        return Err(format!("is longer than {MAX_BYTES} bytes"));
    }
    let root = match schema.to_value() {
        Value::Null => return Err(format!("is nested deeper than {MAX_DEPTH} levels")),
        root => root,
    };
    check_dialect(&root)?;
    let mut survey = Survey::default();
    survey.visit(&root, 0)?;
    survey.check_references()?;
    let paths = Paths { root: &root }.count(&root, &mut Vec::new());
    if paths > MAX_PATHS {
        return Err("combines so many alternatives that checking a value could take for ever".to_owned());
    }
    let recursive_refs = survey.references.iter().filter(|target| is_recursive(&root, target)).count();
    Ok(Outline { has_constraints: survey.has_constraints, ways: paths, recursive_refs })
}

fn check_dialect(root: &Value) -> Result<(), String> {
    let Some(dialect) = root.get("$schema") else { return Ok(()) };
    let known = dialect.as_str().map(|uri| uri.trim_end_matches('#'));
    if known.is_some_and(|uri| DIALECTS.contains(&uri)) {
        return Ok(());
    }
    Err(format!("declares the dialect {dialect}, which is not supported; supported are {}", DIALECTS.join(", ")))
}

#[derive(Default)]
struct Survey {
    subschemas: usize,
    references: Vec<String>,
    ids: BTreeSet<String>,
    has_constraints: bool,
}

impl Survey {
    fn visit(&mut self, value: &Value, depth: usize) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err(format!("is nested deeper than {MAX_DEPTH} levels"));
        }
        let depth = depth.saturating_add(1);
        match value {
            Value::Object(members) => {
                self.object(members)?;
                members.iter().filter(|(name, _)| !is_data(name)).try_for_each(|(_, value)| self.visit(value, depth))
            }
            Value::Array(items) => items.iter().try_for_each(|item| self.visit(item, depth)),
            _ => Ok(()),
        }
    }

    fn object(&mut self, members: &Map<String, Value>) -> Result<(), String> {
        self.subschemas = self.subschemas.saturating_add(1);
        if self.subschemas > MAX_SUBSCHEMAS {
            return Err(format!("has more than {MAX_SUBSCHEMAS} subschemas"));
        }
        for name in ["$ref", "$dynamicRef", "$recursiveRef"] {
            self.references.extend(members.get(name).and_then(Value::as_str).map(str::to_owned));
        }
        for name in ["$id", "id"] {
            self.ids.extend(members.get(name).and_then(Value::as_str).map(|id| id.trim_end_matches('#').to_owned()));
        }
        self.has_constraints |= members.iter().any(|(name, value)| is_constraint(name, value, members));
        Ok(())
    }

    /// Only references inside the document resolve: to a part of it, or to a part that has an id of its own.
    fn check_references(&self) -> Result<(), String> {
        let inside = |target: &str| {
            let document = target.split('#').next().unwrap_or_default();
            document.is_empty() || self.ids.contains(document)
        };
        match self.references.iter().find(|target| !inside(target)) {
            Some(target) => Err(format!("refers to {target:?} outside of itself; references are never fetched")),
            None => Ok(()),
        }
    }
}

/// Members whose value is data, not schemas.
fn is_data(name: &str) -> bool {
    matches!(name, "default" | "examples" | "enum" | "const")
}

/// Whether a keyword is a rule that a Rust type does not enforce by itself.
fn is_constraint(name: &str, value: &Value, beside: &Map<String, Value>) -> bool {
    // The range of an integer type is part of the type; schemars writes it beside the type's name.
    let is_integer_type = || {
        let format = beside.get("format").and_then(Value::as_str).unwrap_or_default();
        format.starts_with("int") || format.starts_with("uint")
    };
    match name {
        "minimum" => !(is_integer_type() && value.as_f64() == Some(0.0)),
        "maximum" => !is_integer_type(),
        "exclusiveMinimum"
        | "exclusiveMaximum"
        | "multipleOf"
        | "minLength"
        | "maxLength"
        | "pattern"
        | "minItems"
        | "maxItems"
        | "uniqueItems"
        | "contains"
        | "minProperties"
        | "maxProperties"
        | "propertyNames"
        | "patternProperties"
        | "not"
        | "if"
        | "dependentRequired"
        | "dependentSchemas"
        | "unevaluatedProperties" => {
            // A property may have the name of a keyword; then its value is a schema, and so is that of `not` and `if`.
            !value.is_object() || matches!(name, "contains" | "propertyNames" | "patternProperties" | "not" | "if")
        }
        "additionalProperties" => value == &Value::Bool(false),
        _ => false,
    }
}

/// Counts the ways that a value may take through alternatives, following references.
struct Paths<'a> {
    root: &'a Value,
}

impl<'a> Paths<'a> {
    fn count(&self, value: &'a Value, under_way: &mut Vec<&'a str>) -> u64 {
        let Value::Object(members) = value else { return 1 };
        let mut total: u64 = 1;
        for (name, value) in members {
            let ways = match (name.as_str(), value) {
                ("$ref", Value::String(target)) => self.follow(target, under_way),
                ("anyOf" | "oneOf" | "allOf", Value::Array(branches)) => {
                    branches.iter().fold(0, |sum: u64, branch| sum.saturating_add(self.count(branch, under_way)))
                }
                ("properties" | "patternProperties", Value::Object(fields)) => {
                    fields.values().map(|field| self.count(field, under_way)).max().unwrap_or(1)
                }
                ("not" | "if" | "then" | "else" | "items" | "additionalProperties" | "contains", value) => {
                    self.count(value, under_way)
                }
                _ => continue,
            };
            total = total.saturating_add(ways);
            if total > MAX_PATHS {
                return total;
            }
        }
        total
    }

    fn follow(&self, target: &'a str, under_way: &mut Vec<&'a str>) -> u64 {
        if under_way.contains(&target) || under_way.len() > MAX_DEPTH {
            return 1;
        }
        let Some(found) = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) else { return 1 };
        under_way.push(target);
        let ways = self.count(found, under_way);
        under_way.pop();
        ways
    }
}

/// Whether a definition leads back to itself.
fn is_recursive(root: &Value, target: &str) -> bool {
    let mut graph = BTreeMap::new();
    let mut waiting = vec![target.to_owned()];
    while let Some(at) = waiting.pop() {
        if graph.contains_key(&at) {
            continue;
        }
        let mut survey = Survey::default();
        if let Some(found) = at.strip_prefix('#').and_then(|pointer| root.pointer(pointer)) {
            // The limits have been checked for the whole.
            let _ = survey.visit(found, 0);
        }
        if survey.references.iter().any(|next| next == target) {
            return true;
        }
        waiting.extend(survey.references.iter().cloned());
        graph.insert(at, ());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn outline(schema: Value) -> Result<Outline, String> {
        check(&Schema::new(&schema).unwrap())
    }

    /// BASE-045, BASE-048, T-100: only references inside the document resolve; others make the schema invalid.
    #[test]
    fn references_to_the_outside_are_refused() {
        for target in [
            "https://example.com/s.json",
            "http://example.com/s.json#/a",
            "file:///etc/passwd",
            "data:application/json,{}",
            "other.json",
            "../x",
            "//host/x",
            "urn:uuid:1",
        ] {
            for keyword in ["$ref", "$dynamicRef"] {
                let problem = outline(json!({"type": "object", "properties": {"a": {keyword: target}}})).unwrap_err();
                assert!(problem.contains(target), "{problem}");
            }
        }
        assert!(outline(json!({"$ref": "#/$defs/a", "$defs": {"a": {}}})).is_ok());
        assert!(
            outline(json!({"$ref": "https://x.example/a", "$defs": {"a": {"$id": "https://x.example/a"}}})).is_ok()
        );
        // A default that looks like a reference is data.
        assert!(outline(json!({"default": {"$ref": "https://example.com"}})).is_ok());
    }

    /// BASE-043: an unsupported dialect is an error that says so.
    #[test]
    fn an_unknown_dialect_is_named() {
        let problem = outline(json!({"$schema": "https://example.com/dialect"})).unwrap_err();
        assert!(problem.contains("https://example.com/dialect") && problem.contains("2020-12"), "{problem}");
        for dialect in DIALECTS {
            assert!(outline(json!({"$schema": dialect})).is_ok());
        }
    }

    /// BASE-049, T-102: depth, number, length and alternatives are bounded.
    #[test]
    fn schemas_are_bounded() {
        let deep = |levels| (0..levels).fold(json!({}), |inner, _| json!({"items": inner}));
        assert!(outline(deep(MAX_DEPTH)).is_ok());
        assert!(outline(deep(MAX_DEPTH + 1)).unwrap_err().contains("nested"));
        let wide = |count| json!({"anyOf": vec![json!({}); count]});
        assert!(outline(wide(MAX_SUBSCHEMAS - 1)).is_ok());
        assert!(outline(wide(MAX_SUBSCHEMAS)).unwrap_err().contains("subschemas"));
        let mut defs = Map::new();
        for level in 0..20 {
            let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
            defs.insert(format!("l{level}"), json!({"anyOf": [next, next]}));
        }
        defs.insert("l20".into(), json!({"type": "string"}));
        assert!(outline(json!({"$ref": "#/$defs/l0", "$defs": defs})).unwrap_err().contains("alternatives"));
    }

    #[test]
    fn a_definition_that_leads_back_to_itself_is_recursive() {
        let tree = json!({"$ref": "#/$defs/t", "$defs": {"t": {"properties": {"l": {"$ref": "#/$defs/t"}}}}});
        assert_eq!(outline(tree).unwrap().recursive_refs, 2);
        assert_eq!(outline(json!({"$ref": "#/$defs/t", "$defs": {"t": {}}})).unwrap().recursive_refs, 0);
    }

    #[test]
    fn the_range_of_an_integer_type_is_no_constraint() {
        let has =
            |field: Value| outline(json!({"type": "object", "properties": {"n": field}})).unwrap().has_constraints;
        assert!(!has(json!({"type": "integer", "format": "uint8", "minimum": 0, "maximum": 255})));
        assert!(has(json!({"type": "integer", "minimum": 1})));
        assert!(has(json!({"type": "string", "maxLength": 3})));
        assert!(!has(json!({"type": "string", "description": "pattern"})));
    }
}
