//! The Model Context Protocol over HTTP, server side: one endpoint that speaks 2026-07-28 statelessly and the Streamable
//! HTTP of the older revisions with sessions, and beside it the HTTP+SSE transport of 2024-11-05.
//!
//! [`HttpServer`] listens by itself; [`StreamableService`] is a `tower` service to mount in an application. Both serve any
//! [`jackfield_peer::Handler`].
//!
//! With the feature `client` there is the other side too: `client::Agent` sends requests.

mod beside;
mod body;
mod calls;
#[cfg(feature = "client")]
pub mod client;
mod collect;
mod config;
mod connection;
mod cors;
mod deadline;
mod endpoint;
mod events;
mod exchange;
mod gate;
mod guard;
mod headers;
mod http_sse;
mod known;
mod legacy;
mod limits;
mod modern;
mod modern_stream;
mod negotiation;
mod nodes;
mod owner;
mod queue;
#[cfg(feature = "reach")]
mod reach;
#[cfg(feature = "opentelemetry")]
mod remote_parent;
mod respond;
#[cfg(feature = "axum")]
mod router;
mod sender;
mod served;
mod server;
mod service;
mod session;
mod shared_token;
pub mod sse;
mod sync;
mod taped;
mod telemetry;

pub use beside::{Beside, ClientAddress, Serving};
pub use body::Body;
pub use config::{HttpConfig, SsePaths};
pub use gate::{Gate, Passing};
pub use limits::HttpLimits;
#[cfg(feature = "reach")]
pub use reach::{OutOfReach, Reach, is_public};
#[cfg(feature = "axum")]
pub use router::router;
pub use server::{BoundServer, Error, HttpServer};
pub use service::StreamableService;
pub use session::SessionId;
pub use shared_token::SharedToken;
