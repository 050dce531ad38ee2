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
//! [transports](guide::transports), [nodes](guide::nodes), [client](guide::client), [extensions](guide::extensions),
//! [skills](guide::skills). Authorization is described in [`auth`].
//!
//! # Features
//!
//! | feature | default | what it adds |
//! | --- | --- | --- |
//! | `server` | yes | the server framework, with `#[tool]`, `#[resource]`, `#[prompt]` and `#[server]` |
//! | `validation` | yes | checks arguments and structured output against their whole JSON Schema |
//! | `client` | no | [`Client`]: one call connects to any server, as a child process or over a byte stream |
//! | `http` | no | servers serve Streamable HTTP in both eras, and HTTP+SSE; clients connect to http URLs and load icons |
//! | `tls` | no | the same over HTTPS |
//! | `auth` | no | OAuth 2.1: protects servers, logs clients in, and has an authorization server to embed |
//! | `telemetry` | no | metrics, traces that continue the caller's (OpenTelemetry), and `tracing` events as log messages for the client |
//! | `skills` | no | servers serve skills, clients list and load them: the extension `io.modelcontextprotocol/skills` |
//! | `sqlite`, `redis` | no | stores in a file, or shared by [several nodes](guide::nodes) |
//! | `axum` | no | with `http`: [`http::router`] mounts a server in an axum application |
//!
//! # Where things are
//!
//! What nearly every program uses stands at the root. The rest has a module for each topic; the crates behind them are published, but
//! what is not exported here is no promise.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "auth")]
pub mod auth;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "server")]
pub mod guide;
#[cfg(feature = "http")]
pub mod http;
pub mod middleware;
pub mod protocol;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "server")]
pub mod store;
pub mod tape;
#[cfg(feature = "server")]
pub mod testing;
pub mod transport;

#[cfg(feature = "server")]
pub use jackfield_macros::{Form, prompt, prompts, resource, resources, server, tool, tools};
#[cfg(feature = "server")]
pub use jackfield_server::{
    Audio, Cached, Context, Cx, Elicited, Error, Failure, Form, Image, Json, Result, RunningServer, Server, State,
    Tasks,
};

#[cfg(feature = "client")]
pub use jackfield_client::Client;
pub use jackfield_peer::{Caller, Principal};
pub use jackfield_protocol::{
    CallToolResult, ContentBlock, ElicitAction, ElicitResult, ErrorObject, GetPromptResult, LoggingLevel, Outcome,
    PromptMessage, RawJson, ReadResourceResult, Reference, ResourceContents, ResourceLink, Revision, Role, Schema,
    Tool,
};

pub use schemars::JsonSchema;
pub use serde_json::{Value, json};
pub use {schemars, serde, serde_json};

#[cfg(feature = "server")]
#[doc(hidden)]
pub use jackfield_server::__private;
