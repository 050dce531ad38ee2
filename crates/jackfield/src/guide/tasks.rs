//! Tasks: calls that go on after they have been answered.
//!
//! A tool that takes minutes should not keep its caller waiting on an open connection. With `#[tool(task)]` a call of it is answered at once with
//! a task, and the client comes back for the result:
//!
//! ```
//! use jackfield::{Cx, Revision, Server, json, testing::TestClient, tool, tools};
//!
//! /// Write a report about a topic.
//! #[tool(task)]
//! async fn report(topic: String, cx: &Cx) -> String {
//!     for stage in ["gathering sources", "writing"] {
//!         cx.task_message(stage).await;
//!         // … the work of the stage …
//!     }
//!     format!("# Report about {topic}")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! for revision in Revision::ALL {
//!     let client = TestClient::with_revision(Server::new("reports").tools(tools![report]), revision).with_tasks();
//!     let result = client.call_tool("report", json!({ "topic": "tides" })).await?;
//!     assert_eq!(result.content[0].as_text(), Some("# Report about tides"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! One function serves everyone:
//!
//! | caller | what happens |
//! | --- | --- |
//! | 2026-07-28 with the extension `io.modelcontextprotocol/tasks` | the call is answered with a task; `tasks/get` has the result when it is done |
//! | 2025-11-25 that calls it as a task | the same; `tasks/result` waits for the result |
//! | everyone else | the caller waits for the result, as for any tool |
//!
//! `#[tool(task = "required")]` refuses everyone else. A server with such a tool declares by itself what clients have to know. A client
//! has the extension if it is built with `client::Builder::tasks`; its calls then wait for their tasks by themselves.
//!
//! # When it turns out to be long
//!
//! With `#[tool(becomes_task)]` the handler decides, where the client leaves it to the server. [`Cx::become_task`](crate::Cx::become_task) says whether the
//! call is a task from there on; if not, the caller goes on waiting.
//!
//! ```
//! use jackfield::{Cx, Server, json, testing::TestClient, tool, tools};
//!
//! #[tool(becomes_task)]
//! async fn translate(text: String, cx: &Cx) -> String {
//!     if text.len() < 100 {
//!         return format!("quick: {text}");
//!     }
//!     cx.become_task().await;
//!     format!("thorough: {} letters", text.len())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let client = TestClient::of(Server::new("translator").tools(tools![translate])).with_tasks();
//! let short = client.request("tools/call", json!({ "name": "translate", "arguments": { "text": "tide" } })).await?;
//! assert_eq!(short["resultType"], "complete");
//! let long = json!({ "name": "translate", "arguments": { "text": "tide".repeat(100) } });
//! assert_eq!(client.request("tools/call", long.clone()).await?["resultType"], "task");
//! # Ok(())
//! # }
//! ```
//!
//! # Questions
//!
//! `cx.elicit`, `cx.sample` and `cx.roots` work in a task as everywhere. The task then waits for input until the client comes and brings the answer; the
//! handler waits too, and is not run again. [`Cx::ask_all`](crate::Cx::ask_all) asks several questions at once.
//!
//! ```
//! use jackfield::testing::TestClient;
//! use jackfield::{Cx, ElicitAction, ElicitResult, Elicited, JsonSchema, Revision, Server, json, tool, tools};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema, jackfield::Form)]
//! struct Sure {
//!     yes: bool,
//! }
//!
//! #[tool(task)]
//! async fn delete(file: String, cx: &Cx) -> jackfield::Result<String> {
//!     match cx.elicit::<Sure>("sure", &format!("Delete {file}?")).await? {
//!         Elicited::Accepted(Sure { yes: true }) => Ok(format!("{file} is gone")),
//!         _ => Ok(format!("{file} is still there")),
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
//!     let server = Server::new("files").tools(tools![delete]);
//!     let client = TestClient::with_revision(server, revision).with_tasks().on_elicit(|_question| {
//!         ElicitResult::new(ElicitAction::Accept).with_content(json!({ "yes": true }).as_object().cloned().unwrap())
//!     });
//!     let result = client.call_tool("delete", json!({ "file": "a.txt" })).await?;
//!     assert_eq!(result.content[0].as_text(), Some("a.txt is gone"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # How they are kept
//!
//! A task is kept, with its result, for an hour from its creation, or as long as the client asks for, but at most for a day. Each user has at most 256 of
//! them, and at most 128 run at once. [`Tasks`](crate::Tasks) changes all that, and where they are kept:
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use jackfield::store::MemoryTasks;
//! use jackfield::{Server, Tasks};
//!
//! let tasks = Tasks::new()
//!     .store(Arc::new(MemoryTasks::new().with_limit(500)))
//!     .ttl(Duration::from_secs(10 * 60))
//!     .poll_interval(Duration::from_secs(5));
//! let server = Server::new("reports").tasks(tasks);
//! # drop(server);
//! ```
//!
//! A store in a file (feature `sqlite`) or in Redis (feature `redis`) keeps tasks beyond a restart, and several servers may share it: each tells
//! and cancels the tasks of all.
//!
//! ```
//! use jackfield::{Server, Tasks, store};
//!
//! # fn main() -> Result<(), store::StoreError> {
//! # let address = "memory:";
//! // "sqlite:/var/lib/reports/tasks.db", "redis://redis.internal"
//! let stores = store::open(address)?;
//! let server = Server::new("reports").tasks(Tasks::new().store(stores.tasks().clone()));
//! # drop(server);
//! # Ok(())
//! # }
//! ```
//!
//! Cancelling a task drops its future; work on a thread of its own can look at [`Cx::is_cancelled`](crate::Cx::is_cancelled). A handler that panics, a server
//! that is shut down and a node that dies all end in a task that failed and says why.
//!
//! Tasks belong to the authenticated user. Without one, a task of 2025-11-25 belongs to its session, and a task of the extension to whoever knows
//! its id, which has 192 random bits. Servers without users should keep tasks for a shorter time.
