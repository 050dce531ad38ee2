//! Requests of the legacy era: sessions over Streamable HTTP, and over HTTP+SSE.

mod answers;
mod exchange;
mod http_sse;
mod reading;
mod session_host;
mod streamable;

pub(crate) use exchange::Exchange;
pub(crate) use http_sse::{SseEndpoint, session_in, take_http_sse};
pub(crate) use session_host::{SWEEP, SessionHost};
pub(crate) use streamable::StreamableEndpoint;
