//! Servers over HTTP, in all three forms: each request by itself since 2026-07-28, sessions before, and the two channels of
//! 2024-11-05.
//!
//! The link takes messages; each becomes a POST in a task of its own. What comes back goes to the inbox. The handshake above
//! decides between the eras; here it is only decided between the two older forms, when `initialize` is refused.

mod backoff;
mod connector;
mod credentials;
mod eras;
mod exchange;
mod http_sse;
mod link;
mod listening;
mod message;
mod shared;
mod target;

pub use eras::EraCache;
pub use target::Http;

pub(crate) use connector::HttpConnector;
