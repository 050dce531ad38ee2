//! The server framework of Jackfield: tools, resources, prompts, completion, logging, and questions to the client.

mod convert;
mod cx;
mod entry;
mod package;
mod uri_template;
mod work;

#[doc(hidden)]
pub use convert::spec as __private;
pub use convert::{
    Argument, Audio, BadArgument, Completing, Context, Error, Failure, FromArgument, FromCx, Image, IntoCompleter,
    IntoCompletion, IntoPromptResult, IntoResourceResult, IntoToolResult, Json, Reading, Result, State,
    decode_arguments,
};
pub use cx::Cx;
pub use entry::{
    Address, Completer, IntoPrompt, IntoResource, IntoTool, Parts, PromptEntry, PromptHandler, ProtocolError,
    ResourceEntry, ResourceHandler, ServerParts, ToolEntry, ToolHandler, Validation,
};
pub use package::Package;
pub use uri_template::{UriTemplate, Variables};
pub use work::{Done, Work};
