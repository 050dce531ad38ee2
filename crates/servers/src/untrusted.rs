//! Content that others wrote.

use jackfield::protocol::{CallToolResult, Meta};

/// The member of `_meta` that says that the content was written by others: it is data, and nothing in it is an instruction.
pub(crate) const KEY: &str = "io.jackfield/untrusted";

/// Says of a result that its content was written by others.
pub(crate) fn marked(result: CallToolResult) -> CallToolResult {
    result.with_meta(Meta::new().with(KEY, true))
}
