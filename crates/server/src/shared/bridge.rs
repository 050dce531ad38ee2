//! Changes on their way to other nodes, and from them.
//!
//! They go by a log that all nodes read, not by the bus: a session whose only node died while nobody else served it finds in the log
//! what it was not told, when it goes on elsewhere.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jackfield_store::{EventLimits, EventWatch, NewEvent, NewEvents, StoreError, StoredEvent, Stores, StreamName};
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, watch};

use crate::builder::core::Core;
use crate::questions::seal::random;
use crate::routing::hooks::Boxed;
use crate::subscriptions::changes::{Audience, Change, SessionInbox};

/// How long is waited before the store is tried again.
const PAUSE: Duration = Duration::from_millis(250);
/// How many changes wait for a store that is away; then others look at everything.
const WAITING: usize = 10_000;
/// How much of the log is kept. Whoever was away for more looks at everything.
const ENTRIES: usize = 1000;
const BYTES: usize = 1024 * 1024;
const KEEP: Duration = Duration::from_secs(24 * 60 * 60);
/// How many entries are read at a time.
const SHEAF: usize = 256;

/// Takes changes to other nodes. Many of a kind are one until the store takes them.
#[derive(Debug)]
pub(crate) struct Bridge {
    node: String,
    log: String,
    stores: Stores,
    count: AtomicU64,
    waiting: Mutex<Waiting>,
    arrived: Notify,
    /// How many changes of ours are in the log.
    sent: watch::Sender<u64>,
    /// Up to where this node has read the log.
    place: AtomicU64,
}

#[derive(Debug, Default)]
struct Waiting {
    changes: BTreeMap<Change, Arc<str>>,
    /// There were too many to remember.
    everything: bool,
    /// How many there have been, those included that are not waiting any more.
    count: u64,
}

/// What is said to other nodes: an entry of the log.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    node: String,
    changes: Vec<(Change, String)>,
    #[serde(default)]
    everything: bool,
}

/// A part of the log.
#[derive(Debug)]
struct Page {
    entries: Vec<Told>,
    /// Up to where it goes.
    place: u64,
    /// There was more, which is not kept any more.
    missed: bool,
}

impl Bridge {
    fn new(name: &str, stores: &Stores) -> Arc<Self> {
        let mut number = [0; 8];
        random(&mut number);
        Arc::new(Self {
            node: format!("{:016x}", u64::from_le_bytes(number)),
            log: format!("changes {name}"),
            stores: stores.clone(),
            count: AtomicU64::new(0),
            waiting: Mutex::default(),
            arrived: Notify::new(),
            sent: watch::Sender::new(0),
            place: AtomicU64::new(0),
        })
    }

    /// Tells other nodes of a change. Returns what it is known by on all of them.
    pub(crate) fn tell(&self, change: &Change) -> Arc<str> {
        let key = self.key();
        let mut waiting = self.waiting();
        waiting.count = waiting.count.saturating_add(1);
        if waiting.changes.len() < WAITING || waiting.changes.contains_key(change) {
            waiting.changes.insert(change.clone(), key.clone());
        } else {
            waiting.everything = true;
        }
        drop(waiting);
        self.arrived.notify_one();
        key
    }

    /// Returns up to where this node has read the log.
    pub(crate) fn place(&self) -> u64 {
        self.place.load(Ordering::Acquire)
    }

    /// Tells a session what is in the log after a place. What it has been told of before comes under the same key, and counts once.
    pub(crate) async fn catch_up(&self, audience: &Audience, inbox: &SessionInbox, mut after: u64) {
        self.flushed().await;
        while inbox.is_open() {
            let Ok(page) = self.read(after).await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            if page.missed || page.entries.iter().any(|told| told.everything) {
                inbox.put_everything(&format!("changes {after}-{}", page.place));
            }
            for (change, key) in page.entries.into_iter().flat_map(|told| told.changes) {
                inbox.put(&change, &key.into());
            }
            if page.place <= after {
                break;
            }
            after = page.place;
        }
        audience.wake();
    }

    /// Waits until all that was told here so far is in the log.
    async fn flushed(&self) {
        let goal = self.waiting().count;
        // It cannot fail: the other end is here.
        let _ = self.sent.subscribe().wait_for(|sent| *sent >= goal).await;
    }

    /// Makes a name for one more change, which no other node gives to another one.
    pub(crate) fn key(&self) -> Arc<str> {
        format!("change {}-{}", self.node, self.count.fetch_add(1, Ordering::Relaxed)).into()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what waits, and how many changes there have been with it.
    fn take(&self) -> Option<(Told, u64)> {
        let mut waiting = self.waiting();
        let (changes, everything) = (std::mem::take(&mut waiting.changes), std::mem::take(&mut waiting.everything));
        if changes.is_empty() && !everything {
            return None;
        }
        let changes = changes.into_iter().map(|(change, key)| (change, key.to_string())).collect();
        Some((Told { node: self.node.clone(), changes, everything }, waiting.count))
    }

    fn name(&self) -> StreamName<'_> {
        StreamName::new(&self.log, 0)
    }

    /// Reads the log after a place.
    async fn read(&self, after: u64) -> Result<Page, StoreError> {
        // The last entry that is known is looked for again: if nothing is there, the store has lost the log, and it begins anew.
        let found = self.stores.events().read(self.name(), after.saturating_sub(1), SHEAF).await?;
        let events = found.unwrap_or_default().events;
        let Some((first, last)) = events.first().zip(events.last()) else {
            return Ok(Page { entries: Vec::new(), place: 0, missed: after > 0 });
        };
        let (place, missed) = (last.sequence, first.sequence > after.saturating_add(1));
        let told = |event: &StoredEvent| serde_json::from_slice::<Told>(&event.data).ok();
        let entries = events.iter().filter(|event| event.sequence > after).filter_map(told).collect();
        Ok(Page { entries, place, missed })
    }

    /// Waits until there may be more in the log, which is kept for a day from then on.
    async fn more(&self, watch: &mut EventWatch) {
        if let Err(error) = self.stores.events().open(self.name(), KEEP).await {
            tracing::debug!(%error, "the log of changes could not be kept longer");
        }
        watch.changed().await;
    }
}

/// Begins to tell other nodes of changes, and to hear of theirs.
pub(super) async fn connect(core: &Arc<Core>, name: &str, stores: &Stores) -> Result<(), StoreError> {
    let bridge = Bridge::new(name, stores);
    let watch = stores.events().watch(bridge.name()).await?;
    stores.events().open(bridge.name(), KEEP).await?;
    // What was told before this node came concerns nobody here.
    loop {
        let place = bridge.read(bridge.place()).await?.place;
        if place == bridge.place.swap(place, Ordering::AcqRel) {
            break;
        }
    }
    let audience = core.hub.audience().clone();
    let tasks: [Boxed<()>; 2] = [Box::pin(send(bridge.clone())), Box::pin(hear(bridge.clone(), watch, audience))];
    core.hub.set_bridge(&bridge, tasks);
    Ok(())
}

async fn send(bridge: Arc<Bridge>) {
    let limits = EventLimits::new(ENTRIES, BYTES, KEEP);
    loop {
        bridge.arrived.notified().await;
        let Some((told, count)) = bridge.take() else { continue };
        let text = serde_json::to_vec(&told).unwrap_or_default();
        let entry = NewEvents::new(vec![NewEvent::once(bridge.key().to_string(), text)], limits);
        while let Err(error) = bridge.stores.events().append(bridge.name(), entry.clone()).await {
            tracing::debug!(%error, "other nodes do not hear of changes at the moment");
            tokio::time::sleep(PAUSE).await;
        }
        bridge.sent.send_replace(count);
    }
}

async fn hear(bridge: Arc<Bridge>, mut watch: EventWatch, audience: Arc<Audience>) {
    loop {
        let before = bridge.place();
        let Ok(page) = bridge.read(before).await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let others: Vec<_> = page.entries.into_iter().filter(|told| told.node != bridge.node).collect();
        // Whatever was missed, those who want to know look for themselves.
        if page.missed || others.iter().any(|told| told.everything) {
            audience.tell_everything(&bridge.key());
        }
        for (change, key) in others.into_iter().flat_map(|told| told.changes) {
            audience.tell(&change, Some(&key.into()));
        }
        bridge.place.store(page.place, Ordering::Release);
        if page.place == before {
            bridge.more(&mut watch).await;
        }
    }
}
