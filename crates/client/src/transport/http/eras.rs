//! What servers were found to speak, so that they are not asked again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jackfield_protocol::Revision;

/// What servers were found to speak, by their URLs. Clones share it, and all clients of a process share one unless they are
/// given another.
///
/// It spares a server of an older revision the question that it cannot answer. When what it says turns out to be wrong, the
/// server is asked anew.
#[derive(Clone, Debug, Default)]
pub struct EraCache(Arc<Mutex<HashMap<String, KnownServer>>>);

/// What is known about a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KnownServer {
    pub(super) revision: Revision,
    /// It has the two channels of 2024-11-05, whatever revision it speaks over them.
    pub(super) over_http_sse: bool,
}

/// The most servers that are remembered.
const MOST: usize = 1024;

impl EraCache {
    /// The one that all clients of this process share.
    #[must_use]
    pub fn of_process() -> Self {
        static SHARED: OnceLock<EraCache> = OnceLock::new();
        SHARED.get_or_init(Self::default).clone()
    }

    pub(super) fn recall(&self, url: &str) -> Option<KnownServer> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(url).copied()
    }

    pub(super) fn remember(&self, url: &str, known: KnownServer) {
        let mut servers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if servers.len() >= MOST && !servers.contains_key(url) {
            servers.clear();
        }
        servers.insert(url.to_owned(), known);
    }

    pub(super) fn forget(&self, url: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(url);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is remembered is bounded, and can be taken back.
    #[test]
    fn servers_are_remembered_within_a_limit() {
        let eras = EraCache::default();
        let known = KnownServer { revision: Revision::LATEST, over_http_sse: false };
        for number in 0..=MOST {
            eras.remember(&format!("http://h/{number}"), known);
        }
        assert_eq!(eras.recall("http://h/0"), None);
        assert_eq!(eras.clone().recall(&format!("http://h/{MOST}")), Some(known));
        eras.forget(&format!("http://h/{MOST}"));
        assert!(eras.0.lock().unwrap().is_empty());
    }
}
