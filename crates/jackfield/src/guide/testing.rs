//! Testing a server in memory, as clients of every revision see it.
//!
//! [`TestClient`](crate::testing::TestClient) speaks to the server through all its layers, but without a process or a socket.
//!
//! ```
//! use jackfield::{Revision, Server, json, testing::TestClient, tool, tools};
//!
//! #[tool]
//! fn add(a: i64, b: i64) -> i64 {
//!     a + b
//! }
//!
//! fn server() -> Server {
//!     Server::new("calculator").tools(tools![add])
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! for revision in Revision::ALL {
//!     let client = TestClient::with_revision(server(), revision);
//!     assert_eq!(client.list_tools().await?[0].name, "add");
//!     let sum = client.call_tool("add", json!({ "a": 2, "b": 3 })).await?;
//!     assert_eq!(sum.content[0].as_text(), Some("5"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! - `on_elicit`, `on_sample` and `with_roots` answer questions, and declare that the client can.
//! - `progress`, `logs` and `notifications` tell what came besides the answers; `wait_for` waits for a notification.
//! - `request` sends anything and returns the result as it is.
//!
//! ```
//! # use jackfield::{Server, json, testing::TestClient};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let client = TestClient::of(Server::new("empty"));
//! let error = client.request("no/such/method", json!({})).await.unwrap_err();
//! assert_eq!(error.code, -32601);
//! # Ok(())
//! # }
//! ```
