//! What a tool may return.

use std::borrow::Cow;

use jackfield_protocol::{
    AudioContent, CallToolResult, ContentBlock, EmbeddedResource, ImageContent, Outcome, Resource, Schema, TextContent,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Audio, Failure, Image, Json};
use crate::Done;

/// What a tool may return.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not a result of a tool",
    note = "for structured output return `Json<{Self}>` (it must implement `Serialize` and `JsonSchema`)",
    note = "or return text, a number, `Image`, `Audio`, `ResourceLink`, `Vec<ContentBlock>`, `CallToolResult`, or a `Result` of one of these"
)]
pub trait IntoToolResult {
    /// Turns it into the answer to `tools/call`.
    ///
    /// # Errors
    /// An error of the protocol.
    fn into_tool_result(self) -> Done<CallToolResult>;

    /// Returns the schema of its structured content, if it always has one.
    #[must_use]
    fn output_schema() -> Option<Schema> {
        None
    }
}

fn complete(result: CallToolResult) -> Done<CallToolResult> {
    Ok(Outcome::Complete(result))
}

macro_rules! results {
    ($( $($type:ty),+ => |$value:ident| $result:expr; )+) => { $( $(
        impl IntoToolResult for $type {
            fn into_tool_result(self) -> Done<CallToolResult> {
                let $value = self;
                $result
            }
        }
    )+ )+ };
}

results! {
    String, Cow<'static, str> => |text| complete(CallToolResult::text(text));
    &str => |text| complete(CallToolResult::text(text.to_owned()));
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64, bool, char
        => |value| complete(CallToolResult::text(value.to_string()));
    TextContent, ImageContent, AudioContent, Resource, EmbeddedResource, Image, Audio
        => |content| complete(CallToolResult::new(vec![content.into()]));
    ContentBlock => |block| complete(CallToolResult::new(vec![block]));
    Vec<ContentBlock> => |blocks| complete(CallToolResult::new(blocks));
    () => |_nothing| complete(CallToolResult::new(Vec::new()));
    CallToolResult => |result| complete(result);
    Outcome<CallToolResult> => |outcome| Ok(outcome);
}

impl<T: Serialize + JsonSchema> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> Done<CallToolResult> {
        super::json::structured(self.text()?)
    }

    fn output_schema() -> Option<Schema> {
        Some(Self::schema())
    }
}

/// `None` is an answer without content. It has no output schema, because then there would have to be structured content: for that
/// return `Json<Option<T>>`.
impl<T: IntoToolResult> IntoToolResult for Option<T> {
    fn into_tool_result(self) -> Done<CallToolResult> {
        self.map_or_else(|| ().into_tool_result(), T::into_tool_result)
    }
}

impl<T: IntoToolResult, E: Failure> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> Done<CallToolResult> {
        match self {
            Ok(value) => value.into_tool_result(),
            Err(failure) => failure.into_tool_failure(),
        }
    }

    fn output_schema() -> Option<Schema> {
        T::output_schema()
    }
}
