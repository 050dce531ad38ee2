//! Resources: what a client may read by its URI.
//!
//! A URI with `{variables}` (RFC 6570) is a template; each variable is a parameter of the same name. What does not match is an
//! error of the compiler.
//!
//! ```
//! use jackfield::{Json, Server, json, resource, resources, testing::TestClient};
//!
//! /// The whole configuration.
//! #[resource("config://all", mime_type = "application/toml", title = "Configuration")]
//! fn config() -> &'static str {
//!     "debug = true"
//! }
//!
//! /// One page of a book.
//! #[resource("books://{book}/pages/{page}")]
//! async fn page(book: String, page: u32) -> Option<String> {
//!     (page < 100).then(|| format!("{book}, page {page}"))
//! }
//!
//! #[resource("image://logo", mime_type = "image/png")]
//! fn logo() -> Vec<u8> {
//!     vec![0x89, b'P', b'N', b'G']
//! }
//!
//! #[resource("stats://today")]
//! fn stats() -> Json<Vec<u32>> {
//!     Json(vec![1, 2, 3])
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let server = Server::new("library").resources(resources![config, page, logo, stats]);
//! let client = TestClient::of(server);
//! let read = client.read_resource("books://emma/pages/7").await?;
//! assert_eq!(json!(read.contents), json!([{ "uri": "books://emma/pages/7", "text": "emma, page 7" }]));
//! // `None` means that there is no such resource, with the error code of the caller's revision.
//! assert_eq!(client.read_resource("books://emma/pages/700").await.unwrap_err().code, -32602);
//! # Ok(())
//! # }
//! ```
//!
//! Variables may have any type with `FromStr`. `Option` is for those that may be absent, such as `{?page}`, `Vec` for those with several
//! values, such as `{/path*}`.
//!
//! # Completion
//!
//! `#[complete("one", "other")]` proposes fixed values, `#[complete(function)]` asks `fn(&str) -> Vec<String>`, or
//! `fn(Completing) -> Vec<String>` (which may be `async`) if it has to know what else was chosen. In an impl block, `#[complete(self.method)]`.
//!
//! ```
//! use jackfield::{Reference, Server, resource, resources, testing::TestClient};
//!
//! fn books(typed: &str) -> Vec<String> {
//!     ["emma", "ulysses"].iter().filter(|title| title.starts_with(typed)).map(|title| title.to_string()).collect()
//! }
//!
//! #[resource("books://{book}/{format}")]
//! fn book(#[complete(books)] book: String, #[complete("text", "html")] format: String) -> String {
//!     format!("{book} as {format}")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let client = TestClient::of(Server::new("library").resources(resources![book]));
//! let proposals = client.complete(Reference::resource("books://{book}/{format}"), "book", "e").await?;
//! assert_eq!(proposals.values, ["emma"]);
//! # Ok(())
//! # }
//! ```
