//! Several processes that serve the same sessions, because they share a store.
//!
//! No session has a home. A node that gets a request of a session it does not know loads it and keeps a replica; the others notify it of
//! changes. What can be in one process only, such as a running call, is reached there: its events are in the shared log, and what the
//! client sends to it goes to its inbox.
//!
//! Four races are closed here, each where the comment says so:
//!
//! - **A session is loaded while it changes.** The notice of the change comes before the session is in the table, and is lost. So notices are
//!   counted, and a session that was loaded while one came is loaded once more ([`Cluster::restore`]).
//! - **Two requests load the same session.** One replica gets into the table; the other's record may be newer, so it is applied to the
//!   winner. Records have versions, and an older one never undoes a newer one (`record::apply`).
//! - **A client subscribes at one node, and the resource changes at another one** before that has heard of the subscription. The record keeps
//!   the position in the change log at which it was made; a node that learns of it later tells the client what came after
//!   ([`Cluster::catch_up`]).
//! - **A client listens at one node, and a message for it is made at another** that does not know. A node that knows of no listener asks the
//!   store before it drops a message ([`has_listener`]).

mod cluster;
mod inbox;
mod latest;
mod lease;
mod node;
mod notices;
mod record;
mod remote;
mod replicas;
mod sink;
mod upkeep;

pub(crate) use cluster::Cluster;
pub(crate) use inbox::Letter;
pub(crate) use node::Node;
pub(crate) use notices::What;
pub(crate) use record::Replica;
pub(crate) use remote::Remote;
pub(crate) use replicas::{has_listener, keep_change};
pub(crate) use sink::Sink;
