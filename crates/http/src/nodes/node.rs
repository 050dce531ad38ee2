//! This process as one of several that share a store.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jackfield_peer::Background;
use jackfield_store::{Boxed, StoreError, Stores};
use tokio::time::{Instant, timeout};

use super::lease;

/// How long the store may take for one operation.
const OPERATION: Duration = Duration::from_secs(2);
/// After how many failures in a row the store is taken to be away. One may be a moment of great haste.
const AWAY: u32 = 2;
/// How long the store has to be there again before the absence of a lease is believed: the others need time to come back too.
const SETTLING: Duration = Duration::from_secs(3);

/// This process as one of several that share a store.
pub(crate) struct Node {
    /// What it is called. A process that is started again is another node.
    pub(crate) name: String,
    pub(crate) stores: Stores,
    /// When other nodes were found to live.
    pub(super) alive: Mutex<HashMap<String, Instant>>,
    /// When the lease of this node was renewed last.
    pub(super) held: Mutex<Option<Instant>>,
    tasks: Background,
    /// What is on its way to the store, and is missed if it does not arrive.
    writes: Background,
    started: AtomicBool,
    /// How many operations have failed since the last one that did not.
    failures: AtomicU32,
    failed: Mutex<Option<Instant>>,
    count: AtomicU64,
    /// How many notices of other nodes have been heard.
    heard: AtomicU64,
}

impl Node {
    pub(crate) fn new(stores: Stores) -> Arc<Self> {
        Arc::new(Self {
            name: format!("{:016x}", random()),
            stores,
            alive: Mutex::default(),
            held: Mutex::default(),
            tasks: Background::default(),
            writes: Background::default(),
            started: AtomicBool::new(false),
            failures: AtomicU32::new(0),
            failed: Mutex::default(),
            count: AtomicU64::new(0),
            heard: AtomicU64::new(0),
        })
    }

    /// Whether a node may be called so.
    pub(crate) fn is_name(name: &str) -> bool {
        name.len() == 16 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    }

    /// Notes that what goes on beside requests begins; says whether it had not.
    pub(super) fn begins(&self) -> bool {
        !self.started.load(Ordering::Relaxed) && !self.started.swap(true, Ordering::Relaxed)
    }

    /// Does something that no request waits for; it ends with the endpoint.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(work);
    }

    /// The same for what others miss if it does not arrive: when the node stops, it is waited for.
    pub(crate) fn write(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.writes.spawn(work);
    }

    /// Ends what goes on beside requests, and says that this node is no more: not before what it has answered is in the store, where
    /// others would give an answer in its place, and when nothing renews its lease any more.
    pub(crate) async fn stop(&self) {
        self.writes.drain(OPERATION).await;
        self.tasks.stop().await;
        let key = lease::key(&self.name);
        // If it fails, the lease runs out.
        let _ = timeout(OPERATION, self.stores.kv().remove(&key)).await;
    }

    /// Asks the store something. While it is known to be away, that fails at once.
    pub(crate) async fn ask<T>(&self, operation: Boxed<'_, Result<T, StoreError>>) -> Result<T, StoreError> {
        if !self.is_up() {
            return Err(away());
        }
        self.try_ask(operation).await
    }

    /// Asks the store something, whatever is known of it.
    pub(super) async fn try_ask<T>(&self, operation: Boxed<'_, Result<T, StoreError>>) -> Result<T, StoreError> {
        let result = timeout(OPERATION, operation).await.unwrap_or_else(|_| Err(away()));
        match &result {
            Err(StoreError::Unavailable(_)) => {
                let before = self.failures.fetch_add(1, Ordering::Relaxed);
                if before.saturating_add(1) == AWAY {
                    tracing::warn!("the store is not available");
                }
                if before.saturating_add(1) >= AWAY {
                    *lock(&self.failed) = Some(Instant::now());
                }
            }
            _ => {
                if self.failures.swap(0, Ordering::Relaxed) >= AWAY {
                    tracing::info!("the store is available again");
                }
            }
        }
        result
    }

    /// Whether the store answered lately.
    pub(crate) fn is_up(&self) -> bool {
        self.failures.load(Ordering::Relaxed) < AWAY
    }

    /// Whether the store has been there for long enough to believe that what is not in it is not.
    pub(super) fn is_settled(&self) -> bool {
        self.is_up() && lock(&self.failed).is_none_or(|failed| failed.elapsed() >= SETTLING)
    }

    /// Counts a notice of another node.
    pub(super) fn note_heard(&self) {
        self.heard.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns how many notices have been heard. One who loads a session knows by it whether some may have been about what is loaded.
    pub(super) fn heard(&self) -> u64 {
        self.heard.load(Ordering::SeqCst)
    }

    /// Returns a name that no node uses twice.
    pub(crate) fn unique(&self) -> String {
        format!("{}-{}", self.name, self.count.fetch_add(1, Ordering::Relaxed))
    }
}

pub(super) fn away() -> StoreError {
    StoreError::Unavailable("it did not answer in time".into())
}

/// Numbers that differ between nodes. Without a source of randomness no session is opened either.
pub(super) fn random() -> u64 {
    let mut bytes = [0; 8];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u64::from_le_bytes(bytes),
        Err(_) => u64::from(std::process::id()),
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("name", &self.name).field("up", &self.is_up()).finish_non_exhaustive()
    }
}
