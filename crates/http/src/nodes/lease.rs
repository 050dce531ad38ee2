//! Leases: how nodes know of each other that they live.

use std::sync::Weak;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::Node;
use super::node::lock;
use crate::endpoint::Endpoint;

/// How long a node that says nothing is taken to live.
const LEASE: Duration = Duration::from_millis(1200);
const RENEWAL: Duration = Duration::from_millis(400);
/// How often is looked for a store that is away.
const AWAY: Duration = Duration::from_millis(250);
/// For how long the answer about a node is believed.
const BELIEF: Duration = Duration::from_millis(50);
/// How many answers are remembered.
const REMEMBERED: usize = 1024;

pub(super) fn key(node: &str) -> String {
    format!("node {node}")
}

/// Says again and again that this node lives.
pub(super) async fn renew(endpoint: Weak<Endpoint>) {
    loop {
        let Some(node) = endpoint.upgrade().and_then(|endpoint| endpoint.shared.node.clone()) else { return };
        let key = key(&node.name);
        let renewed = node.try_ask(node.stores.kv().put(&key, Bytes::from_static(b"1"), Some(LEASE))).await;
        drop(node);
        tokio::time::sleep(if renewed.is_ok() { RENEWAL } else { AWAY }).await;
    }
}

impl Node {
    /// Whether another node is known to be no more. One that was frozen may come back.
    pub(super) async fn is_dead(&self, other: &str) -> bool {
        if other == self.name {
            return false;
        }
        if let Some((asked, dead)) = lock(&self.leases).get(other).copied()
            && asked.elapsed() < BELIEF
        {
            return dead;
        }
        let Ok(lease) = self.ask(self.stores.kv().get(&key(other))).await else { return false };
        let dead = lease.is_none() && self.is_settled();
        let mut leases = lock(&self.leases);
        if leases.len() >= REMEMBERED {
            leases.clear();
        }
        leases.insert(other.to_owned(), (Instant::now(), dead));
        dead
    }
}
