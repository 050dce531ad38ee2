//! Behaviour of connections, seen from the other end of the stream.

mod cancellation;
mod errors;
mod exactly_once;
mod handshake;
mod limits;
mod questions;
mod script;
mod shutdown;
