//! What a prompt may return.

use std::borrow::Cow;

use jackfield_protocol::{ContentBlock, GetPromptResult, Outcome, PromptMessage};

use super::Failure;
use crate::Done;

/// What a prompt may return. Text alone is one message of the person.
#[diagnostic::on_unimplemented(
    message = "a prompt cannot return `{Self}`",
    label = "not the messages of a prompt",
    note = "return text, `PromptMessage`, `Vec<PromptMessage>`, `GetPromptResult`, or a `Result` of one of these"
)]
pub trait IntoPromptResult {
    /// Turns it into the answer to `prompts/get`.
    ///
    /// # Errors
    /// An error of the protocol.
    fn into_prompt_result(self) -> Done<GetPromptResult>;
}

macro_rules! results {
    ($( $($type:ty),+ => |$value:ident| $messages:expr; )+) => { $( $(
        impl IntoPromptResult for $type {
            fn into_prompt_result(self) -> Done<GetPromptResult> {
                let $value = self;
                Ok(Outcome::Complete($messages))
            }
        }
    )+ )+ };
}

fn said(text: impl Into<Cow<'static, str>>) -> GetPromptResult {
    GetPromptResult::new(vec![PromptMessage::user(ContentBlock::text(text))])
}

results! {
    String, Cow<'static, str> => |text| said(text);
    &str => |text| said(text.to_owned());
    PromptMessage => |message| GetPromptResult::new(vec![message]);
    Vec<PromptMessage> => |messages| GetPromptResult::new(messages);
    GetPromptResult => |result| result;
}

impl IntoPromptResult for Outcome<GetPromptResult> {
    fn into_prompt_result(self) -> Done<GetPromptResult> {
        Ok(self)
    }
}

impl<T: IntoPromptResult, E: Failure> IntoPromptResult for Result<T, E> {
    fn into_prompt_result(self) -> Done<GetPromptResult> {
        self.map_err(Failure::into_error)?.into_prompt_result()
    }
}
