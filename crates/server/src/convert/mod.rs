//! Conversions between the types of users' functions and the protocol: results, arguments, schemas, errors.
//!
//! Everything that is the same for all functions is not generic, so that it is compiled once, in this crate.

mod argument;
mod arguments;
mod complete;
mod error;
mod expected;
mod extract;
mod failure;
mod function;
mod json;
mod media;
mod members;
mod plain_text;
mod prompt_result;
mod requirements;
mod resource_result;
mod schema;
#[doc(hidden)]
pub mod spec;
mod tool_result;

pub use argument::{BadArgument, FromArgument};
pub use arguments::{Argument, decode_arguments};
pub use complete::{Completing, IntoCompleter, IntoCompletion};
pub use error::{Context, Error, Result};
pub use extract::{FromCx, State};
pub use failure::Failure;
pub use function::{HandlerFunction, PromptGet, ResourceRead, ToolCall, prompt_fn, resource_fn, tool_fn};
pub use json::Json;
pub use media::{Audio, Image};
pub use prompt_result::IntoPromptResult;
pub use requirements::{RequiredState, Requirements};
pub use resource_result::{IntoResourceResult, Reading};
pub use schema::SchemaOf;
pub use tool_result::IntoToolResult;
