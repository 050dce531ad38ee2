//! Requests of the modern era: each is served by itself, in the response that answers it.

mod dispatch;
mod queue;
mod stream;

pub(crate) use dispatch::wait;
pub(crate) use stream::ModernStream;
