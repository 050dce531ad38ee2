//! Changes on their way to other nodes, and from them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jackfield_store::{Notice, StoreError, Stores, Subscription};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::changes::{Audience, Change};
use crate::core::Core;
use crate::seal::random;

/// How long is waited before the bus is tried again.
const PAUSE: Duration = Duration::from_millis(250);
/// How many changes wait for a bus that is away; then others look at everything.
const WAITING: usize = 10_000;

/// Takes changes to other nodes. Many of a kind are one until the bus takes them.
#[derive(Debug)]
pub(crate) struct Bridge {
    node: String,
    topic: String,
    count: AtomicU64,
    waiting: Mutex<Waiting>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    changes: BTreeMap<Change, Arc<str>>,
    /// There were too many to remember.
    everything: bool,
}

/// What is said to other nodes.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    node: String,
    changes: Vec<(Change, String)>,
    #[serde(default)]
    everything: bool,
}

impl Bridge {
    fn new(name: &str) -> Arc<Self> {
        let mut number = [0; 8];
        random(&mut number);
        Arc::new(Self {
            node: format!("{:016x}", u64::from_le_bytes(number)),
            topic: format!("changes {name}"),
            count: AtomicU64::new(0),
            waiting: Mutex::default(),
            arrived: Notify::new(),
        })
    }

    /// Tells other nodes of a change. Returns what it is known by on all of them.
    pub(crate) fn tell(&self, change: &Change) -> Arc<str> {
        let key = self.key();
        let mut waiting = self.waiting();
        if waiting.changes.len() < WAITING || waiting.changes.contains_key(change) {
            waiting.changes.insert(change.clone(), key.clone());
        } else {
            waiting.everything = true;
        }
        drop(waiting);
        self.arrived.notify_one();
        key
    }

    fn key(&self) -> Arc<str> {
        format!("change {}-{}", self.node, self.count.fetch_add(1, Ordering::Relaxed)).into()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Option<Told> {
        let Waiting { changes, everything } = std::mem::take(&mut *self.waiting());
        if changes.is_empty() && !everything {
            return None;
        }
        let changes = changes.into_iter().map(|(change, key)| (change, key.to_string())).collect();
        Some(Told { node: self.node.clone(), changes, everything })
    }
}

/// Begins to tell other nodes of changes, and to hear of theirs.
pub(super) async fn connect(core: &Arc<Core>, name: &str, stores: &Stores) -> Result<(), StoreError> {
    let bridge = Bridge::new(name);
    let notices = stores.bus().subscribe(&[&bridge.topic]).await?;
    let audience = core.hub.audience().clone();
    if core.hub.set_bridge(bridge.clone()) {
        core.hub.spawn(send(bridge.clone(), stores.clone()));
        core.hub.spawn(hear(bridge, notices, audience));
    }
    Ok(())
}

async fn send(bridge: Arc<Bridge>, stores: Stores) {
    loop {
        bridge.arrived.notified().await;
        let Some(told) = bridge.take() else { continue };
        let Ok(text) = serde_json::to_vec(&told) else { continue };
        while let Err(error) = stores.bus().publish(&bridge.topic, text.clone().into()).await {
            tracing::debug!(%error, "other nodes do not hear of changes at the moment");
            tokio::time::sleep(PAUSE).await;
        }
    }
}

async fn hear(bridge: Arc<Bridge>, mut notices: Subscription, audience: Arc<Audience>) {
    while let Some(notice) = notices.next().await {
        let told = match notice {
            Notice::Heard { notice, .. } => match serde_json::from_slice::<Told>(&notice) {
                Ok(told) if told.node != bridge.node => told,
                _ => continue,
            },
            // Whatever it was, those who want to know look for themselves.
            _ => Told { node: String::new(), changes: Vec::new(), everything: true },
        };
        for (change, key) in told.changes {
            audience.tell(&change, Some(&key.into()));
        }
        if told.everything {
            audience.tell_everything(&bridge.key());
        }
    }
}
