//! Leases: how nodes know of each other that they live.

use std::sync::Weak;
use std::time::Duration;

use bytes::Bytes;
use jackfield_store::StoreError;
use tokio::time::Instant;

use super::node::{away, lock};
use super::{Cluster, Node};

/// How long a node that says nothing is taken to live.
const LEASE: Duration = Duration::from_millis(1000);
const RENEWAL: Duration = Duration::from_millis(250);
/// How often is looked for a store that is away.
const AWAY: Duration = Duration::from_millis(250);
/// For how long it is believed that a node lives.
const BELIEF: Duration = Duration::from_millis(50);
/// How many nodes are remembered.
const REMEMBERED: usize = 1024;

pub(super) fn key(node: &str) -> String {
    format!("node {node}")
}

/// Says again and again that this node lives.
pub(super) async fn renew(cluster: Weak<Cluster>) {
    loop {
        let Some(node) = cluster.upgrade().map(|cluster| cluster.node.clone()) else { return };
        let renewed = node.renew_lease().await;
        drop(node);
        tokio::time::sleep(if renewed.is_ok() { RENEWAL } else { AWAY }).await;
    }
}

impl Node {
    async fn renew_lease(&self) -> Result<(), StoreError> {
        let (begun, key) = (Instant::now(), key(&self.name));
        self.try_ask(self.stores.kv().put(&key, Bytes::from_static(b"1"), Some(LEASE))).await?;
        *lock(&self.held) = Some(begun);
        Ok(())
    }

    /// Makes sure that the others take this node to live, before it begins something that they would end otherwise. One that was
    /// frozen may have lost its lease without noticing.
    pub(super) async fn hold_lease(&self) -> Result<(), StoreError> {
        let is_held = lock(&self.held).is_some_and(|begun| begun.elapsed() < LEASE - RENEWAL);
        if is_held { Ok(()) } else { self.renew_lease().await }
    }

    /// Whether another node is known to be no more. One that was frozen may come back.
    pub(super) async fn is_dead(&self, other: &str) -> bool {
        matches!(self.lives(other).await, Ok(false))
    }

    /// Whether a node lives.
    ///
    /// # Errors
    /// Nobody knows at the moment.
    pub(super) async fn lives(&self, other: &str) -> Result<bool, StoreError> {
        if other == self.name {
            return Ok(true);
        }
        if lock(&self.alive).get(other).is_some_and(|asked| asked.elapsed() < BELIEF) {
            return Ok(true);
        }
        let lease = self.ask(self.stores.kv().get(&key(other))).await?;
        if lease.is_none() {
            // It may come back at any moment, so this is not remembered.
            return if self.is_settled() { Ok(false) } else { Err(away()) };
        }
        let mut alive = lock(&self.alive);
        if alive.len() >= REMEMBERED {
            alive.clear();
        }
        alive.insert(other.to_owned(), Instant::now());
        Ok(true)
    }
}
