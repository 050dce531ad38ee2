//! JSON Schema: which schemas are accepted, and how values are checked by them.
//!
//! Schemas are checked by `jackfield-schema` when a tool is registered, with or without the feature `validation`; values only with it.

#[cfg(feature = "validation")]
mod compiled;
#[cfg(not(feature = "validation"))]
mod disabled;

use jackfield_protocol::Schema;

#[cfg(feature = "validation")]
pub(crate) use compiled::{Effort, Validator};
#[cfg(not(feature = "validation"))]
pub(crate) use disabled::{Effort, Validator};

/// Checks a schema and compiles it. The error continues "the input schema …".
pub(crate) fn compile(schema: &Schema) -> Result<Option<Validator>, String> {
    prepare(schema, true)
}

/// Checks a schema, and compiles it if values are to be checked by it. The error continues "the input schema …".
pub(crate) fn prepare(schema: &Schema, is_used: bool) -> Result<Option<Validator>, String> {
    let outline = jackfield_schema::inspect(schema)?;
    if is_used { Validator::new(&schema.to_value(), &outline) } else { Ok(None) }
}

/// Whether the root of a schema describes an object, as the protocol asks of tools.
pub(crate) fn is_object_schema(schema: &Schema) -> bool {
    schema.to_value().get("type").and_then(|kind| kind.as_str()) == Some("object")
}
