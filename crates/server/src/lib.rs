//! The server framework of Jackfield: tools, resources, prompts, completion, logging, and questions to the client.

mod cx;
mod entry;
mod package;
mod uri_template;
mod work;

pub use cx::Cx;
pub use entry::{
    Address, Completer, IntoPrompt, IntoResource, IntoTool, Parts, PromptEntry, PromptHandler, ProtocolError,
    ResourceEntry, ResourceHandler, ServerParts, ToolEntry, ToolHandler, Validation,
};
pub use package::Package;
pub use uri_template::{UriTemplate, Variables};
pub use work::{Done, Work};
