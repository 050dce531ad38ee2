//! What servers are made of, beside the names at the root of the crate: entries without macros, arguments and results of your own types,
//! registries for what changes, URI templates, sealed state.

#[cfg(feature = "telemetry")]
pub use jackfield_server::ClientLog;
pub use jackfield_server::{
    Address, Answers, Argument, BadArgument, BuildError, BuiltServer, CacheHint, Call, CallerKey, ClientHandle,
    Completer, Completing, Done, FormChoice, FormField, FromArgument, FromCx, Handle, HandlerFunction, Handles,
    IntoCompleter, IntoCompletion, IntoPrompt, IntoPromptResult, IntoResource, IntoResourceResult, IntoTool,
    IntoToolResult, Item, Keys, MissingState, NoRoom, NotifyError, OutsideRoots, Package, PageNotice, Parts, Prefix,
    PromptEntry, PromptGet, PromptHandler, PromptRegistry, ProtocolError, QuestionError, Reading, Registry,
    RequiredState, Requirements, ResourceEntry, ResourceHandler, ResourcePage, ResourceRead, ResourceRegistry, Roots,
    SchemaOf, ServerParts, SessionView, StartError, TaskStart, TemplateValue, ToolCall, ToolEntry, ToolHandler,
    ToolRegistry, Trace, UnknownHandle, UriTemplate, Validation, Variables, Work, decode_arguments, prompt_fn,
    resource_fn, tool_fn,
};
#[cfg(feature = "skills")]
pub use jackfield_server::{Skill, SkillError, Skills};
