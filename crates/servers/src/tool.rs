//! Tools whose schemas are written by hand, so that clients find the schemas of the originals.

use std::future::Future;

use bytes::Bytes;
use jackfield::Cx;
use jackfield::protocol::{CallToolResult, RawJson, Schema, Tool, ToolAnnotations};
use jackfield::server::{IntoToolResult, ToolEntry, Work};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Makes a definition. `input` is a JSON Schema; it is ours, so it is an object.
pub(crate) fn definition(name: &str, description: &str, input: &str) -> Tool {
    Tool::new(name, schema(input)).with_description(description)
}

/// Reads a schema of ours.
pub(crate) fn schema(text: &str) -> Schema {
    serde_json::from_str(text).unwrap_or_else(|_| Schema::object())
}

/// Makes hints in the order readOnly, destructive, idempotent, openWorld; `None` leaves one out.
pub(crate) fn hints(values: [Option<bool>; 4]) -> ToolAnnotations {
    let mut hints = ToolAnnotations::default();
    [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint] = values;
    hints
}

/// Joins a definition and a function of the decoded arguments. A family checks them first, so that decoding finds nothing to complain
/// about.
pub(crate) fn tool<A, F, R>(definition: Tool, function: F) -> ToolEntry
where
    A: DeserializeOwned + Send + 'static,
    F: Fn(A, Cx) -> R + Send + Sync + 'static,
    R: Future<Output: IntoToolResult> + Send + 'static,
{
    let mut entry =
        ToolEntry::new(definition, move |arguments: Bytes, cx: Cx| match serde_json::from_slice(&arguments) {
            Ok(arguments) => {
                let work = function(arguments, cx);
                Work::later(async move { work.await.into_tool_result() })
            }
            Err(error) => {
                Work::Ready(CallToolResult::failure(format!("invalid arguments: {error}")).into_tool_result())
            }
        });
    // Results are made from types that fit the schema; tests check that they do.
    entry.typed_output = true;
    entry
}

#[cfg(any(feature = "memory", feature = "sequentialthinking", feature = "time"))]
/// Makes a result whose text is the value as JSON with two spaces of indentation, and whose structured content is the value.
#[cfg(any(feature = "memory", feature = "sequentialthinking", feature = "time"))]
pub(crate) fn pretty(value: &impl Serialize) -> Result<CallToolResult, String> {
    let text = serde_json::to_string_pretty(value).map_err(|error| error.to_string())?;
    Ok(CallToolResult::text(text).with_structured(structured(value)?))
}

/// Makes structured content.
pub(crate) fn structured(value: &impl Serialize) -> Result<RawJson, String> {
    RawJson::new(value).map_err(|error| error.to_string())
}
