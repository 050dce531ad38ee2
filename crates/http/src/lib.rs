//! The Model Context Protocol over HTTP, server side: one endpoint that speaks 2026-07-28 statelessly and the Streamable
//! HTTP of the older revisions with sessions, and beside it the HTTP+SSE transport of 2024-11-05.
//!
//! [`HttpServer`] listens by itself; [`StreamableService`] is a `tower` service to mount in an application. Both serve any
//! [`jackfield_peer::Handler`].
//!
//! With the feature `client` there is the other side too: `client::Agent` sends requests, and `fetch::HttpFetch` fetches documents whose
//! addresses others chose.

#[cfg(feature = "client")]
pub mod client;
mod config;
mod connection;
mod endpoint;
mod events;
#[cfg(feature = "fetch")]
pub mod fetch;
mod legacy;
mod modern;
mod nodes;
mod request;
mod response;
mod server;
mod session;
pub mod sse;
mod sync;
mod telemetry;

pub use config::{
    Authentication, Authenticator, ClientAddress, ExtraRoutes, HttpConfig, HttpLimits, RouteFuture, SharedToken,
    SsePaths,
};
pub use response::Body;
#[cfg(feature = "axum")]
pub use server::router;
pub use server::{BoundServer, Error, HttpServer, StreamableService};
pub use session::SessionId;
