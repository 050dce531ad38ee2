//! Requests of the modern era: each is served by itself, in the response that answers it.

mod modern_endpoint;
mod queue;
mod stream;

pub(crate) use modern_endpoint::ModernEndpoint;
pub(crate) use stream::ModernStream;
