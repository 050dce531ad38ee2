//! Prompts: messages that a server prepares for a person.
//!
//! Arguments of prompts are text in the protocol; parameters may have any type with `FromStr`. `Option` and `#[default]` make them optional.
//!
//! ```
//! use jackfield::{ContentBlock, PromptMessage, Server, json, prompt, prompts, testing::TestClient};
//!
//! /// Asks for a review of code.
//! #[prompt(title = "Code review")]
//! fn review(
//!     /// The code to review.
//!     code: String,
//!     #[complete("rust", "python", "go")] language: Option<String>,
//!     #[default(3)] strictness: u8,
//! ) -> Vec<PromptMessage> {
//!     let language = language.as_deref().unwrap_or("unknown");
//!     vec![
//!         PromptMessage::user(ContentBlock::text(format!("Review this {language} code (strictness {strictness}):\n{code}"))),
//!         PromptMessage::assistant(ContentBlock::text("I will look at errors first.")),
//!     ]
//! }
//!
//! /// One text is one message of the person.
//! #[prompt]
//! fn explain(error: &str) -> String {
//!     format!("Explain this error: {error}")
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> jackfield::Result {
//! let client = TestClient::of(Server::new("reviewer").prompts(prompts![review, explain]));
//! let prompt = client.get_prompt("review", json!({ "code": "x = 1", "strictness": "5" })).await?;
//! assert_eq!(prompt.messages[0].content.as_text(), Some("Review this unknown code (strictness 5):\nx = 1"));
//! // A missing argument is refused by name.
//! assert!(client.get_prompt("explain", json!({})).await.unwrap_err().message.contains("error"));
//! # Ok(())
//! # }
//! ```
