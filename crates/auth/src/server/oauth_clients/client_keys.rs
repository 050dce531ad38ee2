//! Keys that clients keep at a URL.

use std::sync::Arc;

use crate::Clock;
use crate::clock::ExpiringMap;
use crate::jose::{Algorithm, Jwk, KeyCache, KeyCacheLimits, KeyError, RemoteKeys};
use crate::server::oauth_clients::documents::LARGEST;
use jackfield_http::fetch::Fetch;
use parking_lot::Mutex;

/// Keys that clients keep at a URL. A stranger chose it, so it is asked no more often than the keys of an issuer are, and its document
/// is no longer than the one about a client may be.
#[derive(Debug)]
pub(in crate::server) struct ClientKeys {
    fetch: Arc<dyn Fetch>,
    clock: Clock,
    known: Mutex<ExpiringMap<String, Arc<KeyCache>>>,
}

/// How many places are remembered, and for how many seconds.
const KNOWN: usize = 1000;
const LIFE: u64 = 86_400;

impl ClientKeys {
    pub(in crate::server) fn new(fetch: Arc<dyn Fetch>, clock: Clock) -> Self {
        Self { fetch, clock, known: Mutex::new(ExpiringMap::new(KNOWN)) }
    }

    /// Returns the keys at a URL that may have made a signature.
    pub(in crate::server) async fn candidates(
        &self,
        url: &str,
        kid: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Vec<Jwk>, KeyError> {
        self.at(url).candidates(kid, algorithm).await
    }

    fn at(&self, url: &str) -> Arc<KeyCache> {
        let (url, now) = (url.to_owned(), self.clock.now());
        let mut known = self.known.lock();
        if let Some(keys) = known.get(&url, now) {
            return keys.clone();
        }
        let source = RemoteKeys::at(url.clone(), self.fetch.clone()).limit(LARGEST);
        let keys = Arc::new(KeyCache::new(Arc::new(source), KeyCacheLimits::default(), self.clock.clone()));
        known.insert(url, keys.clone(), now.saturating_add(LIFE), now);
        keys
    }
}
