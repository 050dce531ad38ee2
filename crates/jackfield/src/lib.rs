//! The Model Context Protocol for Rust: servers for every revision of the protocol, from plain functions.

pub use jackfield_peer as peer;
pub use jackfield_protocol as protocol;
pub use schemars;
pub use serde;
pub use serde_json;

pub use jackfield_protocol::{
    Annotations, AudioContent, CallToolResult, Completion, ContentBlock, CreateMessageParams, CreateMessageResult,
    ElicitAction, ElicitParams, ElicitResult, ElicitSchema, EmbeddedResource, ErrorObject, GetPromptResult, Icon,
    ImageContent, Implementation, InputRequired, LoggingLevel, Meta, Outcome, Prompt, PromptArgument, PromptMessage,
    RawJson, ReadResourceResult, Reference, Resource, ResourceContents, ResourceLink, ResourceTemplate, Revision, Role,
    Root, SamplingContent, SamplingMessage, Schema, TextContent, Tool, ToolAnnotations,
};
pub use schemars::JsonSchema;
pub use serde_json::{Value, json};

#[cfg(feature = "macros")]
pub use jackfield_macros::{prompt, resource, server, tool};

#[cfg(feature = "server")]
#[doc(hidden)]
pub use jackfield_server::__private;
#[cfg(feature = "server")]
pub use jackfield_server::{
    Address, Argument, Audio, BadArgument, Completer, Completing, Context, Cx, Done, Error, Failure, FromArgument,
    FromCx, Image, IntoCompleter, IntoCompletion, IntoPrompt, IntoPromptResult, IntoResource, IntoResourceResult,
    IntoTool, IntoToolResult, Json, Package, Parts, PromptEntry, PromptHandler, ProtocolError, Reading, ResourceEntry,
    ResourceHandler, Result, ServerParts, State, ToolEntry, ToolHandler, UriTemplate, Validation, Variables, Work,
    decode_arguments,
};
