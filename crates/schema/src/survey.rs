//! What a schema looks like: its size, its dialect, its references, and whether types alone enforce it.

use jackfield_protocol::Schema;
use serde_json::{Map, Value};

use crate::constraints::is_constraint;
use crate::graph::{Graph, Named, REFERENCES};

/// The longest source of a schema, in bytes.
pub const MAX_BYTES: usize = 256 * 1024;
const MAX_DEPTH: usize = 64;
const MAX_SUBSCHEMAS: usize = 10_000;
/// The most ways through a schema that a single value may take.
const MAX_PATHS: u64 = 100_000;
/// The longest chain of references.
const MAX_CHAIN: usize = 64;
/// The deepest nesting after every reference has been replaced by its target. Each level is a call within a call where the schema is
/// compiled.
const MAX_EXPANDED_DEPTH: usize = 512;

const DIALECTS: [&str; 5] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
];

/// What is known about a schema before it is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outline {
    /// It has rules that the Rust types it was made from do not enforce.
    pub has_constraints: bool,
    /// It has alternatives: saying why none of them fits takes the problems of all.
    pub has_alternatives: bool,
    /// How many ways through the schema a single value may take, at least 1.
    pub ways: u64,
    /// How many references lead back to the definition that they stand in. Where results are not cached, each level of a value may
    /// multiply the work by it.
    pub recursive_refs: usize,
    /// `ways` and `recursive_refs` cannot be trusted: keywords change what references mean, or what was evaluated is found out anew at each
    /// level. A schema of somebody else should not be used.
    pub is_unclear: bool,
}

/// Checks a schema without compiling it.
///
/// # Errors
/// The schema is not safe to check values with. The text continues "the schema …".
pub fn inspect(schema: &Schema) -> Result<Outline, String> {
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
    let height = graph.height();
    if height.references > MAX_CHAIN || height.levels > MAX_EXPANDED_DEPTH {
        return Err("is nested too deeply when its references are followed".to_owned());
    }
    let recursive_refs = graph.recursive_refs();
    let is_unclear = survey.moves_references || !graph.is_complete() || (survey.has_unevaluated && recursive_refs > 0);
    let Survey { has_constraints, has_alternatives, .. } = survey;
    Ok(Outline { has_constraints, has_alternatives, ways, recursive_refs, is_unclear })
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
pub enum Role {
    /// A schema, or a list of them.
    Schema,
    /// Schemas by names, which are no keywords.
    ByName,
}

#[derive(Default)]
pub(crate) struct Survey<'a> {
    subschemas: usize,
    references: Vec<&'a str>,
    named: Named<'a>,
    pub(crate) has_constraints: bool,
    has_alternatives: bool,
    /// There are ids inside the schema, or references whose target depends on how they were reached.
    moves_references: bool,
    /// There are keywords that depend on what others have evaluated.
    has_unevaluated: bool,
}

impl<'a> Survey<'a> {
    pub(crate) fn visit(&mut self, value: &'a Value, role: Role, depth: usize) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err(format!("is nested deeper than {MAX_DEPTH} levels"));
        }
        let below = depth.saturating_add(1);
        match value {
            Value::Object(members) if role == Role::ByName => {
                members.values().try_for_each(|value| self.visit(value, Role::Schema, below))
            }
            Value::Object(members) => {
                self.object(value, members, depth)?;
                let schemas = members.iter().filter(|(name, _)| !is_data(name));
                schemas
                    .map(|(name, value)| (role_of(name), value))
                    .try_for_each(|(role, value)| self.visit(value, role, below))
            }
            Value::Array(items) => items.iter().try_for_each(|item| self.visit(item, Role::Schema, below)),
            _ => Ok(()),
        }
    }

    fn object(&mut self, value: &'a Value, members: &'a Map<String, Value>, depth: usize) -> Result<(), String> {
        self.subschemas = self.subschemas.saturating_add(1);
        if self.subschemas > MAX_SUBSCHEMAS {
            return Err(format!("has more than {MAX_SUBSCHEMAS} subschemas"));
        }
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        self.references.extend(REFERENCES.iter().filter_map(|name| text(name)));
        for id in ["$id", "id"].into_iter().filter_map(text) {
            self.named.ids.insert(id.trim_end_matches('#'), value);
            self.moves_references |= depth > 0;
        }
        for anchor in ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text) {
            self.named.anchors.insert(anchor, value);
        }
        let has = |names: &[&str]| names.iter().any(|name| members.contains_key(*name));
        self.has_constraints |= members.iter().any(|(name, value)| is_constraint(name, value, members));
        self.has_alternatives |= has(&["anyOf", "oneOf", "propertyNames"]);
        self.moves_references |= has(&["$dynamicRef", "$recursiveRef"]);
        self.has_unevaluated |= has(&["unevaluatedProperties", "unevaluatedItems"]);
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

#[cfg(test)]
mod tests;
