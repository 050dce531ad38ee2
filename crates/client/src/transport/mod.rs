//! What carries messages: the traits of a transport, the inbox for what comes back, byte streams, child processes, HTTP.

mod child_connector;
mod connector;
#[cfg(feature = "http")]
mod http;
mod inbox;
pub(crate) mod observer;
mod stream_connector;
mod stream_driver;
mod stream_link;

pub use connector::{
    BoxFuture, Connector, EndReason, Link, NotSent, OpenConnection, Outgoing, OutgoingKind, RequestInfo,
};
#[cfg(feature = "http")]
pub use http::{EraCache, Http};
pub use inbox::{Failure, Inbox};
pub use observer::Direction;

pub(crate) use child_connector::ChildConnector;
#[cfg(feature = "http")]
pub(crate) use http::HttpConnector;
pub(crate) use observer::MessageObserver;
pub(crate) use stream_connector::StreamConnector;
pub(crate) use stream_driver::{Driver, Stop};
pub(crate) use stream_link::{StreamLink, Turn};
