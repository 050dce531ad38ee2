//! The sessions of this process as a part of those that several processes serve.

use std::sync::Arc;

use super::{Node, inbox, lease, notices, upkeep};
use crate::legacy::SessionHost;

/// The sessions of this process as a part of those that several processes serve: they are loaded from the store and kept there, changes are
/// exchanged with other nodes.
pub(crate) struct Cluster {
    pub(crate) node: Arc<Node>,
    pub(super) host: Arc<SessionHost>,
}

impl Cluster {
    pub(crate) fn new(node: Arc<Node>, host: Arc<SessionHost>) -> Arc<Self> {
        Arc::new(Self { node, host })
    }

    /// Begins what goes on beside requests, once.
    pub(crate) fn start(self: &Arc<Self>) {
        if self.node.begins() {
            let cluster = Arc::downgrade(self);
            self.node.spawn(lease::renew(cluster.clone()));
            self.node.spawn(notices::listen(cluster.clone()));
            self.node.spawn(inbox::read(cluster.clone()));
            self.node.spawn(upkeep::go_on(cluster));
        }
    }
}
