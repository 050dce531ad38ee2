//! Credentials that end with the process.

use std::collections::BTreeMap;
use std::sync::Arc;

use jackfield_http::client::Boxed;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::Semaphore;

use super::{CredentialStore, Place, StoreError, StoreLock};
use crate::Secret;

/// Keeps credentials in memory; they end with the process.
#[derive(Debug, Default)]
pub struct MemoryStore {
    values: Mutex<BTreeMap<String, Secret>>,
    locks: Mutex<BTreeMap<String, Arc<Semaphore>>>,
}

impl MemoryStore {
    fn values(&self) -> MutexGuard<'_, BTreeMap<String, Secret>> {
        self.values.lock()
    }
}

impl CredentialStore for MemoryStore {
    fn load<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<Option<Secret>, StoreError>> {
        Box::pin(std::future::ready(Ok(self.values().get(name).cloned())))
    }

    fn save<'a>(&'a self, name: &'a str, value: &'a Secret) -> Boxed<'a, Result<(), StoreError>> {
        self.values().insert(name.to_owned(), value.clone());
        Box::pin(std::future::ready(Ok(())))
    }

    fn remove<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<(), StoreError>> {
        self.values().remove(name);
        Box::pin(std::future::ready(Ok(())))
    }

    fn names(&self) -> Boxed<'_, Result<Vec<Result<String, StoreError>>, StoreError>> {
        Box::pin(std::future::ready(Ok(self.values().keys().cloned().map(Ok).collect())))
    }

    fn place(&self) -> Place {
        Place::new("memory")
    }

    fn lock<'a>(&'a self, name: &'a str) -> Boxed<'a, Result<StoreLock, StoreError>> {
        let lock = {
            let mut locks = self.locks.lock();
            locks.entry(name.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(1))).clone()
        };
        Box::pin(async move {
            match tokio::time::timeout(super::file::LONGEST_WAIT, lock.acquire_owned()).await {
                Ok(Ok(permit)) => Ok(StoreLock::new(permit)),
                _ => Err(StoreError::Locked),
            }
        })
    }
}
