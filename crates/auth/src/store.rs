//! Where servers keep what has to outlive a request.

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;

use jackfield_store::InsertError;
use parking_lot::{Mutex, MutexGuard};
#[cfg(feature = "server")]
use serde::{Serialize, de::DeserializeOwned};

use crate::clock::ExpiringMap;
use crate::{Clock, NoRandomness, random};

/// The store cannot do what it was asked for. Requests that need it are refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no room, and nothing has expired.
    #[error("the store is full")]
    Full,
    /// It cannot be reached, or what it holds makes no sense.
    #[error("the store failed")]
    Failed(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// What the store answers, now or later.
pub type Storing<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps values under keys until they expire. Keys are `KIND:NAME`; times are seconds since 1970.
///
/// Each operation is atomic: single use and rotation depend on it. Where there is no room, values whose kind begins with `tries-` may be
/// forgotten before their time, the oldest first; others may not.
pub trait AuthStore: Send + Sync + fmt::Debug + 'static {
    /// Sets a value.
    fn put<'a>(&'a self, key: &'a str, value: Vec<u8>, until: u64) -> Storing<'a, ()>;
    /// Sets a value only if there is none; says whether it did.
    fn add<'a>(&'a self, key: &'a str, value: Vec<u8>, until: u64) -> Storing<'a, bool>;
    /// Returns a value.
    fn get<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Vec<u8>>>;
    /// Removes a value and returns it.
    fn take<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Vec<u8>>>;
    /// Replaces a value only if it is `before` still; says whether it did.
    fn replace<'a>(&'a self, key: &'a str, before: &'a [u8], after: Vec<u8>, until: u64) -> Storing<'a, bool>;
}

/// A store in memory, with a bound for each kind of value.
#[derive(Debug)]
pub struct MemoryStore {
    kinds: Mutex<HashMap<String, ExpiringMap<String, Vec<u8>>>>,
    clock: Clock,
    /// How many values of a kind there may be.
    most: usize,
}

/// How many values of a kind there may be usually. Clients are fewer: anybody may register one.
const VALUES: usize = 100_000;
const CLIENTS: usize = 10_000;
/// How the kinds begin of which the oldest are forgotten when there is no room: who comes from many addresses must not shut out others.
pub(crate) const TRIES: &str = "tries-";

impl MemoryStore {
    /// An empty store, for 100,000 values of each kind and 10,000 clients.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self::bounded(clock, VALUES)
    }

    /// An empty store for so many values of each kind.
    #[must_use]
    pub fn bounded(clock: Clock, most: usize) -> Self {
        Self { kinds: Mutex::default(), clock, most }
    }

    fn with<T>(&self, key: &str, work: impl FnOnce(&mut ExpiringMap<String, Vec<u8>>, u64) -> T) -> Storing<'_, T>
    where
        T: Send + 'static,
    {
        let kind = kind(key);
        let mut kinds: MutexGuard<'_, _> = self.kinds.lock();
        let most = if kind == "client" { self.most.min(CLIENTS) } else { self.most };
        let values = kinds.entry(kind.to_owned()).or_insert_with(|| ExpiringMap::new(most));
        let done = work(values, self.clock.now());
        Box::pin(std::future::ready(Ok(done)))
    }

    fn added<'a>(&'a self, key: &'a str, value: Vec<u8>, until: u64) -> Result<bool, StoreError> {
        let mut outcome = Ok(());
        let may_forget = kind(key).starts_with(TRIES);
        drop(self.with(key, |values, now| {
            if may_forget && values.get(key, now).is_none() {
                values.insert(key.to_owned(), value, until, now);
            } else {
                outcome = values.try_insert(key.to_owned(), value, until, now);
            }
        }));
        match outcome {
            Ok(()) => Ok(true),
            Err(InsertError::Occupied) => Ok(false),
            Err(_) => Err(StoreError::Full),
        }
    }
}

fn kind(key: &str) -> &str {
    key.split(':').next().unwrap_or_default()
}

impl AuthStore for MemoryStore {
    fn put<'a>(&'a self, key: &'a str, value: Vec<u8>, until: u64) -> Storing<'a, ()> {
        let stored = match self.added(key, value.clone(), until) {
            Ok(true) => Ok(()),
            Ok(false) => return self.with(key, |values, now| drop(values.insert(key.to_owned(), value, until, now))),
            Err(error) => Err(error),
        };
        Box::pin(std::future::ready(stored))
    }

    fn add<'a>(&'a self, key: &'a str, value: Vec<u8>, until: u64) -> Storing<'a, bool> {
        Box::pin(std::future::ready(self.added(key, value, until)))
    }

    fn get<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Vec<u8>>> {
        self.with(key, |values, now| values.get(key, now).cloned())
    }

    fn take<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Vec<u8>>> {
        self.with(key, |values, now| values.remove(key, now))
    }

    fn replace<'a>(&'a self, key: &'a str, before: &'a [u8], after: Vec<u8>, until: u64) -> Storing<'a, bool> {
        self.with(key, |values, now| {
            let is_same = values.get(key, now).is_some_and(|value| value == before);
            if is_same {
                values.insert(key.to_owned(), after, until, now);
            }
            is_same
        })
    }
}

impl dyn AuthStore {
    /// Returns a secret that all who share the store have in common, made by the first who asks.
    pub(crate) async fn common_secret(&self, key: &str, now: u64) -> Result<[u8; 32], StoreError> {
        let fresh = random::token().map_err(no_randomness)?;
        self.add(key, fresh.into_bytes(), now.saturating_add(KEYS_KEPT)).await?;
        let text = self.get(key).await?.and_then(|kept| String::from_utf8(kept).ok());
        let secret = text.and_then(|text| random::decode(&text)).and_then(|bytes| bytes.try_into().ok());
        secret.ok_or_else(|| StoreError::Failed("it lost a key".into()))
    }
}

/// How long keys are kept at least, in seconds.
pub(crate) const KEYS_KEPT: u64 = 10 * 365 * 86_400;

pub(crate) fn no_randomness(error: NoRandomness) -> StoreError {
    StoreError::Failed(error.into())
}

/// Values as JSON, over any store.
#[cfg(feature = "server")]
impl dyn AuthStore {
    pub(crate) async fn save(&self, key: &str, value: &impl Serialize, until: u64) -> Result<(), StoreError> {
        self.put(key, encode(value)?, until).await
    }

    pub(crate) async fn load<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        decode(self.get(key).await?)
    }

    pub(crate) async fn pop<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        decode(self.take(key).await?)
    }
}

#[cfg(feature = "server")]
pub(crate) fn encode(value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(value).map_err(|error| StoreError::Failed(error.into()))
}

#[cfg(feature = "server")]
pub(crate) fn decode<T: DeserializeOwned>(value: Option<Vec<u8>>) -> Result<Option<T>, StoreError> {
    let read = |bytes: Vec<u8>| serde_json::from_slice(&bytes).map_err(|error| StoreError::Failed(error.into()));
    value.map(read).transpose()
}
