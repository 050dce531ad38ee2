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

mod client;
mod config;
mod connection;
mod error;
#[cfg(feature = "icons")]
pub mod icons;
mod lists;
mod questions;
mod request;
#[cfg(feature = "skills")]
pub mod skills;
mod subscriptions;
mod sync;
mod tasks;
mod tools;
mod transport;

pub use jackfield_peer::child::Command;
pub use jackfield_peer::{ByteStream, Rate};

pub use client::Client;
pub use config::{Builder, Limits, Restarts, Timeouts};
pub use connection::ServerInfo;
pub use error::{BadAnswer, BadOutput, Error, ErrorKind};
pub use lists::{Cache, CacheOwner, Listed, Listing, Typing};
pub use questions::{RatedModel, TimeoutPause};
pub use request::Behalf;
pub use subscriptions::{Event, Subscribe, Subscription};
pub use tools::{Call, Output};
pub use transport::{
    BoxFuture, Connector, Direction, EndReason, Failure, Inbox, Link, NotSent, OpenConnection, Outgoing, OutgoingKind,
    RequestInfo,
};
#[cfg(feature = "http")]
pub use transport::{EraCache, Http};
