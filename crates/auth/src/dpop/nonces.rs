//! Nonces that need no memory: a signature over the time slice they were given in.

use std::sync::{Arc, OnceLock};

use ring::hmac;

use crate::store::AuthStore;
use crate::{NoRandomness, StoreError, random, secret};

/// Makes and knows nonces.
#[derive(Debug)]
pub(super) struct Nonces {
    key: OnceLock<hmac::Key>,
    /// Where the key is that all who share the store have in common.
    store: Option<Arc<dyn AuthStore>>,
}

/// How long a nonce is the current one, in seconds; the one before it is still good.
const SLICE: u64 = 120;
/// Where the key is in the store.
const KEY: &str = "keys:nonce";

impl Nonces {
    /// Nonces of our own.
    pub(super) fn new() -> Result<Self, NoRandomness> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|_| NoRandomness)?;
        Ok(Self { key: OnceLock::from(key(&bytes)), store: None })
    }

    /// Nonces that all who share a store give and take.
    pub(super) fn shared(store: Arc<dyn AuthStore>) -> Self {
        Self { key: OnceLock::new(), store: Some(store) }
    }

    /// Sees to it that the key is known.
    pub(super) async fn find(&self, now: u64) -> Result<(), StoreError> {
        if let (None, Some(store)) = (self.key.get(), &self.store) {
            let bytes = store.common_secret(KEY, now).await?;
            // Whoever was faster found the same one.
            let _ = self.key.set(key(&bytes));
        }
        Ok(())
    }

    /// Returns the current nonce, once the key is known.
    pub(super) fn at(&self, now: u64) -> Option<String> {
        self.key.get().map(|key| of(key, now / SLICE))
    }

    pub(super) fn is_fresh(&self, nonce: &str, now: u64) -> bool {
        let slice = now / SLICE;
        let is = |key, slice| secret::same(nonce, &of(key, slice));
        self.key.get().is_some_and(|key| is(key, slice) | is(key, slice.saturating_sub(1)))
    }
}

fn key(bytes: &[u8; 32]) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, bytes)
}

fn of(key: &hmac::Key, slice: u64) -> String {
    random::encode(hmac::sign(key, &slice.to_be_bytes()))
}
