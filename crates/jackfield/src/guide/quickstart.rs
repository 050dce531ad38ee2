//! From nothing to a server.
//!
//! ```toml
//! [dependencies]
//! jackfield = "0.1"
//! tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
//! ```
//!
//! A tool is a function that a model may call. Its comment is what the model reads; its parameters are the arguments.
//!
//! ```no_run
//! use jackfield::{Server, tool, tools};
//!
//! /// Computes the body mass index.
//! #[tool(read_only)]
//! fn bmi(
//!     /// In kilograms.
//!     weight: f64,
//!     /// In metres.
//!     height: f64,
//! ) -> f64 {
//!     weight / height.powi(2)
//! }
//!
//! #[tokio::main]
//! async fn main() -> jackfield::Result {
//!     Server::new("health").tools(tools![bmi]).run_cli().await
//! }
//! ```
//!
//! `run_cli` serves the standard streams, which is how hosts start local servers, or HTTP if the program is started with
//! `--http 127.0.0.1:8000`. `run` is the same without a look at the command line. To see the server as its client does, without any
//! process, use the test client:
//!
//! ```
//! # use jackfield::{Server, tool, tools};
//! # #[tool]
//! # fn bmi(weight: f64, height: f64) -> f64 { weight / height.powi(2) }
//! use jackfield::{json, testing::TestClient};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let client = TestClient::of(Server::new("health").tools(tools![bmi]));
//! let result = client.call_tool("bmi", json!({ "weight": 80, "height": 2 })).await?;
//! assert_eq!(result.content[0].as_text(), Some("20"));
//! # Ok(())
//! # }
//! ```
//!
//! Functions with common state go into an impl block. Inside it the attributes need no import.
//!
//! ```
//! use std::sync::Mutex;
//!
//! use jackfield::{Server, json, server, testing::TestClient};
//!
//! #[derive(Default)]
//! struct Notes {
//!     all: Mutex<Vec<String>>,
//! }
//!
//! /// Save notes and read them by their number.
//! #[server]
//! impl Notes {
//!     /// Saves a note and tells its number.
//!     #[tool]
//!     fn save(&self, text: String) -> usize {
//!         let mut all = self.all.lock().unwrap();
//!         all.push(text);
//!         all.len() - 1
//!     }
//!
//!     #[resource("notes://{number}")]
//!     fn note(&self, number: usize) -> Option<String> {
//!         self.all.lock().unwrap().get(number).cloned()
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let client = TestClient::of(Server::of(Notes::default()));
//! client.call_tool("save", json!({ "text": "buy milk" })).await?;
//! assert!(client.read_resource("notes://0").await.is_ok());
//! assert!(client.read_resource("notes://1").await.is_err());
//! # Ok(())
//! # }
//! ```
