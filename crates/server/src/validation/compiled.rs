//! Checking values by compiled schemas.

use jackfield_schema::Outline;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ValidationError};
use serde_json::Value;

/// A compiled schema.
#[derive(Debug)]
pub(crate) struct Validator {
    compiled: jsonschema::Validator,
    has_constraints: bool,
    max_depth: usize,
    /// How many steps each byte of a value may cost.
    steps_per_byte: u64,
    has_alternatives: bool,
}

/// How much work checking a value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// So little that it is done in place.
    Little,
    /// So much that it would keep others waiting.
    Much,
    /// More than it is worth.
    TooMuch,
}

/// The most steps that are taken in place: a value has fewer parts than bytes, and each part is looked at once on each way through the
/// schema. It bounds work, not time; it is meant to be some milliseconds.
const STEPS_IN_PLACE: u64 = 1_000_000;
/// The most steps at all: some seconds.
const MOST_STEPS: u64 = 1_000_000_000;
/// How many more steps a byte may cost if definitions lead back to themselves in several ways.
const RECURSION_FACTOR: u64 = 1_000;

/// The most bytes of a compiled regular expression. Schemas are the server's own, so this is more than what peers may send.
const MAX_REGEX_BYTES: usize = 1024 * 1024;
/// The most problems that are told at once.
const MAX_PROBLEMS: usize = 10;
/// The most characters of a problem.
const MAX_LINE: usize = 300;
/// The most steps for a value whose problems are gathered. All of them are there before the first can be told, and each is much larger than
/// the part of the value that it is about.
const MOST_STEPS_TOLD: u64 = 10_000;

impl Validator {
    pub(crate) fn new(schema: &Value, outline: &Outline) -> Result<Option<Self>, String> {
        let compiled = jsonschema::options()
            .offline()
            .with_pattern_options(PatternOptions::regex().size_limit(MAX_REGEX_BYTES).dfa_size_limit(MAX_REGEX_BYTES))
            .build(schema)
            .map_err(|error| format!("is not valid: {}", line(&error)))?;
        let max_depth = max_depth(outline.recursive_refs);
        let factor = if outline.recursive_refs > 1 { RECURSION_FACTOR } else { 1 };
        let steps_per_byte = outline.ways.saturating_mul(factor).max(1);
        let &Outline { has_constraints, has_alternatives, .. } = outline;
        Ok(Some(Self { compiled, has_constraints, max_depth, steps_per_byte, has_alternatives }))
    }

    /// Estimates how much work it is at most to check a value of so many bytes.
    pub(crate) fn effort(&self, length: usize) -> Effort {
        match self.steps(length) {
            steps if steps <= STEPS_IN_PLACE => Effort::Little,
            steps if steps <= MOST_STEPS => Effort::Much,
            _ => Effort::TooMuch,
        }
    }

    /// Whether all problems of a value of so many bytes are told; of longer ones the first, if it can be found alone.
    pub(crate) fn tells_all(&self, length: usize) -> bool {
        self.steps(length) <= MOST_STEPS_TOLD
    }

    fn steps(&self, length: usize) -> u64 {
        self.steps_per_byte.saturating_mul(u64::try_from(length).unwrap_or(u64::MAX))
    }

    /// Whether the schema has rules that the types it was made from do not enforce.
    pub(crate) fn has_constraints(&self) -> bool {
        self.has_constraints
    }

    /// Checks a value given as JSON text. The error has one line for each problem.
    pub(crate) fn check(&self, json: &[u8]) -> Result<(), String> {
        if self.effort(json.len()) == Effort::TooMuch {
            return Err(format!(
                "{} bytes are too many to be checked by a schema with so many alternatives",
                json.len()
            ));
        }
        let value: Value = serde_json::from_slice(json).map_err(|error| format!("not JSON: {error}"))?;
        if depth(&value) > self.max_depth {
            return Err(format!("nested deeper than {} levels", self.max_depth));
        }
        if self.compiled.is_valid(&value) {
            return Ok(());
        }
        Err(self.problems(&value, json.len()))
    }

    fn problems(&self, value: &Value, length: usize) -> String {
        let mut lines = Vec::new();
        if self.tells_all(length) {
            lines.extend(self.compiled.iter_errors(value).take(MAX_PROBLEMS).map(|error| line(&error)));
        } else if !self.has_alternatives {
            lines.extend(self.compiled.validate(value).err().map(|error| line(&error)));
        }
        lines.dedup();
        if lines.is_empty() {
            return format!(
                "something in these {length} bytes does not fit the schema; what it is would take long to say"
            );
        }
        lines.join("\n")
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
            let names: Vec<_> = unexpected.iter().take(MAX_PROBLEMS).map(|name| format!("`{}`", join(name))).collect();
            return shorten(&format!("unexpected {}", names.join(", ")));
        }
        _ => error.to_string(),
    };
    // A value that is too long to be shown would hide the rule that it breaks.
    let text = shorten(&if text.len() > MAX_LINE { error.masked().to_string() } else { text });
    if field.is_empty() { text } else { format!("`{field}`: {text}") }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= MAX_LINE {
        return text.replace('\n', " ");
    }
    text.chars().take(MAX_LINE).chain("…".chars()).collect::<String>().replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use jackfield_protocol::Schema;
    use serde_json::json;

    use super::*;
    use crate::validation::compile;

    fn validator(schema: &Value) -> Validator {
        compile(&Schema::new(schema).unwrap()).unwrap().unwrap()
    }

    /// T-102: the work of a check is known before it begins: small values in place, larger ones elsewhere, and none without an end.
    #[test]
    fn effort_is_bounded_before_the_work_begins() {
        let plain = validator(&json!({"type": "object", "properties": {"a": {"type": "string"}}}));
        let ways = plain.steps_per_byte;
        let at = |limit: u64, more: u64| usize::try_from(limit / ways + more).unwrap();
        assert_eq!(plain.effort(at(STEPS_IN_PLACE, 0)), Effort::Little);
        assert_eq!(plain.effort(at(STEPS_IN_PLACE, 1)), Effort::Much);
        assert_eq!(plain.effort(at(MOST_STEPS, 0)), Effort::Much);
        assert_eq!(plain.effort(at(MOST_STEPS, 1)), Effort::TooMuch);

        // The widest schema that is accepted: each element of a value is compared with all alternatives.
        let alternatives: Vec<_> = (0..9_000).map(|n| json!({"const": n})).collect();
        let wide = validator(&json!({"type": "array", "items": {"anyOf": alternatives}}));
        assert_eq!(wide.effort(10), Effort::Little);
        assert_eq!(wide.effort(1_000), Effort::Much);
        assert_eq!(wide.effort(200_000), Effort::TooMuch);
        let values = format!("[{}]", vec!["8999"; 40_000].join(","));
        assert!(wide.check(values.as_bytes()).unwrap_err().contains("too many"));
        assert_eq!(wide.check(b"[0,8999]"), Ok(()));

        // Definitions that lead back to themselves in two ways.
        let tree = json!({"$ref": "#/$defs/t", "$defs": {"t": {"anyOf": [{"type": "null"},
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/t"}, "b": {"$ref": "#/$defs/t"}}}]}}});
        assert_eq!(validator(&tree).effort(1_000), Effort::Much);
    }
    /// T-102: problems are gathered of short values only. Of a long one the first is told, or none where alternatives would gather theirs.
    #[test]
    fn problems_of_long_values_are_not_gathered() {
        let names = json!({"type": "object", "properties": {"names": {"type": "array", "items": {"type": "string"}}}});
        let wrong = |count: usize| format!(r#"{{"names":[{}]}}"#, vec!["1"; count].join(","));
        let problems = |validator: &Validator, count| validator.check(wrong(count).as_bytes()).unwrap_err();
        let plain = validator(&names);
        assert_eq!(problems(&plain, 20).lines().count(), MAX_PROBLEMS);
        let most = usize::try_from(MOST_STEPS_TOLD / plain.steps_per_byte).unwrap();
        assert!(plain.tells_all(most) && !plain.tells_all(most + 1));
        assert_eq!(problems(&plain, 100_000), r#"`names.0`: 1 is not of type "string""#);
        let chosen = validator(&json!({"anyOf": [names, {"required": ["other"]}]}));
        assert_eq!(problems(&chosen, 20).lines().count(), 1);
        assert!(problems(&chosen, 20).contains("anyOf"));
        assert!(problems(&chosen, 10_000).starts_with("something in these"));
        // A rule is told, whatever the length of what breaks it.
        let long = format!(r#"{{"names":[{{"a":"{}"}}]}}"#, "x".repeat(1_000));
        assert_eq!(plain.check(long.as_bytes()).unwrap_err(), r#"`names.0`: value is not of type "string""#);
    }
}
