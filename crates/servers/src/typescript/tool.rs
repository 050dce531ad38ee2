//! Tools of the family.

use std::sync::Arc;

use jackfield::protocol::{Outcome, Schema, TaskSupport, ToolExecution};
#[cfg(any(feature = "everything", feature = "filesystem", feature = "memory"))]
use jackfield::server::{ToolEntry, Validation};
use serde_json::Value;

use super::answers::failure;
#[cfg(any(feature = "everything", feature = "filesystem", feature = "memory"))]
use super::check::problems;
#[cfg(any(feature = "everything", feature = "filesystem", feature = "memory"))]
use crate::shape::Shape;

/// Gives a tool the family's listing and its texts about bad arguments.
#[cfg(any(feature = "everything", feature = "filesystem", feature = "memory"))]
pub(crate) fn tool(mut entry: ToolEntry) -> ToolEntry {
    without_null(&mut entry.definition.input_schema);
    let shape = Shape::of(entry.definition.input_schema.get());
    tool_checked_by(entry, move |arguments| problems(&shape, arguments))
}

/// The same for a tool whose arguments are checked by a function that returns one line for each problem.
pub(crate) fn tool_checked_by(
    mut entry: ToolEntry,
    check: impl Fn(&Value) -> Vec<String> + Send + Sync + 'static,
) -> ToolEntry {
    let mut execution = ToolExecution::default();
    execution.task_support = Some(TaskSupport::Forbidden);
    entry.definition.execution.get_or_insert(execution);
    name_dialect(&mut entry.definition.input_schema);
    if let Some(schema) = &mut entry.definition.output_schema {
        name_dialect(schema);
    }
    // This check comes first, and covers what the schema says.
    entry.validation = Validation::Off;
    entry.known_input = true;
    let (name, check): (Arc<str>, _) = (entry.definition.name.as_str().into(), Arc::new(check));
    entry.with_middleware(move |arguments, cx, next| {
        let (name, check) = (name.clone(), check.clone());
        async move {
            let problems = check(&serde_json::from_slice(&arguments).unwrap_or_default());
            if problems.is_empty() {
                return next.run(arguments, cx).await;
            }
            let text = format!("Input validation error: Invalid arguments for tool {name}: {}", problems.join("\n"));
            Ok(Outcome::Complete(failure(&text)))
        }
    })
}

/// Says that an optional argument is left out, not `null`. The text is compact, and quotes within texts of a schema are escaped, so that
/// nothing else can match.
#[cfg(any(feature = "everything", feature = "filesystem", feature = "memory"))]
fn without_null(schema: &mut Schema) {
    let mut text = schema.get().to_owned();
    for name in ["string", "number", "integer", "boolean", "array", "object"] {
        text = text.replace(&format!(r#""type":["{name}","null"]"#), &format!(r#""type":"{name}""#));
    }
    if let Ok(changed) = serde_json::from_str(&text) {
        *schema = changed;
    }
}

/// Says first which dialect a schema is written in. The family names draft 7, whose rules the schemas here keep to.
fn name_dialect(schema: &mut Schema) {
    if schema.to_value().get("$schema").is_some() {
        return;
    }
    let Some(members) = schema.get().trim_start().strip_prefix('{') else { return };
    let comma = if members.trim_start().starts_with('}') { "" } else { "," };
    let named = format!(r#"{{"$schema":"http://json-schema.org/draft-07/schema#"{comma}{members}"#);
    if let Ok(named) = serde_json::from_str(&named) {
        *schema = named;
    }
}
