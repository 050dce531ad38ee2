//! The context of a call: state, progress, logs, and questions to the other side.
//!
//! A parameter `cx: &Cx` is not an argument but the context. It works the same for callers of all revisions.
//!
//! # State
//!
//! ```
//! use std::sync::atomic::{AtomicU64, Ordering};
//!
//! use jackfield::{Server, State, json, testing::TestClient, tool, tools};
//!
//! struct Counter(AtomicU64);
//!
//! #[tool]
//! fn count(counter: State<Counter>) -> u64 {
//!     counter.0.0.fetch_add(1, Ordering::Relaxed) + 1
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let client = TestClient::of(Server::new("counter").tools(tools![count]).state(Counter(AtomicU64::new(0))));
//! client.call_tool("count", json!({})).await?;
//! assert_eq!(client.call_tool("count", json!({})).await?.content[0].as_text(), Some("2"));
//! # Ok(())
//! # }
//! ```
//!
//! State that has to be opened and closed is a lifespan:
//!
//! ```
//! use std::sync::Arc;
//!
//! use jackfield::{Server, State, json, testing::TestClient, tool, tools};
//!
//! struct Database;
//!
//! #[tool]
//! fn query(sql: String, database: State<Database>) -> String {
//!     let _ = &*database;
//!     format!("0 rows for {sql}")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let open = || async { Database };
//! let close = |database: Arc<Database>| async move { drop(database) };
//! let client = TestClient::of(Server::new("explorer").tools(tools![query]).lifespan(open, close));
//! assert!(!client.call_tool("query", json!({ "sql": "select 1" })).await?.is_failure());
//! # Ok(())
//! # }
//! ```
//!
//! # Extractors
//!
//! Anything else that can be made from the context, such as the user, implements [`FromCx`](crate::server::FromCx) and is taken as
//! `#[extract] user: User`, or by its type in a closure. It may wait, and fail with an error of its own, which the model reads.
//!
//! ```
//! use jackfield::{Cx, Server, json, server::FromCx, testing::TestClient, tool, tools};
//!
//! struct User(String);
//!
//! impl FromCx for User {
//!     type Rejection = String;
//!
//!     async fn from_cx(cx: &Cx) -> Result<Self, String> {
//!         let name = cx.caller().client_info.as_ref().map_or("", |client| &client.name);
//!         look_up(name).await.ok_or_else(|| format!("there is no user {name:?}"))
//!     }
//! }
//!
//! async fn look_up(name: &str) -> Option<User> {
//!     (name == "jackfield-test-client").then(|| User(name.to_owned()))
//! }
//!
//! #[tool]
//! fn who_am_i(#[extract] user: User) -> String {
//!     user.0
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let client = TestClient::of(Server::new("users").tools(tools![who_am_i]));
//! let me = client.call_tool("who_am_i", json!({})).await?;
//! assert_eq!(me.content[0].as_text(), Some("jackfield-test-client"));
//! # Ok(())
//! # }
//! ```
//!
//! An extractor that never waits implements [`from_cx_now`](crate::server::FromCx::from_cx_now) too, which saves an allocation for each call.
//!
//! # Progress and logs
//!
//! ```
//! use jackfield::{Cx, LoggingLevel, Server, json, testing::TestClient, tool, tools};
//!
//! #[tool]
//! async fn copy(files: u32, cx: &Cx) -> String {
//!     cx.info("copying");
//!     for file in 1..=files {
//!         cx.progress(file, f64::from(files), None);
//!     }
//!     format!("copied {files} files")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let client = TestClient::of(Server::new("copier").tools(tools![copy])).with_log_level(LoggingLevel::Info);
//! client.call_tool("copy", json!({ "files": 1 })).await?;
//! assert_eq!(client.progress()[0].progress, 1.0);
//! assert_eq!(client.logs()[0].data.to_value(), json!("copying"));
//! # Ok(())
//! # }
//! ```
//!
//! # Questions
//!
//! A handler may ask the person ([`Cx::elicit`](crate::Cx::elicit)), the client's model ([`Cx::sample`](crate::Cx::sample)) and for the client's
//! folders ([`Cx::roots`](crate::Cx::roots)). Until 2025-11-25 these are requests to the client; since 2026-07-28 the call ends with the
//! question and the handler runs again, from its beginning, with the answer. Write it so that this does no harm: put what must not happen
//! twice into [`Cx::step`](crate::Cx::step), and ask each question under its own key.
//!
//! ```
//! use jackfield::testing::TestClient;
//! use jackfield::{Cx, ElicitAction, ElicitResult, Elicited, JsonSchema, Revision, Server, json, tool, tools};
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema, jackfield::Form)]
//! struct Booking {
//!     city: String,
//!     nights: u8,
//! }
//!
//! #[tool]
//! async fn book(cx: &Cx) -> jackfield::Result<String> {
//!     match cx.elicit::<Booking>("booking", "Where to, and for how long?").await? {
//!         Elicited::Accepted(booking) => Ok(format!("{} nights in {}", booking.nights, booking.city)),
//!         _ => Ok("nothing booked".to_owned()),
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! for revision in [Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28] {
//!     let client = TestClient::with_revision(Server::new("hotel").tools(tools![book]), revision).on_elicit(|_question| {
//!         let filled_in = json!({ "city": "Oslo", "nights": 2 });
//!         ElicitResult::new(ElicitAction::Accept).with_content(filled_in.as_object().cloned().unwrap())
//!     });
//!     let booked = client.call_tool("book", json!({})).await?;
//!     assert_eq!(booked.content[0].as_text(), Some("2 nights in Oslo"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A form is made from a struct that derives `Form`, whose fields are single values: texts, numbers, `bool`, and enums without fields. One value
//! needs no struct: `cx.elicit::<bool>("sure", "Shall I?")`, and the same with `String`, numbers, and an enum that derives `Form`. What cannot
//! be a form does not compile.
//!
//! Three things are easily done wrong, and done here: [`Cx::sample_with_tools`](crate::Cx::sample_with_tools) lets the model use tools that the
//! handler runs, by the rules and with an end; [`Cx::root_folders`](crate::Cx::root_folders) checks paths against the client's folders as the
//! file system has them; and [`Handles::visit`](crate::server::Handles::visit) finds out at a page that [`Cx::elicit_url`](crate::Cx::elicit_url) leads to
//! whether its visitor is the one whom it was made for.
//!
//! # After the call
//!
//! When the handler returns, its context is silent. Work that goes on takes [`Cx::client`](crate::Cx::client) with it: a handle that sends
//! notifications, tells that client of changes, asks it where its revision allows that, and knows when it is gone.
//!
//! ```
//! use jackfield::{Cx, LoggingLevel, State, tool};
//! use tokio::sync::Mutex;
//! use tokio::task::JoinSet;
//!
//! /// Build the project, and say so when it is done.
//! #[tool]
//! async fn build(jobs: State<Mutex<JoinSet<()>>>, cx: &Cx) -> &'static str {
//!     let client = cx.client();
//!     jobs.lock().await.spawn(async move {
//!         // … build …
//!         if let Err(error) = client.log(LoggingLevel::Info, None, "built").await {
//!             eprintln!("nobody was told: {error}");
//!         }
//!     });
//!     "building"
//! }
//! ```
//!
//! In the legacy era the client is a session. A client of the modern era has none: it is told of changes on the streams that it has opened, and
//! gets log messages and questions during calls only.
//!
//! # HTTP
//!
//! With the feature `http`, `Cx::headers` returns the headers of the request, without those that carry credentials;
//! [`Cx::auth`](crate::Cx::auth) the user that the configuration's authenticator let in; and [`Cx::extension`](crate::Cx::extension) what an authenticator or a
//! layer put beside the request. A handler that takes long may let go of its connection with
//! [`Cx::release`](crate::Cx::release), where the client can come back for the answer. None of that keeps a tool from running on the standard
//! streams too: there are no headers then, and no user.
