//! Many Model Context Protocol servers behind one.
//!
//! A [`Gateway`] becomes an ordinary [`Server`](jackfield_server::Server) that has everything the servers behind it have, under the
//! names that they were given here: the tool `read` of the server `files` is `files__read`. What a server calls itself plays no part in
//! that, because every server can claim any name.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use jackfield_client::Command;
//! use jackfield_gateway::Gateway;
//!
//! let gateway = Gateway::new("all").spawn("files", Command::new("file-server").args(["/srv"]));
//! gateway.server()?.serve_http("127.0.0.1:8000").await.map_err(|error| error.to_string())?;
//! # Ok(())
//! # }
//! ```
//!
//! Each caller and each server speaks its own revision of the protocol. What a server asks in the middle of a call goes to the one who
//! called: by a request or by a result, as its revision has it. A server that is not there is missing from the lists and hurts nobody
//! else; it is tried again by itself.
//!
//! Which servers there are is decided where the gateway is built, and nowhere else: no request can start a program or name a server.
//! Credentials of callers end here; the gateway has its own for each server.

mod caller_lookup;
mod catalog;
mod error;
mod forward;
mod forwarded_call;
mod gateway;
mod headers;
mod local;
mod prefix;
mod resource_subscriptions;
mod retry_timer;
mod supervisor;
mod upstream;

pub use gateway::Gateway;
pub use prefix::BadName;
