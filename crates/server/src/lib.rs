//! The server framework of Jackfield: tools, resources, prompts, completion, logging, and questions to the client.

mod assembly;
mod build_error;
mod built;
mod registry;
mod running;
mod serve;
mod server;
mod settings;
mod shared;
mod state;
pub mod testing;

mod convert;
mod entry;
mod entry_options;
mod package;
mod work;

mod catalog;
mod core;
mod frozen;
mod mount;
mod prepared;
mod uri_template;
mod validation;

mod completion;
mod hooks;
mod kinds;
mod lifecycle;
mod lifespan;
mod listen;
mod lists;
mod middleware;
mod prompts;
mod raw_method;
mod resources;
mod router;
#[cfg(feature = "skills")]
mod skills;
mod tool_middleware;
mod tools;
mod watched;

mod attempts;
mod changes;
mod cx;
mod handles;
mod hashing;
mod owner;
mod questions;
mod rates;
mod roots;
mod run;
mod scope;
mod seal;
mod sync;
mod tasks;
#[cfg(feature = "tracing-layer")]
mod tracing_layer;

pub use build_error::BuildError;
pub use built::BuiltServer;
#[doc(hidden)]
pub use convert::spec as __private;
pub use convert::{
    Argument, Audio, BadArgument, Completing, Context, Error, Failure, FromArgument, FromCx, HandlerFunction, Image,
    IntoCompleter, IntoCompletion, IntoPromptResult, IntoResourceResult, IntoToolResult, Json, PromptGet, Reading,
    RequiredState, Requirements, ResourceRead, Result, SchemaOf, State, ToolCall, decode_arguments, prompt_fn,
    resource_fn, tool_fn,
};
pub use cx::{ClientHandle, Cx, MissingState, NotifyError, SessionView, Trace};
pub use entry::{
    Address, Completer, IntoPrompt, IntoResource, IntoTool, Parts, PromptEntry, PromptHandler, ProtocolError,
    ResourceEntry, ResourceHandler, ServerParts, TaskStart, ToolEntry, ToolHandler, Validation,
};
pub use handles::{Handles, NoRoom, UnknownHandle};
pub use lifespan::StartError;
pub use middleware::{Next, Route};
pub use mount::Prefix;
pub use owner::CallerKey;
pub use package::Package;
pub use questions::{Answers, Elicited, Form, FormChoice, FormField, PageNotice, QuestionError};
pub use registry::{Call, Handle, PromptRegistry, Registry, ResourceRegistry, ToolRegistry};
pub use roots::{OutsideRoots, Roots};
pub use running::RunningServer;
pub use seal::Keys;
pub use server::Server;
pub use settings::{CacheHint, Cached, Item, ResourcePage};
#[cfg(feature = "skills")]
pub use skills::{Skill, SkillError, Skills};
pub use tasks::Tasks;
pub use tool_middleware::NextTool;
#[cfg(feature = "tracing-layer")]
pub use tracing_layer::ClientLog;
pub use uri_template::{TemplateValue, UriTemplate, Variables};
pub use work::{Done, Work};
