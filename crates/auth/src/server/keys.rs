//! The keys by which tokens are signed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::jose::{JwkSet, KeySource, LoadedKeys, LoadingKeys, SigningKey};
use crate::{Clock, NoRandomness};

/// The keys of an issuer: one signs, those before it are shown until all their tokens have expired.
#[derive(Debug)]
pub struct KeyRing {
    clock: Clock,
    /// When a key is followed by a new one, in seconds; never if none.
    rotation: Option<u64>,
    /// For how long an old key is shown, in seconds.
    overlap: u64,
    keys: Mutex<Keys>,
}

#[derive(Debug)]
struct Keys {
    current: Arc<SigningKey>,
    since: u64,
    /// Old keys, and until when they are shown.
    old: Vec<(Arc<SigningKey>, u64)>,
}

impl KeyRing {
    /// Begins with a key, such as one that was stored; by default it is followed by a new one after 30 days.
    #[must_use]
    pub fn new(key: SigningKey, clock: Clock) -> Self {
        let keys = Keys { current: Arc::new(key), since: clock.now(), old: Vec::new() };
        Self { clock, rotation: Some(30 * 86_400), overlap: 86_400, keys: Mutex::new(keys) }
    }

    /// Begins with a new key.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn generate(clock: Clock) -> Result<Self, NoRandomness> {
        Ok(Self::new(SigningKey::generate()?, clock))
    }

    /// Sets when a key is followed by a new one. Where keys are stored or shared, say never and call [`KeyRing::rotate_to`].
    #[must_use]
    pub fn rotation(mut self, after: Option<Duration>) -> Self {
        self.rotation = after.map(|after| after.as_secs());
        self
    }

    /// Signs with another key from now on. The one before is shown for another day.
    pub fn rotate_to(&self, key: SigningKey) {
        let now = self.clock.now();
        let mut keys = self.keys();
        let until = now.saturating_add(self.overlap);
        let before = std::mem::replace(&mut keys.current, Arc::new(key));
        keys.old.retain(|(_, until)| *until > now);
        keys.old.push((before, until));
        keys.since = now;
    }

    /// Returns the key that signs now.
    pub(super) fn current(&self) -> Arc<SigningKey> {
        let now = self.clock.now();
        let is_due = self.rotation.is_some_and(|after| self.keys().since.saturating_add(after) <= now);
        if is_due && let Ok(key) = SigningKey::generate() {
            self.rotate_to(key);
        }
        self.keys().current.clone()
    }

    /// Returns the public keys.
    #[must_use]
    pub fn public(&self) -> JwkSet {
        let current = self.current();
        let now = self.clock.now();
        let keys = self.keys();
        let old = keys.old.iter().filter(|(_, until)| *until > now).map(|(key, _)| key.public().clone());
        JwkSet { keys: std::iter::once(current.public().clone()).chain(old).collect() }
    }

    fn keys(&self) -> MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeySource for KeyRing {
    fn load(&self) -> LoadingKeys<'_> {
        let keys = LoadedKeys { keys: self.public(), max_age: Some(Duration::from_secs(60)) };
        Box::pin(std::future::ready(Ok(keys)))
    }
}
