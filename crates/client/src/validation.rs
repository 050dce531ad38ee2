//! Checking structured output against the tool's output schema, with bounded effort.

use std::sync::OnceLock;

use jackfield_protocol::{RawJson, Schema};
use jsonschema::{PatternOptions, Validator};

use crate::schema_cost::{Cost, cost};
use crate::{BadOutput, Error};

/// The longest source of a schema, in bytes.
const MOST_BYTES: usize = 256 * 1024;
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
    Usable(Box<Validator>),
    /// It is not a valid schema, or above a limit.
    Refused(String),
    /// It may take too long for some output; nothing is checked.
    Skipped,
}

impl OutputCheck {
    pub(crate) fn new(schema: &Schema) -> Self {
        Self { schema: schema.clone(), compiled: OnceLock::new() }
    }

    /// Checks a tool's structured output.
    pub(crate) fn check(&self, output: Option<&RawJson>) -> Result<(), Error> {
        let validator = match self.compiled.get_or_init(|| compile(&self.schema)) {
            Compiled::Usable(validator) => validator,
            Compiled::Refused(why) => return Err(Error::Output(BadOutput::Schema(why.clone()))),
            Compiled::Skipped => return Ok(()),
        };
        let output = output.ok_or(Error::Output(BadOutput::Missing))?;
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
    match cost(&schema) {
        Cost::Bounded => {}
        Cost::Unclear => {
            tracing::warn!("an output schema is too involved to be checked in bounded time; output is not checked");
            return Compiled::Skipped;
        }
        Cost::TooMuch(why) => return Compiled::Refused(why.to_owned()),
    }
    let patterns = PatternOptions::regex().size_limit(MOST_PATTERN_BYTES);
    match jsonschema::options().offline().with_pattern_options(patterns).build(&schema) {
        Ok(validator) => Compiled::Usable(Box::new(validator)),
        Err(error) => {
            let what: String = error.to_string().chars().take(300).collect();
            Compiled::Refused(format!("the schema is not valid: {what}"))
        }
    }
}
