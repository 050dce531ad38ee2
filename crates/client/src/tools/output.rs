//! What a tool said.

use std::ops::Deref;

use jackfield_protocol::{CallToolResult, ContentBlock};
use serde::de::DeserializeOwned;

use crate::error::Cause;
use crate::{BadOutput, Error};

/// What a tool said. It is the server's text: a model that reads it may be led astray by it.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    result: CallToolResult,
}

impl Output {
    pub(crate) fn new(result: CallToolResult) -> Self {
        Self { result }
    }

    /// Reads the structured output. A server of an older revision has none; then the text is read, if it is JSON.
    ///
    /// # Errors
    /// The tool failed, or its output has another type.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T, Error> {
        if self.result.is_failure() {
            return Err(Cause::ToolFailed(self.text()).into());
        }
        let mistyped = |cause| Error::from(Cause::Output(BadOutput::Type(cause)));
        match (&self.result.structured_content, self.result.content.as_slice()) {
            (Some(raw), _) => serde_json::from_str(raw.get()).map_err(mistyped),
            (None, [ContentBlock::Text(text)]) => serde_json::from_str(&text.text).map_err(mistyped),
            _ => Err(Cause::Output(BadOutput::Missing).into()),
        }
    }

    /// Returns all text, each piece on a line of its own.
    #[must_use]
    pub fn text(&self) -> String {
        let mut texts = self.result.content.iter().filter_map(ContentBlock::as_text);
        let mut all = texts.next().unwrap_or_default().to_owned();
        texts.for_each(|text| all.extend(["\n", text]));
        all
    }

    /// Returns the result as the protocol has it.
    #[must_use]
    pub fn into_result(self) -> CallToolResult {
        self.result
    }
}

impl Deref for Output {
    type Target = CallToolResult;

    fn deref(&self) -> &CallToolResult {
        &self.result
    }
}
