//! The keys by which tokens are signed.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use crate::jose::{JwkSet, KeySource, LoadedKeys, LoadingKeys, SigningKey};
use crate::server::signing::key_schedule::{Plan, Schedule, Scheduled};
use crate::server::signing::shared_keys::SharedKeys;
use crate::store::StoreError;
use crate::{Clock, NoRandomness};

/// The keys of an issuer: one signs, those before it are shown until all their tokens have expired, and the one after it is
/// shown before it signs, so that nobody meets a signature of a key they cannot have.
///
/// The keys of [`build_shared`](crate::server::AuthorizationServerBuilder::build_shared) are in the store, and all servers that share it
/// follow one plan.
#[derive(Debug)]
pub struct KeyRing {
    clock: Clock,
    plan: Plan,
    keys: Mutex<Schedule>,
    shared: Option<SharedKeys>,
}

const DAY: u64 = 86_400;
const PLAN: Plan = Plan { rotation: Some(30 * DAY), overlap: DAY, lead: 0 };

impl KeyRing {
    /// Begins with a key, such as one that was stored; by default it is followed by a new one after 30 days.
    #[must_use]
    pub fn new(key: SigningKey, clock: Clock) -> Self {
        let keys = Schedule::new(vec![Scheduled { key: Arc::new(key), from: clock.now() }]);
        Self { clock, plan: PLAN, keys: Mutex::new(keys), shared: None }
    }

    /// Begins with a new key.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn generate(clock: Clock) -> Result<Self, NoRandomness> {
        Ok(Self::new(SigningKey::generate()?, clock))
    }

    /// Takes the keys of a store, or puts the first one there. Their tokens live for so many seconds.
    pub(in crate::server) async fn shared(shared: SharedKeys, clock: Clock, tokens: u64) -> Result<Self, StoreError> {
        let plan = Plan { lead: SharedKeys::LEAD, overlap: PLAN.overlap.max(tokens), ..PLAN };
        let keys = shared.look(plan, clock.now()).await?;
        Ok(Self { clock, plan, keys: Mutex::new(keys), shared: Some(shared) })
    }

    /// Sets when a key is followed by a new one. Where keys are stored by hand, say never and call [`KeyRing::rotate_to`].
    #[must_use]
    pub fn rotation(mut self, after: Option<Duration>) -> Self {
        self.plan.rotation = after.map(|after| after.as_secs());
        self
    }

    /// Signs with another key from now on; where keys are shared, as soon as all servers can know it, which takes some minutes.
    /// The one before is shown for another day.
    pub fn rotate_to(&self, key: SigningKey) {
        let key = Arc::new(key);
        match &self.shared {
            Some(shared) => shared.offer(key),
            None => {
                let now = self.clock.now();
                self.keys().follow(key, now, now);
            }
        }
    }

    /// Shows old keys for as long as tokens live, if that is longer than a day.
    pub(in crate::server) fn outlive(mut self, tokens: u64) -> Self {
        self.plan.overlap = self.plan.overlap.max(tokens);
        self
    }

    /// Learns what other servers did to the keys, if they are shared and it is time to look. When the store is away, those that are
    /// known go on: the next one is among them long before it signs.
    pub(in crate::server) async fn follow(&self) {
        let now = self.clock.now();
        if let Some(shared) = self.shared.as_ref().filter(|shared| shared.is_due(now)) {
            self.look(shared, now).await;
        }
    }

    async fn look(&self, shared: &SharedKeys, now: u64) {
        match shared.look(self.plan, now).await {
            Ok(keys) => *self.keys() = keys,
            Err(error) => {
                tracing::warn!(%error, "the keys of all servers cannot be read; those that are known are used")
            }
        }
    }

    /// Returns the key that signs now.
    pub(in crate::server) fn current(&self) -> Arc<SigningKey> {
        let mut keys = self.keys();
        let now = self.turn(&mut keys);
        keys.current(now).expect("a ring begins with a key, and keeps the newest").clone()
    }

    /// Does what the plan says, unless that is a matter of all servers. Returns the time.
    fn turn(&self, keys: &mut Schedule) -> u64 {
        let now = self.clock.now();
        if self.shared.is_none() && keys.turn(self.plan, now).is_err() {
            tracing::error!("there is no next key to sign with: the system has no random numbers");
        }
        now
    }

    /// Returns the public keys.
    #[must_use]
    pub fn public(&self) -> JwkSet {
        let mut keys = self.keys();
        let now = self.turn(&mut keys);
        keys.public(self.plan, now)
    }

    fn keys(&self) -> MutexGuard<'_, Schedule> {
        self.keys.lock()
    }
}

impl KeySource for KeyRing {
    fn load(&self) -> LoadingKeys<'_> {
        Box::pin(async move {
            // Whoever asks has met a key that nobody here knows, or has not asked for a while.
            if let Some(shared) = &self.shared {
                self.look(shared, self.clock.now()).await;
            }
            Ok(LoadedKeys { keys: self.public(), max_age: Some(Duration::from_secs(60)) })
        })
    }
}
