//! Three ways to serve an endpoint: a listener of our own, a `tower` service, an axum router.

#[cfg(feature = "axum")]
mod axum_router;
mod listener;
mod service;

#[cfg(feature = "axum")]
pub use axum_router::router;
pub use listener::{BoundServer, Error, HttpServer};
pub use service::StreamableService;
