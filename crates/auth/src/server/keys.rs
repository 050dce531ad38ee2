//! The keys by which tokens are signed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::jose::{JwkSet, KeySource, LoadedKeys, LoadingKeys, SigningKey};
use crate::{Clock, NoRandomness};

/// The keys of an issuer: one signs, those before it are shown until all their tokens have expired, and the one after it is
/// shown before it signs, so that nobody meets a signature of a key they can not have.
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
    /// The key that signs after this one, once it is near.
    next: Option<Arc<SigningKey>>,
    /// Old keys, and until when they are shown.
    old: Vec<(Arc<SigningKey>, u64)>,
}

/// How long a key is shown before it signs, in seconds: longer than anybody keeps what they fetched.
const SHOWN_BEFORE: u64 = 86_400;

impl KeyRing {
    /// Begins with a key, such as one that was stored; by default it is followed by a new one after 30 days.
    #[must_use]
    pub fn new(key: SigningKey, clock: Clock) -> Self {
        let keys = Keys { current: Arc::new(key), since: clock.now(), next: None, old: Vec::new() };
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
        self.keys().follow(Arc::new(key), self.clock.now(), self.overlap);
    }

    /// Shows old keys for as long as tokens live, if that is longer than a day.
    pub(super) fn outlive(mut self, tokens: u64) -> Self {
        self.overlap = self.overlap.max(tokens);
        self
    }

    /// Returns the key that signs now.
    pub(super) fn current(&self) -> Arc<SigningKey> {
        let mut keys = self.keys();
        self.turn(&mut keys);
        keys.current.clone()
    }

    /// Makes the next key when it is time to show it, and signs with it when it is time for that.
    fn turn(&self, keys: &mut Keys) {
        let Some(rotation) = self.rotation else { return };
        let now = self.clock.now();
        let end = keys.since.saturating_add(rotation);
        let begin = end.saturating_sub(SHOWN_BEFORE.min(rotation / 2));
        if keys.next.is_none() && begin <= now {
            keys.next = SigningKey::generate().ok().map(Arc::new);
        }
        if end <= now
            && let Some(next) = keys.next.take()
        {
            keys.follow(next, now, self.overlap);
        }
    }

    /// Returns the public keys.
    #[must_use]
    pub fn public(&self) -> JwkSet {
        let mut keys = self.keys();
        self.turn(&mut keys);
        let now = self.clock.now();
        let old = keys.old.iter().filter(|(_, until)| *until > now).map(|(key, _)| key);
        let all = std::iter::once(&keys.current).chain(&keys.next).chain(old);
        JwkSet { keys: all.map(|key| key.public().clone()).collect() }
    }

    fn keys(&self) -> MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keys {
    /// Signs with another key from now on.
    fn follow(&mut self, key: Arc<SigningKey>, now: u64, overlap: u64) {
        let before = std::mem::replace(&mut self.current, key);
        self.old.retain(|(_, until)| *until > now);
        self.old.push((before, now.saturating_add(overlap)));
        self.since = now;
    }
}

impl KeySource for KeyRing {
    fn load(&self) -> LoadingKeys<'_> {
        let keys = LoadedKeys { keys: self.public(), max_age: Some(Duration::from_secs(60)) };
        Box::pin(std::future::ready(Ok(keys)))
    }
}
