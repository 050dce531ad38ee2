//! Structured results.

use std::ops::{Deref, DerefMut};

use jackfield_protocol::{CallToolResult, ContentBlock, ErrorObject, Outcome, RawJson};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Done;

/// A structured result: any type that serializes and has a schema.
///
/// In a tool it becomes `structuredContent` and, as the same JSON, text for callers that do not know structured content; the tool
/// gets an output schema. In a resource it becomes text of the type `application/json`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json<T>(pub T);

impl<T: JsonSchema> Json<T> {
    pub(super) fn schema() -> jackfield_protocol::Schema {
        super::schema::output(|generator| generator.root_schema_for::<T>())
    }
}

impl<T: Serialize> Json<T> {
    pub(super) fn text(&self) -> Result<RawJson, ErrorObject> {
        RawJson::new(&self.0)
            .map_err(|error| ErrorObject::internal(format!("the result cannot be written as JSON: {error}")))
    }
}

/// Answers a tool call with structured content.
pub(super) fn structured(json: RawJson) -> Done<CallToolResult> {
    let text = ContentBlock::text(json.get().to_owned());
    Ok(Outcome::Complete(CallToolResult::new(vec![text]).with_structured(json)))
}

impl<T> Deref for Json<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Json<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> From<T> for Json<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}
