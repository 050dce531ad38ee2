//! The state of servers in a store that outlives them, and that other nodes share.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use jackfield_store::{KvStore, StoreError as Problem};

use crate::Clock;
use crate::store::{AuthStore, StoreError, Storing};

/// What all keys begin with: others may use the same store.
const PREFIX: &str = "auth:";

/// Keeps what servers must not forget - clients, codes, refresh tokens, proofs they took, how often something was tried - in a store of
/// `jackfield-store`, such as a file or Redis.
///
/// Authorization servers that share a store are one server, if they also have the same keys to sign with, as `build_shared` of their
/// builder sees to. The store must have a bound of its own: where anybody may register a client, anybody can fill it.
#[derive(Clone, Debug)]
pub struct SharedStore {
    kv: Arc<dyn KvStore>,
    clock: Clock,
}

impl SharedStore {
    /// Keeps everything in a store of values.
    #[must_use]
    pub fn new(kv: Arc<dyn KvStore>) -> Self {
        Self { kv, clock: Clock::system() }
    }

    /// Tells the time as the server does, where that is not the clock of the machine.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    fn key(key: &str) -> String {
        format!("{PREFIX}{key}")
    }

    /// How long something is kept that is good until then.
    fn keep(&self, until: u64) -> Option<Duration> {
        Some(Duration::from_secs(until.saturating_sub(self.clock.now())))
    }
}

fn failed(problem: Problem) -> StoreError {
    match problem {
        Problem::Full(_) | Problem::TooMany { .. } => StoreError::Full,
        other => StoreError::Failed(Box::new(other)),
    }
}

impl AuthStore for SharedStore {
    fn put<'a>(&'a self, key: &'a str, value: Vec<u8>, until: u64) -> Storing<'a, ()> {
        Box::pin(async move { self.kv.put(&Self::key(key), value.into(), self.keep(until)).await.map_err(failed) })
    }

    fn add<'a>(&'a self, key: &'a str, value: Vec<u8>, until: u64) -> Storing<'a, bool> {
        Box::pin(async move { self.kv.add(&Self::key(key), value.into(), self.keep(until)).await.map_err(failed) })
    }

    fn get<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Vec<u8>>> {
        Box::pin(async move { Ok(self.kv.get(&Self::key(key)).await.map_err(failed)?.map(Vec::from)) })
    }

    fn take<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Vec<u8>>> {
        Box::pin(async move { Ok(self.kv.take(&Self::key(key)).await.map_err(failed)?.map(Vec::from)) })
    }

    fn replace<'a>(&'a self, key: &'a str, before: &'a [u8], after: Vec<u8>, until: u64) -> Storing<'a, bool> {
        Box::pin(async move {
            let (key, after, keep) = (Self::key(key), Bytes::from(after), self.keep(until));
            self.kv.replace(&key, before, after, keep).await.map_err(failed)
        })
    }
}
