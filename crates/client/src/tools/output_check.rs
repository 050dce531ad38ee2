//! Checking structured output against the tool's output schema, with bounded effort.

use std::sync::OnceLock;

use jackfield_protocol::{RawJson, Schema};
use jackfield_schema::Outline;
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::error::Cause;
use crate::{BadOutput, Error};

/// The most steps that are taken in place: less than ten milliseconds, because a value has fewer parts than bytes.
const STEPS_IN_PLACE: u64 = 1_000_000;
/// The most steps at all: some seconds.
const MOST_STEPS: u64 = 1_000_000_000;
/// The largest compiled regular expression, in bytes.
const MOST_PATTERN_BYTES: usize = 64 * 1024;

/// The check of one tool's output. The schema is compiled when it is first needed.
///
/// Dialects: 2020-12, which is the default, and the older drafts that `$schema` may name. References lead only to other parts of
/// the same schema. A schema that could take very long is not used, and a warning says so.
#[derive(Debug)]
pub(crate) struct OutputCheck {
    schema: Schema,
    compiled: OnceLock<Compiled>,
}

#[derive(Debug)]
enum Compiled {
    Usable {
        validator: Box<Validator>,
        /// How many steps each byte of output may cost.
        steps_per_byte: u64,
        /// By how much each level of output may multiply the steps of finding out what is wrong with it.
        ways_back: u64,
    },
    /// It is not a valid schema, or above a limit.
    Refused(String),
    /// It may take too long for some output; nothing is checked.
    Skipped,
}

impl OutputCheck {
    pub(crate) fn new(schema: &Schema) -> Self {
        Self { schema: schema.clone(), compiled: OnceLock::new() }
    }

    /// Whether checking output of so many bytes would keep others waiting.
    pub(crate) fn is_much(&self, length: usize) -> bool {
        self.steps(length) > STEPS_IN_PLACE
    }

    /// Estimates how many steps checking output of so many bytes takes at most.
    fn steps(&self, length: usize) -> u64 {
        match self.compiled.get_or_init(|| compile(&self.schema)) {
            Compiled::Usable { steps_per_byte, .. } => {
                steps_per_byte.saturating_mul(u64::try_from(length).unwrap_or(u64::MAX))
            }
            Compiled::Refused(_) | Compiled::Skipped => 0,
        }
    }

    /// Checks a tool's structured output.
    pub(crate) fn check(&self, output: Option<&RawJson>) -> Result<(), Error> {
        let (validator, ways_back) = match self.compiled.get_or_init(|| compile(&self.schema)) {
            Compiled::Usable { validator, ways_back, .. } => (validator, *ways_back),
            Compiled::Refused(why) => return Err(Cause::Output(BadOutput::Schema(why.clone())).into()),
            Compiled::Skipped => return Ok(()),
        };
        let output = output.ok_or(Cause::Output(BadOutput::Missing))?;
        let steps = self.steps(output.get().len());
        if steps > MOST_STEPS {
            let what = "there is too much output to be checked by so involved a schema".to_owned();
            return Err(Cause::Output(BadOutput::Schema(what)).into());
        }
        let value = output.to_value();
        // This remembers what it has found out about each part, so that no schema makes it look at a part again and again.
        if validator.is_valid(&value) {
            return Ok(());
        }
        // Finding the words does not.
        let effort = steps.saturating_mul(ways_back.saturating_pow(depth(&value)));
        let found = if effort <= STEPS_IN_PLACE.max(steps) { validator.validate(&value).err() } else { None };
        let words = found.map(|error| {
            let what: String = error.masked().to_string().chars().take(300).collect();
            format!("at {:?}: {what}", error.instance_path().to_string())
        });
        let words = words.unwrap_or_else(|| "it would take too long to find out where".to_owned());
        Err(Cause::Output(BadOutput::Schema(words)).into())
    }
}

fn depth(value: &Value) -> u32 {
    let deepest = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(members) => members.values().map(depth).max(),
        _ => return 0,
    };
    deepest.unwrap_or(0).saturating_add(1)
}

fn compile(schema: &Schema) -> Compiled {
    let Outline { ways, recursive_refs, .. } = match jackfield_schema::inspect(schema) {
        Ok(Outline { is_unclear: true, .. }) => {
            tracing::warn!("an output schema is too involved to be checked in bounded time; output is not checked");
            return Compiled::Skipped;
        }
        Ok(outline) => outline,
        Err(why) => return Compiled::Refused(format!("the schema {why}")),
    };
    let ways_back = u64::try_from(recursive_refs).unwrap_or(u64::MAX).max(1);
    let patterns = PatternOptions::regex().size_limit(MOST_PATTERN_BYTES);
    match jsonschema::options().offline().with_pattern_options(patterns).build(&schema.to_value()) {
        Ok(validator) => Compiled::Usable { validator: Box::new(validator), steps_per_byte: ways, ways_back },
        Err(error) => {
            let what: String = error.to_string().chars().take(300).collect();
            Compiled::Refused(format!("the schema is not valid: {what}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// T-102: the deepest schema that is allowed can be compiled and used on the stack of any thread.
    #[test]
    fn the_deepest_schema_needs_no_more_stack_than_there_is() {
        let nested = |depth: usize, inner: Value| (0..depth).fold(inner, |inner, _| json!({"not": inner}));
        let mut defs: serde_json::Map<String, Value> =
            (0..63).map(|n| (format!("d{n}"), nested(6, json!({"$ref": format!("#/$defs/d{}", n + 1)})))).collect();
        defs.insert("d63".to_owned(), json!({"type": "object"}));
        let schema = Schema::new(&json!({"$ref": "#/$defs/d0", "$defs": defs})).unwrap();
        let small = std::thread::Builder::new().stack_size(2 * 1024 * 1024);
        let checked = small.spawn(move || OutputCheck::new(&schema).check(Some(&RawJson::new(&json!({})).unwrap())));
        checked.unwrap().join().unwrap().unwrap();
    }

    /// T-102: a schema by which each level of a value is looked at twice takes no longer for a deep value than for its bytes, whether
    /// the value fits or not. Without an end to that, these would take years.
    #[test]
    fn a_schema_that_doubles_the_effort_with_each_level_does_no_harm() {
        let back = || json!({"$ref": "#"});
        for mut schema in [
            json!({"properties": {"x": back()}, "patternProperties": {"x": back()}}),
            json!({"properties": {"x": back()}, "allOf": [{"properties": {"x": back()}}]}),
            json!({"properties": {"x": {"anyOf": [back(), back()]}}}),
            json!({"properties": {"x": {"allOf": [back(), back()]}}}),
            json!({"additionalProperties": back(), "propertyNames": true, "allOf": [{"additionalProperties": back()}]}),
        ] {
            schema["properties"]["end"] = json!({"type": "null"});
            let check = OutputCheck::new(&Schema::new(&schema).unwrap());
            let nested =
                |end| RawJson::new(&(0..60).fold(json!({"end": end}), |inner, _| json!({"x": inner}))).unwrap();
            assert!(!check.is_much(nested(json!(null)).get().len()));
            check.check(Some(&nested(json!(null)))).unwrap();
            let error = check.check(Some(&nested(json!(7)))).unwrap_err();
            assert!(
                matches!(error.cause(), Cause::Output(BadOutput::Schema(words)) if words.contains("too long")),
                "{error:?}"
            );
            let shallow = RawJson::new(&json!({"x": {"end": 7}})).unwrap();
            let error = check.check(Some(&shallow)).unwrap_err();
            assert!(
                matches!(error.cause(), Cause::Output(BadOutput::Schema(words)) if words.starts_with("at \"/x")),
                "{error:?}"
            );
        }
    }
}
