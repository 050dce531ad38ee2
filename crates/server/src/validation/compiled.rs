//! Checking values by compiled schemas.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError};
use serde_json::Value;

use super::structure::Outline;

/// A compiled schema.
#[derive(Debug)]
pub(crate) struct Validator {
    compiled: jsonschema::Validator,
    has_constraints: bool,
    max_depth: usize,
}

/// The most bytes of a compiled regular expression. Schemas are the server's own, so this is more than what peers may send.
const MAX_REGEX_BYTES: usize = 1024 * 1024;
/// The most problems that are told at once.
const MAX_PROBLEMS: usize = 10;

impl Validator {
    pub(crate) fn new(schema: &Value, outline: &Outline) -> Result<Option<Self>, String> {
        let compiled = jsonschema::options()
            .offline()
            .with_pattern_options(PatternOptions::regex().size_limit(MAX_REGEX_BYTES).dfa_size_limit(MAX_REGEX_BYTES))
            .build(schema)
            .map_err(|error| format!("is not valid: {}", line(&error)))?;
        let max_depth = max_depth(outline.recursive_refs);
        Ok(Some(Self { compiled, has_constraints: outline.has_constraints, max_depth }))
    }

    /// Whether the schema has rules that the types it was made from do not enforce.
    pub(crate) fn has_constraints(&self) -> bool {
        self.has_constraints
    }

    /// Checks a value given as JSON text. The error has one line for each problem.
    pub(crate) fn check(&self, json: &[u8]) -> Result<(), String> {
        let value: Value = serde_json::from_slice(json).map_err(|error| format!("not JSON: {error}"))?;
        if depth(&value) > self.max_depth {
            return Err(format!("nested deeper than {} levels", self.max_depth));
        }
        if self.compiled.is_valid(&value) {
            return Ok(());
        }
        let mut lines: Vec<_> =
            self.compiled.iter_errors(&value).take(MAX_PROBLEMS).map(|error| line(&error)).collect();
        lines.dedup();
        Err(lines.join("\n"))
    }
}

/// A definition that refers to itself in several alternatives may have to be tried in all of them at each level; the depth of
/// values is bounded so that this stays below about a million tries.
fn max_depth(recursive_refs: usize) -> usize {
    match recursive_refs {
        0 | 1 => 128,
        branches => {
            let levels = (1_000_000_f64).log(u32::try_from(branches).map_or(f64::MAX, f64::from));
            // The value is between 0 and 20.
            (levels as usize).clamp(8, 20)
        }
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(depth).max().unwrap_or(0).saturating_add(1),
        Value::Object(members) => members.values().map(depth).max().unwrap_or(0).saturating_add(1),
        _ => 0,
    }
}

/// Says in one line which field breaks which rule.
fn line(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let field = path.trim_start_matches('/').replace('/', ".");
    let join = |name: &str| if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
    let text = match error.kind() {
        ValidationErrorKind::Required { property } => {
            return format!("`{}` is missing, but required", join(property.as_str().unwrap_or_default()));
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            let names: Vec<_> = unexpected.iter().map(|name| format!("`{}`", join(name))).collect();
            return format!("unexpected {}", names.join(", "));
        }
        _ => shorten(&error.to_string()),
    };
    if field.is_empty() { text } else { format!("`{field}`: {text}") }
}

fn shorten(text: &str) -> String {
    const MAX: usize = 300;
    if text.chars().count() <= MAX {
        return text.replace('\n', " ");
    }
    text.chars().take(MAX).chain("…".chars()).collect::<String>().replace('\n', " ")
}
