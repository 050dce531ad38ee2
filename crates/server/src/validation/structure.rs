//! What a schema looks like: its size, its dialect, its references, and whether types alone enforce it.

use jackfield_protocol::Schema;
use serde_json::{Map, Value};

use super::references::{Graph, Named, REFERENCES};

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
    /// It has alternatives: saying why none of them fits takes the problems of all.
    pub(crate) has_alternatives: bool,
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
    survey.visit(&root, Role::Schema, 0)?;
    survey.check_references()?;
    let mut graph = Graph::new(&root, &survey.named, &survey.references);
    let ways =
        graph.ways().ok_or("has a definition that leads back to itself without looking deeper into the value")?;
    if ways > MAX_PATHS {
        return Err("combines so many alternatives that checking a value could take for ever".to_owned());
    }
    let recursive_refs = survey.references.iter().filter(|target| graph.is_recursive(target)).count();
    let Survey { has_constraints, has_alternatives, .. } = survey;
    Ok(Outline { has_constraints, ways, recursive_refs, has_alternatives })
}

/// Whether a schema, or one of several, has rules that the Rust types it was made from do not enforce.
pub(crate) fn has_constraints(value: &Value, role: Role) -> bool {
    let mut survey = Survey::default();
    survey.visit(value, role, 0).is_err() || survey.has_constraints
}

fn check_dialect(root: &Value) -> Result<(), String> {
    let Some(dialect) = root.get("$schema") else { return Ok(()) };
    let known = dialect.as_str().map(|uri| uri.trim_end_matches('#'));
    if known.is_some_and(|uri| DIALECTS.contains(&uri)) {
        return Ok(());
    }
    Err(format!("declares the dialect {dialect}, which is not supported; supported are {}", DIALECTS.join(", ")))
}

/// What a value inside a schema is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A schema, or a list of them.
    Schema,
    /// Schemas by names, which are no keywords.
    ByName,
}

#[derive(Default)]
struct Survey<'a> {
    subschemas: usize,
    references: Vec<&'a str>,
    named: Named<'a>,
    has_constraints: bool,
    has_alternatives: bool,
}

impl<'a> Survey<'a> {
    fn visit(&mut self, value: &'a Value, role: Role, depth: usize) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err(format!("is nested deeper than {MAX_DEPTH} levels"));
        }
        let depth = depth.saturating_add(1);
        match value {
            Value::Object(members) if role == Role::ByName => {
                members.values().try_for_each(|value| self.visit(value, Role::Schema, depth))
            }
            Value::Object(members) => {
                self.object(value, members)?;
                let schemas = members.iter().filter(|(name, _)| !is_data(name));
                schemas
                    .map(|(name, value)| (role_of(name), value))
                    .try_for_each(|(role, value)| self.visit(value, role, depth))
            }
            Value::Array(items) => items.iter().try_for_each(|item| self.visit(item, Role::Schema, depth)),
            _ => Ok(()),
        }
    }

    fn object(&mut self, value: &'a Value, members: &'a Map<String, Value>) -> Result<(), String> {
        self.subschemas = self.subschemas.saturating_add(1);
        if self.subschemas > MAX_SUBSCHEMAS {
            return Err(format!("has more than {MAX_SUBSCHEMAS} subschemas"));
        }
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        self.references.extend(REFERENCES.iter().filter_map(|name| text(name)));
        for id in ["$id", "id"].into_iter().filter_map(text) {
            self.named.ids.insert(id.trim_end_matches('#'), value);
        }
        for anchor in ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text) {
            self.named.anchors.insert(anchor, value);
        }
        self.has_constraints |= members.iter().any(|(name, value)| is_constraint(name, value, members));
        self.has_alternatives |= ["anyOf", "oneOf", "propertyNames"].iter().any(|name| members.contains_key(*name));
        Ok(())
    }

    /// Only references inside the document resolve: to a part of it, or to a part that has an id of its own.
    fn check_references(&self) -> Result<(), String> {
        let inside = |target: &str| {
            let document = target.split('#').next().unwrap_or_default();
            document.is_empty() || self.named.ids.contains_key(document)
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

fn role_of(keyword: &str) -> Role {
    match keyword {
        "properties" | "patternProperties" | "dependentSchemas" | "dependencies" | "$defs" | "definitions" => {
            Role::ByName
        }
        _ => Role::Schema,
    }
}

/// Whether a keyword is a rule that a Rust type does not enforce by itself.
fn is_constraint(name: &str, value: &Value, beside: &Map<String, Value>) -> bool {
    match name {
        // The range of an integer type is part of the type; schemars writes it beside the type's name.
        "minimum" => range(beside).is_none_or(|(least, _)| integer(value).is_none_or(|bound| bound > least)),
        "maximum" => range(beside).is_none_or(|(_, most)| integer(value).is_none_or(|bound| bound < most)),
        "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength" | "maxLength" | "pattern" | "minItems"
        | "maxItems" | "contains" | "minProperties" | "maxProperties" | "propertyNames" | "patternProperties"
        | "not" | "if" | "dependencies" | "dependentRequired" | "dependentSchemas" => true,
        "uniqueItems" => value == &Value::Bool(true),
        "unevaluatedProperties" | "unevaluatedItems" => value != &Value::Bool(true),
        "additionalProperties" => value == &Value::Bool(false),
        _ => false,
    }
}

/// Returns the range of the integer type that a schema names, such as `uint8`.
fn range(schema: &Map<String, Value>) -> Option<(i128, i128)> {
    let format = schema.get("format")?.as_str()?;
    let (is_signed, bits) = match format.strip_prefix("uint") {
        Some(bits) => (false, bits),
        None => (true, format.strip_prefix("int")?),
    };
    let bits: u32 = if bits.is_empty() { 64 } else { bits.parse().ok()? };
    let most = |bits: u32| 1_i128.checked_shl(bits).map_or(i128::MAX, |power| power.wrapping_sub(1));
    match (is_signed, bits) {
        (_, 0) | (_, 129..) => None,
        (true, bits) => {
            let most = most(bits.saturating_sub(1));
            Some((-most - 1, most))
        }
        (false, bits) => Some((0, most(bits))),
    }
}

/// Returns a bound, if it is a whole number.
fn integer(value: &Value) -> Option<i128> {
    value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))
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

    /// T-102: definitions that are referred to more than once are looked at once: forty of them, each with two references to the next.
    #[test]
    fn the_time_of_a_look_does_not_double_with_each_definition() {
        let defs = |keyword: &str| {
            let mut defs = Map::new();
            for level in 0..40 {
                let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
                let schema = match keyword {
                    "properties" => json!({"properties": {"a": next, "b": next}}),
                    keyword => json!({ keyword: [next, next] }),
                };
                defs.insert(format!("l{level}"), schema);
            }
            defs.insert("l40".into(), json!({"type": "string"}));
            defs
        };
        let known = outline(json!({"$ref": "#/$defs/l0", "$defs": defs("properties")})).unwrap();
        assert_eq!((known.ways, known.recursive_refs), (82, 0));
        assert!(outline(json!({"$ref": "#/$defs/l0", "$defs": defs("anyOf")})).unwrap_err().contains("alternatives"));
        // Circles do not hide what stands in them: each leads to the next in two ways, and by a property back to the one before.
        let mut circular = defs("anyOf");
        for level in 1..40 {
            circular[&format!("l{level}")]["properties"] = json!({"x": {"$ref": format!("#/$defs/l{}", level - 1)}});
        }
        let schema =
            json!({"properties": {"a": {"$ref": "#/$defs/l39"}, "b": {"$ref": "#/$defs/l0"}}, "$defs": circular});
        assert!(outline(schema).unwrap_err().contains("alternatives"));
        // A long chain needs no deep stack.
        let mut chain: Map<_, _> = (0..4_000)
            .map(|at| (format!("l{at}"), json!({"items": {"$ref": format!("#/$defs/l{}", at + 1)}})))
            .collect();
        chain.insert("l4000".into(), json!({"$ref": "#/$defs/l0"}));
        assert_eq!(outline(json!({"$ref": "#/$defs/l0", "$defs": chain})).unwrap().recursive_refs, 4_002);
    }

    /// What references name by an id, an anchor or with encoded characters is found too.
    #[test]
    fn alternatives_behind_other_names_count() {
        for (name, target) in [("$anchor", "#l{}"), ("$id", "l{}"), ("x", "#/%24defs/l{}")] {
            let mut defs = Map::new();
            for level in 0..20 {
                let next = json!({"$ref": target.replace("{}", &(level + 1).to_string())});
                defs.insert(format!("l{level}"), json!({name: format!("l{level}"), "anyOf": [next, next]}));
            }
            defs.insert("l20".into(), json!({name: "l20"}));
            let schema = json!({"$ref": target.replace("{}", "0"), "$defs": defs});
            assert!(outline(schema).unwrap_err().contains("alternatives"), "{target}");
        }
    }

    #[test]
    fn a_definition_that_is_nothing_but_itself_is_refused() {
        let schema = json!({"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}});
        assert!(outline(schema).unwrap_err().contains("leads back to itself"));
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
        let integer = |format: &str, least: i64, most: u64| {
            has(json!({"type": "integer", "format": format, "minimum": least, "maximum": most}))
        };
        assert!(!integer("uint8", 0, 255) && integer("uint8", 0, 254) && integer("uint8", 1, 255));
        assert!(!integer("int8", -128, 127) && integer("int8", -127, 127) && integer("int8", 0, 255));
        assert!(!integer("uint64", 0, u64::MAX) && integer("uint64", 0, u64::MAX - 1));
        assert!(!integer("int64", i64::MIN, u64::MAX) && !integer("int", i64::MIN, u64::MAX));
        assert!(integer("int32", 0, 10) && integer("integer", 0, 10) && integer("int0", 0, 10));
        assert!(!has(json!({"type": ["integer", "null"], "format": "uint32", "minimum": 0})));
        assert!(has(json!({"type": "integer", "format": "uint32", "minimum": 0.5})));
        assert!(has(json!({"type": "integer", "minimum": 1})));
        assert!(has(json!({"type": "string", "maxLength": 3})));
        assert!(!has(json!({"type": "string", "description": "pattern"})));
        // Rules whose value is an object are rules too, and properties that are called like rules are none.
        for (rule, value) in [
            ("dependentRequired", json!({"a": ["b"]})),
            ("dependentSchemas", json!({"a": {"required": ["b"]}})),
            ("unevaluatedProperties", json!({"type": "string"})),
            ("unevaluatedProperties", json!(false)),
        ] {
            assert!(has(json!({ rule: value })), "{rule}");
            assert!(!has(json!({"properties": {rule: {"type": "string"}, "minimum": {"type": "string"}}})), "{rule}");
        }
    }
}
