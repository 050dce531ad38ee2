//! Using servers: `Client`, with the feature `client`.
//!
//! One call connects. The client finds out which of the five revisions the server speaks, and from then on it does not matter.
//!
//! | call | connects to | feature |
//! | --- | --- | --- |
//! | `Client::connect("https://example.com/mcp")` | a URL, in whatever form of HTTP the server has | `http`, and `tls` for https |
//! | `Client::spawn("program", ["argument"])` | a program, as a child process without a shell | `client` |
//! | `Client::over(stream)` | any byte stream, such as a socket or memory | `client` |
//! | `Client::builder().through(connector)` | a transport of your own | `client` |
//!
#![cfg_attr(feature = "client", doc = "```")]
#![cfg_attr(not(feature = "client"), doc = "```ignore")]
//! use jackfield::transport::ByteStream;
//! use jackfield::{Client, ElicitAction, ElicitResult, Server, json, tool, tools};
//!
//! /// Add two numbers.
//! #[tool]
//! fn add(a: i64, b: i64) -> jackfield::Json<i64> { jackfield::Json(a + b) }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let (ours, theirs) = ByteStream::pair(64 * 1024);
//! let serving = Server::new("demo").tools(tools![add]).serve_stream(theirs);
//! let using = async {
//!     let client = Client::builder()
//!         // What a server may ask follows from the handlers: this one declines every form.
//!         .on_form(|_form| async { Ok(ElicitResult::new(ElicitAction::Decline)) })
//!         // Calls may be answered with tasks, which are then waited for.
//!         .tasks()
//!         .over(ours)
//!         .await?;
//!     let names: Vec<String> = client.tools().all().await?.into_iter().map(|tool| tool.name).collect();
//!     assert_eq!(names, ["add"]);
//!
//!     let sum: i64 = client.call("add", json!({"a": 2, "b": 3})).await?.structured()?;
//!     assert_eq!(sum, 5);
//!     client.close().await;
//!     Ok::<(), jackfield::client::Error>(())
//! };
//! let (served, used) = tokio::join!(serving, using);
//! served?;
//! used?;
//! # Ok(())
//! # }
//! ```
//!
//! Over HTTP, `Http` says more about a server than its URL: keys, who is asking, how to connect. What is sent never leaves
//! the origin of the URL, whatever the server answers.
//!
#![cfg_attr(all(feature = "client", feature = "http"), doc = "```no_run")]
#![cfg_attr(not(all(feature = "client", feature = "http")), doc = "```ignore")]
//! use jackfield::client::{Client, Http};
//! use jackfield::json;
//!
//! # async fn example() -> Result<(), jackfield::client::Error> {
//! let client = Client::builder().connect(Http::new("https://example.com/mcp").bearer("…")).await?;
//! let output = client.call("search", json!({"query": "jackfield"}))
//!     .timeout(std::time::Duration::from_secs(10))
//!     .on_progress(|notice| eprintln!("{}", notice.progress))
//!     .await?;
//! let mut changes = client.subscribe().tools().resource("file:///notes.txt").await?;
//! while let Some(event) = changes.next().await {
//!     println!("{:?}", event?);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! `Builder::tape` records the messages of both sides, with secrets redacted: see [`tape`](crate::tape).
//!
//! Every request ends: with a result, with the server's error, or with an error that says what happened, after a minute without
//! a sign of progress at the latest. A server that dies is started or reached again; a call that was under way ends with
//! an error that says `is_lost`, because nobody knows whether it was done.
