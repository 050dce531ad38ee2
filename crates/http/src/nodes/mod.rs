//! Several processes that serve the same sessions, because they share a store.
//!
//! No session has a home. A node that gets a request of a session it does not know loads it and keeps a replica; the others tell it of
//! changes. What can be in one process only, such as a running call, is reached there: its events are in the shared log, and what the
//! client sends to it goes to its inbox.

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
