//! The Model Context Protocol for Rust: servers and clients for every revision of the protocol.
//!
//! ```no_run
//! use jackfield::{Server, resource, resources, tool, tools};
//!
//! /// Add two numbers.
//! #[tool(read_only)]
//! fn add(a: i64, b: i64) -> i64 { a + b }
//!
//! #[resource("greeting://{name}")]
//! fn greeting(name: String) -> String { format!("Hello, {name}!") }
//!
//! #[tokio::main]
//! async fn main() -> jackfield::Result {
//!     Server::new("demo").tools(tools![add]).resources(resources![greeting]).run_cli().await
//! }
//! ```
//!
//! That is a complete server for clients of all five released revisions. It needs this crate and `tokio` (with the features `macros` and
//! `rt-multi-thread`). Names come from the functions, descriptions from their comments, schemas from their types, the version from
//! your `Cargo.toml`.
//!
//! The [`guide`] goes on from here: [quickstart](guide::quickstart), [tools](guide::tools), [resources](guide::resources),
//! [prompts](guide::prompts), [context](guide::context), [tasks](guide::tasks), [testing](guide::testing),
//! [transports](guide::transports), [nodes](guide::nodes), [client](guide::client).
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `server` | yes | the server framework |
//! | `macros` | yes | `#[tool]`, `#[resource]`, `#[prompt]`, `#[server]` |
//! | `validation` | yes | checks arguments and structured output by JSON Schema |
//! | `client` | no | [`Client`](guide::client): one call connects to any server, as a child process or over a byte stream |
//! | `http` | no | servers serve HTTP: Streamable HTTP in both eras, and HTTP+SSE; clients connect to http URLs |
//! | `tls` | no | the same over HTTPS |
//! | `metrics`, `opentelemetry` | no | metrics, and traces that go on from the caller, for servers over `http` |
//! | `icons` | no | clients load the icons that servers name, after checking address and bytes |
//! | `skills` | no | servers serve skills, clients list and load them: the extension `io.modelcontextprotocol/skills` |
//! | `auth` | no | protects a server with OAuth 2.1 |
//! | `auth-client` | no | clients log in with OAuth 2.1, keep and renew their tokens |
//! | `auth-server` | no | an authorization server to embed |
//! | `sqlite`, `redis` | no | stores in a file, or shared by [several nodes](guide::nodes) |
//! | `tracing-layer` | no | forwards `tracing` events to the client |

#[cfg(any(feature = "auth", feature = "auth-client"))]
pub mod auth;
#[cfg(all(feature = "server", feature = "macros"))]
pub mod guide;

/// The client: connects to any server of any revision.
#[cfg(feature = "client")]
pub use jackfield_client as client;
/// The HTTP transport: configuration, limits, and a service to mount in an application of your own.
#[cfg(feature = "http")]
pub use jackfield_http as http;
/// Connections, callers and byte streams: what transports and middleware are made of.
pub use jackfield_peer as peer;
/// Every message of every revision.
pub use jackfield_protocol as protocol;
/// Stores for what outlives a request: sessions, event logs, tasks, values and notices, in memory, in a file, in Redis or in a
/// store of your own.
#[cfg(feature = "server")]
pub use jackfield_store as store;
pub use schemars;
pub use serde;
pub use serde_json;

#[cfg(feature = "client")]
pub use jackfield_client::Client;
pub use jackfield_peer::{ByteStream, Caller, Incoming, Limits, Principal, Rate, Reply, Session};
pub use jackfield_protocol::{
    Annotations, AudioContent, CallToolResult, Completion, ContentBlock, CreateMessageParams, CreateMessageResult,
    ElicitAction, ElicitParams, ElicitResult, ElicitSchema, EmbeddedResource, ErrorObject, GetPromptResult, Icon,
    ImageContent, Implementation, InputRequired, LoggingLevel, Meta, Outcome, Prompt, PromptArgument, PromptMessage,
    RawJson, ReadResourceResult, Reference, Resource, ResourceContents, ResourceLink, ResourceTemplate, Revision, Role,
    Root, SamplingContent, SamplingContentBlock, SamplingMessage, Schema, TaskSupport, TextContent, Tool,
    ToolAnnotations,
};
pub use schemars::JsonSchema;
pub use serde_json::{Value, json};

#[cfg(feature = "macros")]
pub use jackfield_macros::{prompt, prompts, resource, resources, server, tool, tools};

#[cfg(feature = "server")]
#[doc(hidden)]
pub use jackfield_server::__private;
#[cfg(feature = "server")]
pub use jackfield_server::testing;
#[cfg(feature = "server")]
pub use jackfield_server::{
    Address, Answers, Argument, Audio, BadArgument, BuildError, BuiltServer, CacheHint, Cached, Call, CallerKey,
    Completer, Completing, Context, Cx, Done, Elicited, Error, Failure, FromArgument, FromCx, Handle, Handles, Image,
    IntoCompleter, IntoCompletion, IntoPrompt, IntoPromptResult, IntoResource, IntoResourceResult, IntoTool,
    IntoToolResult, Item, Json, Keys, Next, NoRoom, OutsideRoots, Package, PageNotice, Parts, PromptEntry,
    PromptHandler, PromptRegistry, ProtocolError, QuestionError, Reading, Registry, ResourceEntry, ResourceHandler,
    ResourcePage, ResourceRegistry, Result, Roots, Route, RunningServer, Server, ServerParts, StartError, State,
    TaskStart, Tasks, TemplateValue, ToolEntry, ToolHandler, ToolRegistry, Trace, UriTemplate, Validation, Variables,
    Work, decode_arguments,
};
#[cfg(all(feature = "server", feature = "skills"))]
pub use jackfield_server::{Skill, SkillError, Skills};
