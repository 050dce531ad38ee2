//! Keys in the store, for all servers that share it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::jose::SigningKey;
use crate::random;
use crate::seal::Sealer;
use crate::server::signing::key_schedule::{Plan, Schedule, Scheduled};
use crate::store::{self, AuthStore, KEYS_KEPT, StoreError, no_randomness};

/// Where the keys that sign are, each sealed.
const SIGNING: &str = "keys:signing";
/// Where the key is by which others are sealed, unless the operator keeps it elsewhere.
const SEALING: &str = "keys:sealing";
/// How often a server looks for changes, in seconds.
const LOOK: u64 = 60;
/// How often a change is tried that others were faster with.
const ATTEMPTS: usize = 8;

/// Keys in the store, for all servers that share it.
#[derive(Debug)]
pub(in crate::server) struct SharedKeys {
    store: Arc<dyn AuthStore>,
    sealer: Sealer,
    /// When somebody looked last.
    looked: AtomicU64,
    /// Keys that are to sign, and are not in the store yet.
    offered: Mutex<Vec<Arc<SigningKey>>>,
}

/// A key as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
    from: u64,
}

impl SharedKeys {
    /// How long a new key waits before it signs, in seconds: all servers have looked by then.
    pub(in crate::server) const LEAD: u64 = 5 * LOOK;

    pub(in crate::server) fn new(store: Arc<dyn AuthStore>, sealer: Sealer) -> Self {
        Self { store, sealer, looked: AtomicU64::new(0), offered: Mutex::default() }
    }

    /// Whether it is time to look.
    pub(in crate::server) fn is_due(&self, now: u64) -> bool {
        let has_offers = !self.offered.lock().is_empty();
        has_offers || self.looked.load(Ordering::Relaxed).saturating_add(LOOK) <= now
    }

    /// Puts a key into the store when it is looked at next.
    pub(in crate::server) fn offer(&self, key: Arc<SigningKey>) {
        self.offered.lock().push(key);
    }

    /// Returns the keys as they are in the store, and changes them there if the plan says so.
    pub(in crate::server) async fn look(&self, plan: Plan, now: u64) -> Result<Schedule, StoreError> {
        let offered = self.offered.lock().clone();
        for _ in 0..ATTEMPTS {
            let before = self.store.get(SIGNING).await?;
            let mut keys = self.read(before.clone())?;
            let has_turned = keys.turn(plan, now).map_err(no_randomness)?;
            for key in &offered {
                keys.follow(key.clone(), now.saturating_add(plan.lead), now);
            }
            if (!has_turned && offered.is_empty()) || self.write(before, &keys, now).await? {
                self.looked.store(now, Ordering::Relaxed);
                let is_offered = |key: &Arc<SigningKey>| offered.iter().any(|one| Arc::ptr_eq(one, key));
                self.offered.lock().retain(|key| !is_offered(key));
                return Ok(keys);
            }
            // Another server was faster; what it wrote is as good.
        }
        Err(StoreError::Failed("its keys change all the time".into()))
    }

    fn read(&self, kept: Option<Vec<u8>>) -> Result<Schedule, StoreError> {
        let kept: Vec<Kept> = store::decode(kept)?.unwrap_or_default();
        let read = |kept: Kept| {
            let opened = random::decode(&kept.key).and_then(|sealed| self.sealer.open(SIGNING, &sealed));
            let key = opened.and_then(|key| SigningKey::from_pkcs8(&key).ok());
            let key =
                key.ok_or_else(|| StoreError::Failed("its keys were sealed with another key than ours".into()))?;
            Ok(Scheduled { key: Arc::new(key), from: kept.from })
        };
        Ok(Schedule::new(kept.into_iter().map(read).collect::<Result<_, StoreError>>()?))
    }

    /// Replaces the keys; says whether nobody was faster.
    async fn write(&self, before: Option<Vec<u8>>, keys: &Schedule, now: u64) -> Result<bool, StoreError> {
        let kept = keys.keys().iter().map(|scheduled| {
            let sealed = self.sealer.seal(SIGNING, scheduled.key.to_pkcs8());
            let sealed = sealed.map_err(|error| StoreError::Failed(error.into()))?;
            Ok(Kept { key: random::encode(sealed), from: scheduled.from })
        });
        let after = store::encode(&kept.collect::<Result<Vec<_>, StoreError>>()?)?;
        // Each change begins anew, and there is one every month.
        let until = now.saturating_add(KEYS_KEPT);
        match before {
            None => self.store.add(SIGNING, after, until).await,
            Some(before) => self.store.replace(SIGNING, &before, after, until).await,
        }
    }
}

/// Returns the key by which all servers that share a store seal what they keep there.
pub(in crate::server) async fn sealing_key(store: &dyn AuthStore, now: u64) -> Result<[u8; 32], StoreError> {
    store.common_secret(SEALING, now).await
}
