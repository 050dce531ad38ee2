//! Results that the server allows to keep: `ttlMs` and `cacheScope`, since 2026-07-28.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use jackfield_protocol::{CacheScope, Method};
use serde::Deserialize;
use tokio::time::Instant;

use crate::core::Core;
use crate::session::Session;

/// Results that servers allow to keep for a while. Clones share them; several clients may use one, each with its own
/// [`CacheOwner`].
///
/// A result for one caller only is found again only by the same principal at the same server. What a server says may be
/// shared is found by every principal of that server. Nothing is kept longer than a day, and no more than a thousand results
/// of 16 MiB in all.
#[derive(Clone, Debug, Default)]
pub struct Cache(Arc<Mutex<Kept>>);

/// Whose results a client keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CacheOwner {
    /// Names the server, by the user's own configuration and never by what the server says.
    pub server: String,
    /// Names the user at that server.
    pub principal: String,
}

impl CacheOwner {
    /// Names a server and the user at it.
    pub fn new(server: impl Into<String>, principal: impl Into<String>) -> Self {
        Self { server: server.into(), principal: principal.into() }
    }
}

const MOST_ENTRIES: usize = 1000;
const MOST_BYTES: usize = 16 * 1024 * 1024;
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug, Default)]
struct Kept {
    entries: HashMap<Key, Entry>,
    bytes: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    server: String,
    /// `None` for what may be shared.
    principal: Option<String>,
    method: Method,
    /// The cursor or URI.
    which: Option<String>,
}

#[derive(Debug)]
struct Entry {
    text: Bytes,
    until: Instant,
}

/// The part of a result that says how long it may be kept.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hints {
    ttl_ms: Option<u64>,
    cache_scope: Option<CacheScope>,
}

impl Cache {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, owner: &CacheOwner, method: Method, which: Option<&str>) -> Option<Bytes> {
        let kept = self.kept();
        let now = Instant::now();
        let found = [Some(owner.principal.clone()), None].into_iter().find_map(|principal| {
            let key = Key { server: owner.server.clone(), principal, method, which: which.map(str::to_owned) };
            kept.entries.get(&key).filter(|entry| entry.until > now)
        });
        found.map(|entry| entry.text.clone())
    }

    fn keep(&self, owner: &CacheOwner, method: Method, which: Option<&str>, text: &[u8]) {
        let Ok(Hints { ttl_ms: Some(ttl @ 1..), cache_scope }) = serde_json::from_slice(text) else { return };
        let Some(until) = Instant::now().checked_add(Duration::from_millis(ttl).min(LONGEST)) else { return };
        let principal = (cache_scope != Some(CacheScope::Public)).then(|| owner.principal.clone());
        let key = Key { server: owner.server.clone(), principal, method, which: which.map(str::to_owned) };
        let mut kept = self.kept();
        kept.make_room(text.len());
        if text.len() <= MOST_BYTES {
            // A slice of the read buffer would keep all of it in memory.
            let text = Bytes::copy_from_slice(text);
            kept.bytes += text.len();
            if let Some(old) = kept.entries.insert(key, Entry { text, until }) {
                kept.bytes -= old.text.len();
            }
        }
    }

    fn forget(&self, server: &str, is_stale: impl Fn(Method, Option<&str>) -> bool) {
        self.kept().retain(|key, _| key.server != server || !is_stale(key.method, key.which.as_deref()));
    }
}

impl Kept {
    fn retain(&mut self, keep: impl Fn(&Key, &Entry) -> bool) {
        self.entries.retain(|key, entry| keep(key, entry));
        self.bytes = self.entries.values().map(|entry| entry.text.len()).sum();
    }

    fn make_room(&mut self, bytes: usize) {
        if self.entries.len() < MOST_ENTRIES && self.bytes + bytes <= MOST_BYTES {
            return;
        }
        let now = Instant::now();
        self.retain(|_, entry| entry.until > now);
        if self.entries.len() >= MOST_ENTRIES || self.bytes + bytes > MOST_BYTES {
            self.entries.clear();
            self.bytes = 0;
        }
    }
}

impl Core {
    /// Returns a result that was kept.
    pub(crate) fn cached(&self, session: &Session, method: Method, which: Option<&str>) -> Option<Bytes> {
        let hints = session.revision.has_cache_hints();
        hints.then(|| self.cache.find(&self.options.cache_owner, method, which)).flatten()
    }

    /// Keeps a result if the server allows it. It must have been read, so that what can not be understood is not kept.
    pub(crate) fn keep(&self, session: &Session, method: Method, which: Option<&str>, text: &[u8]) {
        if session.revision.has_cache_hints() {
            self.cache.keep(&self.options.cache_owner, method, which, text);
        }
    }

    /// Forgets all pages of a list.
    pub(crate) fn forget_pages(&self, list: Method) {
        self.cache.forget(&self.options.cache_owner.server, |kept, _| kept == list);
    }

    /// Forgets all that is known from the server, because notices of change may have been lost.
    pub(crate) fn forget_everything(&self) {
        self.catalogue().forget();
        self.cache.forget(&self.options.cache_owner.server, |_, _| true);
    }

    /// Forgets what a notice of change makes stale.
    pub(crate) fn forget_changed(&self, method: Method, uri: Option<&str>) {
        let server = &self.options.cache_owner.server;
        match method {
            Method::ToolListChanged => {
                self.catalogue().forget();
                self.cache.forget(server, |kept, _| kept == Method::ListTools);
            }
            Method::PromptListChanged => self.cache.forget(server, |kept, _| kept == Method::ListPrompts),
            Method::ResourceListChanged => self
                .cache
                .forget(server, |kept, _| matches!(kept, Method::ListResources | Method::ListResourceTemplates)),
            Method::ResourceUpdated => {
                self.cache.forget(server, |kept, which| kept == Method::ReadResource && which == uri);
            }
            _ => {}
        }
    }
}
