//! The client: connects to a server of any revision, as a child process, by URL or over any byte stream. The [guide](crate::guide::client)
//! shows it at work.

#[cfg(feature = "http")]
pub use jackfield_client::icons;
#[cfg(feature = "skills")]
pub use jackfield_client::skills;
pub use jackfield_client::{
    BadAnswer, BadOutput, Behalf, Builder, Cache, CacheOwner, Call, Client, Command, Direction, EndReason, Error,
    ErrorKind, Event, Failure, Limits, Listed, Listing, Output, RatedModel, Restarts, ServerInfo, Subscribe,
    Subscription, TimeoutPause, Timeouts, Typing,
};
#[cfg(feature = "http")]
pub use jackfield_client::{EraCache, Http};

/// What a transport of your own implements.
pub mod connector {
    pub use jackfield_client::{
        BoxFuture, Connector, Inbox, Link, NotSent, OpenConnection, Outgoing, OutgoingKind, RequestInfo,
    };
}
