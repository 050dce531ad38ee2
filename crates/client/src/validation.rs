//! Checking structured output against the tool's output schema, with bounded effort.

use std::sync::OnceLock;

use jackfield_protocol::{RawJson, Schema};
use jsonschema::{PatternOptions, Validator};

use crate::schema_cost::{Cost, cost};
use crate::{BadOutput, Error};

/// The longest source of a schema, in bytes.
const MOST_BYTES: usize = 256 * 1024;
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
        let validator = match self.compiled.get_or_init(|| compile(&self.schema)) {
            Compiled::Usable { validator, .. } => validator,
            Compiled::Refused(why) => return Err(Error::Output(BadOutput::Schema(why.clone()))),
            Compiled::Skipped => return Ok(()),
        };
        let output = output.ok_or(Error::Output(BadOutput::Missing))?;
        if self.steps(output.get().len()) > MOST_STEPS {
            let what = "there is too much output to be checked by so involved a schema".to_owned();
            return Err(Error::Output(BadOutput::Schema(what)));
        }
        validator.validate(&output.to_value()).map_err(|error| {
            let place = error.instance_path().to_string();
            let what: String = error.masked().to_string().chars().take(300).collect();
            Error::Output(BadOutput::Schema(format!("at {place:?}: {what}")))
        })
    }
}

fn compile(schema: &Schema) -> Compiled {
    if schema.get().len() > MOST_BYTES {
        return Compiled::Refused(format!("the schema is longer than {MOST_BYTES} bytes"));
    }
    let schema = schema.to_value();
    let steps_per_byte = match cost(&schema) {
        Cost::Bounded(steps) => steps,
        Cost::Unclear => {
            tracing::warn!("an output schema is too involved to be checked in bounded time; output is not checked");
            return Compiled::Skipped;
        }
        Cost::TooMuch(why) => return Compiled::Refused(why.to_owned()),
    };
    let patterns = PatternOptions::regex().size_limit(MOST_PATTERN_BYTES);
    match jsonschema::options().offline().with_pattern_options(patterns).build(&schema) {
        Ok(validator) => Compiled::Usable { validator: Box::new(validator), steps_per_byte },
        Err(error) => {
            let what: String = error.to_string().chars().take(300).collect();
            Compiled::Refused(format!("the schema is not valid: {what}"))
        }
    }
}
