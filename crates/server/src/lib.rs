//! The server framework of Jackfield: tools, resources, prompts, completion, logging, and questions to the client.

mod builder;
mod callers;
mod entries;
mod routing;
mod serve;
mod shared;
mod subscriptions;
pub mod testing;

mod convert;

mod validation;

#[cfg(feature = "skills")]
mod skills;

mod cx;
mod questions;
mod sync;
mod tasks;

pub use builder::build_error::BuildError;
pub use builder::built::BuiltServer;
pub use builder::lifespan::StartError;
pub use builder::mount::Prefix;
pub use builder::package::Package;
pub use builder::running::RunningServer;
pub use builder::server::Server;
pub use builder::settings::{CacheHint, Cached, Item, ResourcePage};
pub use callers::handles::{Handles, NoRoom, UnknownHandle};
pub use callers::owner::CallerKey;
#[doc(hidden)]
pub use convert::spec as __private;
pub use convert::{
    Argument, Audio, BadArgument, Completing, Context, Error, Failure, FromArgument, FromCx, HandlerFunction, Image,
    IntoCompleter, IntoCompletion, IntoPromptResult, IntoResourceResult, IntoToolResult, Json, PromptGet, Reading,
    RequiredState, Requirements, ResourceRead, Result, SchemaOf, State, ToolCall, decode_arguments, prompt_fn,
    resource_fn, tool_fn,
};
#[cfg(feature = "tracing-layer")]
pub use cx::tracing_layer::ClientLog;
pub use cx::{ClientHandle, Cx, MissingState, NotifyError, SessionView, Trace};
pub use entries::entry::{
    Address, Completer, IntoPrompt, IntoResource, IntoTool, Parts, PromptEntry, PromptHandler, ProtocolError,
    ResourceEntry, ResourceHandler, ServerParts, TaskStart, ToolEntry, ToolHandler, Validation,
};
pub use entries::registry::{Call, Handle, PromptRegistry, Registry, ResourceRegistry, ToolRegistry};
pub use entries::uri_template::{TemplateValue, UriTemplate, Variables};
pub use questions::roots::{OutsideRoots, Roots};
pub use questions::seal::Keys;
pub use questions::{Answers, Elicited, Form, FormChoice, FormField, PageNotice, QuestionError};
pub use routing::middleware::{Next, Route};
pub use routing::tool_middleware::NextTool;
pub use routing::work::{Done, Work};
#[cfg(feature = "skills")]
pub use skills::{Skill, SkillError, Skills};
pub use tasks::Tasks;
