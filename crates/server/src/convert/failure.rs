//! What becomes of the error of a user's function.

use std::borrow::Cow;
use std::fmt::Display;

use jackfield_protocol::{CallToolResult, ErrorObject, Outcome};

use crate::{Done, ProtocolError};

/// The error of a user's function: anything with `Display`, or [`ProtocolError`].
///
/// In a tool, what has `Display` is a failure that the model reads; in a resource, prompt or completion, where there is no
/// such thing, it is -32603. A [`ProtocolError`] is answered as it is, everywhere.
#[diagnostic::on_unimplemented(
    message = "the error type `{Self}` cannot be shown to the caller",
    label = "has no `Display`",
    note = "return `jackfield::Result<T>`, implement `std::fmt::Display` for `{Self}`, or use `ProtocolError` to answer with a JSON-RPC error"
)]
pub trait Failure {
    /// Answers a tool call.
    ///
    /// # Errors
    /// An error of the protocol.
    fn into_tool_failure(self) -> Done<CallToolResult>;

    /// Answers any other request.
    fn into_error(self) -> ErrorObject;
}

#[diagnostic::do_not_recommend]
impl<E: Display> Failure for E {
    fn into_tool_failure(self) -> Done<CallToolResult> {
        Ok(Outcome::Complete(CallToolResult::failure(self.to_string())))
    }

    fn into_error(self) -> ErrorObject {
        ErrorObject::internal(self.to_string())
    }
}

impl ProtocolError {
    /// -32602: the parameters do not fit.
    pub fn invalid_params(message: impl Into<Cow<'static, str>>) -> Self {
        Self(ErrorObject::invalid_params(message))
    }

    /// Makes an error of any code. Codes of your own lie outside -32768 … -32000.
    pub fn new(code: i64, message: impl Into<Cow<'static, str>>) -> Self {
        Self(ErrorObject::new(code, message))
    }

    /// -32603: the server failed.
    pub fn internal(message: impl Into<Cow<'static, str>>) -> Self {
        Self(ErrorObject::internal(message))
    }
}

impl Failure for ProtocolError {
    fn into_tool_failure(self) -> Done<CallToolResult> {
        Err(self.0)
    }

    fn into_error(self) -> ErrorObject {
        self.0
    }
}
