//! Tools: arguments, results, failures.
//!
//! # Arguments
//!
//! Every type with `Deserialize` and `JsonSchema` can be an argument. `Option` may be absent, `#[default]` says what an absent one is, and
//! `#[arg(…)]` adds rules, which are enforced.
//!
//! ```
//! use jackfield::{Server, json, testing::TestClient, tool, tools};
//!
//! /// Searches the archive.
//! #[tool(read_only)]
//! fn search(
//!     /// What to look for.
//!     #[arg(length(1..=100))]
//!     query: String,
//!     #[default(10)]
//!     #[arg(range(1..=50))]
//!     limit: u32,
//!     #[default("newest")] order: String,
//!     tags: Option<Vec<String>>,
//! ) -> String {
//!     format!("{limit} {order} about {query} with {tags:?}")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let client = TestClient::of(Server::new("archive").tools(tools![search]));
//! let found = client.call_tool("search", json!({ "query": "rust" })).await?;
//! assert_eq!(found.content[0].as_text(), Some("10 newest about rust with None"));
//!
//! // What does not fit is a result that the model can read and act on.
//! let refused = client.call_tool("search", json!({ "query": "rust", "limit": 500 })).await?;
//! assert!(refused.is_failure());
//! assert!(refused.content[0].as_text().unwrap().contains("limit"));
//! # Ok(())
//! # }
//! ```
//!
//! The options of `#[arg]` are `rename`, `description`, `title`, `example`, `range(1..=10)`, `length(1..)`, `pattern = "regex"` and `header`
//! (the HTTP header that repeats the argument). For everything else that `serde` and `schemars` can do, take all arguments as one type:
//!
//! ```
//! use jackfield::{JsonSchema, tool, tools};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(rename_all = "camelCase", deny_unknown_fields)]
//! struct Rectangle {
//!     /// In metres.
//!     left_side: f64,
//!     top_side: f64,
//! }
//!
//! #[tool]
//! fn area(#[args] rectangle: Rectangle) -> f64 {
//!     rectangle.left_side * rectangle.top_side
//! }
//! ```
//!
//! # Results
//!
//! Return text, a number, `bool`, nothing, [`Image`](crate::Image), [`Audio`](crate::Audio), a [`ResourceLink`](crate::ResourceLink), content blocks,
//! or a whole [`CallToolResult`](crate::CallToolResult). [`Json`](crate::Json) is structured: it adds an output schema to the tool.
//!
//! ```
//! use jackfield::{Json, JsonSchema, Server, json, testing::TestClient, tool, tools};
//! use serde::Serialize;
//!
//! #[derive(Serialize, JsonSchema)]
//! struct Sum {
//!     sum: i64,
//! }
//!
//! #[tool]
//! fn add(a: i64, b: i64) -> Json<Sum> {
//!     Json(Sum { sum: a + b })
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let client = TestClient::of(Server::new("calculator").tools(tools![add]));
//! let result = client.call_tool("add", json!({ "a": 1, "b": 2 })).await?;
//! assert_eq!(result.structured_content.unwrap().to_value(), json!({ "sum": 3 }));
//! assert!(client.list_tools().await?[0].output_schema.is_some());
//! # Ok(())
//! # }
//! ```
//!
//! # Failures
//!
//! Errors with `Display` are failures that the model reads; `?` works on every standard error with [`jackfield::Result`](crate::Result).
//! Only [`ProtocolError`](crate::server::ProtocolError) answers with a JSON-RPC error instead.
//!
//! ```
//! use jackfield::{Context, Server, json, testing::TestClient, tool, tools};
//!
//! #[tool]
//! fn port(text: &str) -> jackfield::Result<u16> {
//!     text.parse().context("that is not a port")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let client = TestClient::of(Server::new("net").tools(tools![port]));
//! let failed = client.call_tool("port", json!({ "text": "x" })).await?;
//! assert!(failed.is_failure());
//! assert_eq!(failed.content[0].as_text(), Some("that is not a port: invalid digit found in string"));
//! # Ok(())
//! # }
//! ```
//!
//! # Options
//!
//! `#[tool(name = "…", title = "…", description = "…")]` say what the function does not; `read_only`, `destructive`, `idempotent`, `open_world`
//! are hints for hosts. A function that computes for long or waits without `async` is `#[tool(blocking)]`, so that other calls go on.
//! A function with one of the attributes stays the function that you wrote: call it in your unit tests.
//!
//! ```
//! # use jackfield::tool;
//! #[tool]
//! async fn double(number: i64) -> i64 {
//!     number * 2
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! assert_eq!(double(21).await, 42);
//! # }
//! ```
//!
//! Beside it stands a hidden item, which [`tools!`](crate::tools) finds by the function's path: write `tools![double]` in the same module,
//! `tools![numbers::double]` elsewhere, or `tools![double]` after `use numbers::*`. [`resources!`](crate::resources) and
//! [`prompts!`](crate::prompts) do the same for theirs.
//!
//! # Without macros
//!
//! Closures and plain functions are tools too. The first parameter may be a struct for the arguments; the others come from the
//! context. Schemas come from the types, everything else is said in a chain. [`resource_fn`](crate::server::resource_fn) and
//! [`prompt_fn`](crate::server::prompt_fn) do the same for resources and prompts.
//!
//! ```
//! use jackfield::server::tool_fn;
//! use jackfield::{Cx, JsonSchema, Server, State, json, testing::TestClient};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Scale {
//!     /// What to scale.
//!     number: f64,
//! }
//!
//! struct Factor(f64);
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let scale = tool_fn("scale", |args: Scale, factor: State<Factor>, cx: Cx| async move {
//!     cx.info("scaling");
//!     args.number * factor.0.0
//! });
//! let server = Server::new("numbers").tool(scale.description("Scales a number.").read_only(true)).state(Factor(2.0));
//! let client = TestClient::of(server);
//! let scaled = client.call_tool("scale", json!({ "number": 21 })).await?;
//! assert_eq!(scaled.content[0].as_text(), Some("42"));
//! # Ok(())
//! # }
//! ```
//!
//! # Tools that come and go
//!
//! Everything that can be registered can be added while the server runs, also what [`tool_fn`](crate::server::tool_fn) makes:
//! `server.registry().tools().add(entry)`. A tool whose arguments are known by a schema only has a handler for raw JSON:
//!
//!
//! ```
//! use jackfield::server::Call;
//! use jackfield::testing::TestClient;
//! use jackfield::{Cx, Schema, Server, Tool, json};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let server = Server::new("plugins");
//! let schema = Schema::new(&json!({ "type": "object", "properties": { "text": { "type": "string" } } }))?;
//! let handle = server.registry().tools().insert(Tool::new("echo", schema), |call: Call, _cx: Cx| async move {
//!     String::from_utf8_lossy(&call.arguments).into_owned()
//! })?;
//!
//! let client = TestClient::of(server);
//! let echoed = client.call_tool("echo", json!({ "text": "hi" })).await?;
//! assert_eq!(echoed.content[0].as_text(), Some(r#"{"text":"hi"}"#));
//! handle.remove();
//! assert!(client.list_tools().await?.is_empty());
//! # Ok(())
//! # }
//! ```
