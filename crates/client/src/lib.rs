//! A Model Context Protocol client: one call connects to any server of any revision.
//!
//! ```no_run
//! # async fn example() -> Result<(), jackfield_client::Error> {
//! use jackfield_client::Client;
//!
//! let client = Client::spawn("my-server", ["--verbose"]).await?;
//! let sum: i64 = client.call("add", serde_json::json!({"a": 2, "b": 3})).await?.structured()?;
//! for tool in client.tools().all().await? {
//!     println!("{}", tool.name);
//! }
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! The client finds out which revision the server speaks, answers the server's questions through handlers, pages through
//! lists, follows tasks, starts a dead server again, and ends every request with a result or a definite [`Error`]. A server
//! cannot make it hang, panic, or grow without limit; see [`Limits`] and [`Timeouts`].
//!
//! Everything a server says is untrusted: names, descriptions, schemas, errors, log messages and results. Nothing is ever
//! fetched or opened because a server named it; whoever draws icons loads them with the module `icons`, which is careful.

mod asking;
mod audit;
mod behalf;
mod builder;
mod cache;
mod call;
mod catalogue;
mod client;
mod connection;
mod core;
mod error;
mod handlers;
mod handshake;
#[cfg(feature = "http")]
mod http;
#[cfg(feature = "icons")]
pub mod icons;
mod inbox;
mod keep_alive;
mod kept;
mod limits;
mod listing;
mod model_choice;
mod options;
mod outbox;
mod output;
mod pages;
mod pending;
mod received_tasks;
mod rounds;
mod sending;
mod session;
#[cfg(feature = "skills")]
pub mod skills;
mod spawned;
mod stream;
mod streamed;
mod subscription;
mod subscriptions;
mod supervisor;
mod sync;
mod tap;
mod tasks;
mod transport;
mod typing;
#[cfg(feature = "validation")]
mod validation;

pub use jackfield_peer::child::Command;
pub use jackfield_peer::{ByteStream, Rate};

pub use behalf::Behalf;
pub use builder::Builder;
pub use cache::{Cache, CacheOwner};
pub use call::Call;
pub use client::Client;
pub use connection::Busy;
pub use error::{BadAnswer, BadOutput, Error};
#[cfg(feature = "http")]
pub use http::{Eras, Http};
pub use inbox::{Failure, Inbox};
pub use limits::{Limits, Restarts, Timeouts};
pub use listing::{Listed, Listing};
pub use model_choice::RatedModel;
pub use output::Output;
pub use session::ServerFacts;
pub use subscription::{Event, Subscribe, Subscription};
pub use tap::Direction;
pub use transport::{Boxed, Connected, Connector, Ended, Link, NotSent, Outgoing, RequestFacts, Sent};
pub use typing::Typing;
