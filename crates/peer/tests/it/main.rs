//! Behaviour of connections, seen from the other end of the stream.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cancellation;
mod cancellation_model;
mod ends;
mod errors;
mod exactly_once;
mod handshake;
mod limits;
mod logging;
mod questions;
mod script;
mod shutdown;
mod tape;
mod telemetry;
