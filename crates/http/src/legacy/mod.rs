//! Requests of the legacy era: sessions over Streamable HTTP, and over HTTP+SSE.

mod answers;
mod exchange;
mod http_sse;
mod legacy_dispatch;
mod streamable;

#[cfg(test)]
pub(crate) use exchange::Answered;
pub(crate) use exchange::Exchange;
pub(crate) use http_sse::session_in;
