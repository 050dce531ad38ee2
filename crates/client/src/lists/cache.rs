//! Results that the server allows to keep: `ttlMs` and `cacheScope`, since 2026-07-28.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use jackfield_protocol::{CacheScope, Method};
use serde::Deserialize;
use tokio::time::Instant;

use crate::connection::Core;
use crate::connection::Session;

/// Results that servers allow to keep for a while. Clones share them; several clients may use one, each with its own
/// [`CacheOwner`].
///
/// A result for one caller only is found again only by the same principal at the same server, with the same credentials: after another
/// login, with another token, and logged out, the server is asked. What a server says may be shared is found by every principal of that
/// server. Nothing is kept longer than a day, and no more than a thousand results
/// of 16 MiB in all.
#[derive(Clone, Debug, Default)]
pub struct Cache(Arc<Mutex<CacheState>>);

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
/// How long an answer that is there waits until it is known whose it is. If it takes longer, it is not state.
const WHILE_ANSWERED: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
struct CacheState {
    entries: HashMap<Key, Entry>,
    bytes: usize,
    /// How often a server's results of a method were said to be stale.
    changes: HashMap<String, HashMap<Method, u64>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    server: String,
    /// `None` for what may be shared.
    user: Option<User>,
    method: Method,
    /// The cursor or URI.
    which: Option<String>,
}

/// Who may see a result that is for one caller only.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct User {
    principal: String,
    /// Stands for the credentials, where they can change.
    credentials: Option<u64>,
}

/// The methods whose results are state.
const CACHEABLE: [Method; 5] = [
    Method::ListTools,
    Method::ListPrompts,
    Method::ListResources,
    Method::ListResourceTemplates,
    Method::ReadResource,
];

/// The moment before a request: what its result may be kept under, if nothing has changed when it is there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    changes: u64,
    credentials: Credentials,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Credentials {
    /// They are the same as long as the client lives.
    Fixed,
    Now(u64),
    /// There are none to be had, so nothing is kept for their owner.
    Unknown,
}

impl Credentials {
    /// Asks for them; whoever takes longer than the limit has none.
    async fn of(session: &Session, limit: Duration) -> Self {
        match session.link.credentials() {
            None => Self::Fixed,
            Some(asked) => match tokio::time::timeout(limit, asked).await {
                Ok(Some(credentials)) => Self::Now(credentials),
                Ok(None) | Err(_) => Self::Unknown,
            },
        }
    }

    fn user(self, owner: &CacheOwner) -> Option<User> {
        let credentials = match self {
            Self::Fixed => None,
            Self::Now(credentials) => Some(credentials),
            Self::Unknown => return None,
        };
        Some(User { principal: owner.principal.clone(), credentials })
    }
}

#[derive(Debug)]
struct Entry {
    text: Bytes,
    until: Instant,
}

/// The part of a result that says how long it may be state.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hints {
    ttl_ms: Option<u64>,
    cache_scope: Option<CacheScope>,
}

impl Cache {
    fn state(&self) -> MutexGuard<'_, CacheState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changes(&self, server: &str, method: Method) -> u64 {
        self.state().changes(server, method)
    }

    fn find(&self, server: &str, user: Option<User>, method: Method, which: Option<&str>) -> Option<Bytes> {
        let state = self.state();
        let now = Instant::now();
        let found = user.map(Some).into_iter().chain([None]).find_map(|user| {
            let key = Key { server: server.to_owned(), user, method, which: which.map(str::to_owned) };
            state.entries.get(&key).filter(|entry| entry.until > now)
        });
        found.map(|entry| entry.text.clone())
    }

    /// Keeps a text, unless results of the method were said to be stale after the request was sent.
    fn keep(&self, key: Key, changes: u64, until: Instant, text: &[u8]) {
        let mut state = self.state();
        if state.changes(&key.server, key.method) != changes {
            return;
        }
        state.make_room(text.len());
        if text.len() <= MOST_BYTES {
            // A slice of the read buffer would keep all of it in memory.
            let text = Bytes::copy_from_slice(text);
            state.bytes += text.len();
            if let Some(old) = state.entries.insert(key, Entry { text, until }) {
                state.bytes -= old.text.len();
            }
        }
    }

    /// Forgets the results of these methods; only those about a URI, if one is given.
    fn forget(&self, server: &str, stale: &[Method], uri: Option<&str>) {
        let mut state = self.state();
        let changes = state.changes.entry(server.to_owned()).or_default();
        for method in stale {
            let count = changes.entry(*method).or_default();
            *count = count.wrapping_add(1);
        }
        let is_meant = |which: Option<&str>| uri.is_none() || which == uri;
        state.retain(|key, _| key.server != server || !stale.contains(&key.method) || !is_meant(key.which.as_deref()));
    }
}

impl CacheState {
    fn changes(&self, server: &str, method: Method) -> u64 {
        self.changes.get(server).and_then(|changes| changes.get(&method)).copied().unwrap_or_default()
    }

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
    /// Notes the moment before a request whose result may be kept; none if the revision keeps nothing. It takes no longer than the limit.
    pub(crate) async fn moment(&self, session: &Session, method: Method, limit: Duration) -> Option<Moment> {
        if !session.revision.has_cache_hints() {
            return None;
        }
        let changes = self.cache.changes(&self.options.cache_owner.server, method);
        Some(Moment { changes, credentials: Credentials::of(session, limit).await })
    }

    /// Returns a result that was state.
    pub(crate) fn cached(&self, moment: Option<Moment>, method: Method, which: Option<&str>) -> Option<Bytes> {
        let owner = &self.options.cache_owner;
        self.cache.find(&owner.server, moment?.credentials.user(owner), method, which)
    }

    /// Keeps a result if the server allows it, and nothing has changed since the request. It must have been read, so that what cannot be
    /// understood is not state.
    pub(crate) async fn keep(
        &self,
        session: &Session,
        moment: Option<Moment>,
        method: Method,
        which: Option<&str>,
        text: &[u8],
    ) {
        let Some(moment) = moment else { return };
        let Ok(Hints { ttl_ms: Some(ttl @ 1..), cache_scope }) = serde_json::from_slice(text) else { return };
        let Some(until) = Instant::now().checked_add(Duration::from_millis(ttl).min(LONGEST)) else { return };
        let owner = &self.options.cache_owner;
        let user = if cache_scope == Some(CacheScope::Public) {
            None
        } else {
            // The request may have led to a login, and then its result belongs to whoever logged in.
            let is_same = Credentials::of(session, WHILE_ANSWERED).await == moment.credentials;
            let Some(user) = moment.credentials.user(owner).filter(|_| is_same) else { return };
            Some(user)
        };
        let key = Key { server: owner.server.clone(), user, method, which: which.map(str::to_owned) };
        self.cache.keep(key, moment.changes, until, text);
    }

    /// Forgets all pages of a list.
    pub(crate) fn forget_pages(&self, list: Method) {
        self.cache.forget(&self.options.cache_owner.server, &[list], None);
    }

    /// Forgets all that is known from the server, because notices of change may have been lost.
    pub(crate) fn forget_everything(&self) {
        self.tool_catalog().forget();
        self.cache.forget(&self.options.cache_owner.server, &CACHEABLE, None);
    }

    /// Forgets what a notice of change makes stale.
    pub(crate) fn forget_changed(&self, method: Method, uri: Option<&str>) {
        let stale: &[Method] = match method {
            Method::ToolListChanged => {
                self.tool_catalog().forget();
                &[Method::ListTools]
            }
            Method::PromptListChanged => &[Method::ListPrompts],
            Method::ResourceListChanged => &[Method::ListResources, Method::ListResourceTemplates],
            Method::ResourceUpdated => &[Method::ReadResource],
            _ => return,
        };
        let uri = uri.filter(|_| method == Method::ResourceUpdated);
        self.cache.forget(&self.options.cache_owner.server, stale, uri);
    }
}
