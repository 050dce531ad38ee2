//! The transport at its border: real sockets on loopback, raw bytes, and a client of a few lines.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod client;
mod fixture;
mod logging;

mod abuse;
mod connections;
mod guards;
mod header_checks;
mod http2;
mod http_sse;
mod legacy;
mod malformed;
mod modern;
mod mount;
mod nodes;
mod noticing;
mod resume;
mod security;
mod session_model;
mod shared_token;
mod shutdown;
mod streams;
mod taped;
mod telemetry;
mod timing;
mod tls;
