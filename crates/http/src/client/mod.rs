//! Sending requests over HTTP: an [`Agent`] keeps connections open, never leaves an origin, reads bodies and event streams
//! within limits, and asks an [`Authorizer`] what to say about who is asking.
//!
//! It knows nothing of the protocol's messages; the client that does stands above it.

mod agent;
mod answer;
mod authorizer;
mod conn;
mod dialer;
mod error;
mod events;
mod origin;
mod proxies;
mod resolve;
#[cfg(test)]
mod tests;
#[cfg(feature = "client-tls")]
mod tls;

pub use agent::{Agent, AgentConfig};
pub use answer::Answer;
pub use authorizer::{Asked, Authorizer, Boxed, NotAuthorized, Reaction, Refusal};
pub use dialer::Dial;
pub use error::Error;
pub use events::Events;
pub use origin::{resolve, same_origin};
pub use proxies::{BadProxy, Proxies};
pub use resolve::{Resolve, SystemNames};
