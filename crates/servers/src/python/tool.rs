//! Tools of the family.

use std::sync::Arc;

use bytes::Bytes;
use jackfield::protocol::{CallToolResult, ContentBlock, Outcome, Schema};
use jackfield::server::{Done, IntoTool, ToolEntry, Validation};
use serde_json::Value;

use super::check::problems;
use super::coerce::coerce;
use crate::shape::Shape;

/// Whether other values are taken for numbers, booleans and lists that can be read as such.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// `"3"` is taken for 3, and `"[]"` for a list.
    #[cfg_attr(
        not(any(feature = "git", feature = "time")),
        expect(dead_code, reason = "servers that take them are not built")
    )]
    Lenient,
    /// They are not.
    #[cfg_attr(not(feature = "fetch"), expect(dead_code, reason = "only one server of the family is strict"))]
    Strict,
}

/// Gives a tool the family's listing, its texts about bad arguments and failures, and its `isError: false`.
pub(crate) fn tool(tool: impl IntoTool, numbers: Numbers) -> ToolEntry {
    let mut entry = tool.into_tool();
    spell_out_null(&mut entry.definition.input_schema);
    entry.validation = Validation::Off;
    entry.known_input = true;
    let name: Arc<str> = entry.definition.name.as_str().into();
    let shape = Arc::new(Shape::of(entry.definition.input_schema.get()));
    entry.with_middleware(move |arguments, cx, next| {
        let (name, shape) = (name.clone(), shape.clone());
        async move {
            let mut given: Value = serde_json::from_slice(&arguments).unwrap_or_default();
            let arguments = match numbers {
                Numbers::Strict => arguments,
                Numbers::Lenient if !coerce(&shape, &mut given) => arguments,
                Numbers::Lenient => Bytes::from(given.to_string()),
            };
            let problems = problems(&shape, &given);
            if problems.is_empty() {
                return finished(next.run(arguments, cx).await, &name);
            }
            let plural = if problems.len() == 1 { "" } else { "s" };
            let text =
                format!("{} validation error{plural} for {name}Arguments\n{}", problems.len(), problems.join("\n"));
            finished(Ok(Outcome::Complete(CallToolResult::failure(text))), &name)
        }
    })
}

/// Says of a failure which tool failed, and of a success that it is none.
fn finished(done: Done<CallToolResult>, name: &str) -> Done<CallToolResult> {
    done.map(|outcome| {
        outcome.map(|mut result| {
            if result.is_failure() {
                let text = result.content.first().and_then(ContentBlock::as_text).unwrap_or_default();
                return CallToolResult::failure(format!("Error executing tool {name}: {text}"));
            }
            result.is_error = Some(false);
            result
        })
    })
}

/// Lists an optional text as the family does. The text is compact, and quotes within texts of a schema are escaped, so that nothing else
/// can match.
fn spell_out_null(schema: &mut Schema) {
    let mut text = schema.get().to_owned();
    for name in ["string", "number", "integer", "boolean"] {
        let spelt_out = format!(r#""anyOf":[{{"type":"{name}"}},{{"type":"null"}}],"default":null"#);
        text = text.replace(&format!(r#""default":null,"type":["{name}","null"]"#), &spelt_out);
        text = text.replace(&format!(r#""type":["{name}","null"]"#), &spelt_out);
    }
    if let Ok(changed) = serde_json::from_str(&text) {
        *schema = changed;
    }
}
