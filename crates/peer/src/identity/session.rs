//! What a legacy connection remembers between requests.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jackfield_protocol::LoggingLevel;
use tokio::sync::Notify;

use crate::{Caller, Extensions, Outlet};

/// What a legacy connection remembers between requests.
#[derive(Debug)]
pub struct Session {
    caller: Arc<Caller>,
    outlet: Arc<dyn Outlet>,
    // There may be many sessions, and most are never waited for.
    ready: AtomicBool,
    became_ready: Notify,
    log_level: AtomicU8,
    subscriptions: Mutex<BTreeSet<String>>,
    change_cursor: AtomicU64,
    extensions: Mutex<Extensions>,
}

/// A change of a session that every node has to know that serves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionChange<'a> {
    /// The client set the least level of log messages.
    LogLevel(LoggingLevel),
    /// The client wants to hear of a resource.
    Subscribed {
        /// Of which one.
        uri: &'a str,
        /// The position in a framework's change log after which the client has to be notified; none if it keeps no log.
        after: Option<u64>,
    },
    /// The client does not want to hear of a resource any more.
    Unsubscribed(&'a str),
}

const NO_LEVEL: u8 = u8::MAX;
const NO_CURSOR: u64 = u64::MAX;

impl Session {
    /// Opens a session for a caller. `outlet` takes the messages that belong to no request.
    #[must_use]
    pub fn new(caller: Arc<Caller>, outlet: Arc<dyn Outlet>) -> Self {
        Self {
            caller,
            outlet,
            ready: AtomicBool::new(false),
            became_ready: Notify::new(),
            log_level: AtomicU8::new(NO_LEVEL),
            subscriptions: Mutex::default(),
            change_cursor: AtomicU64::new(NO_CURSOR),
            extensions: Mutex::default(),
        }
    }

    /// Returns who opened the session.
    #[must_use]
    pub fn caller(&self) -> &Arc<Caller> {
        &self.caller
    }

    /// Returns where messages go that belong to no request.
    #[must_use]
    pub fn outlet(&self) -> &Arc<dyn Outlet> {
        &self.outlet
    }

    /// Notes that the client said `notifications/initialized`.
    pub fn set_ready(&self) {
        self.ready.store(true, Ordering::Release);
        self.became_ready.notify_waiters();
    }

    /// Whether the client said `notifications/initialized`.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    /// Waits until the client is ready to be asked, but no longer than `limit`.
    pub async fn ready(&self, limit: Duration) -> bool {
        let became_ready = self.became_ready.notified();
        tokio::pin!(became_ready);
        // Whoever becomes ready from here on is heard.
        became_ready.as_mut().enable();
        self.is_ready() || tokio::time::timeout(limit, became_ready).await.is_ok()
    }

    /// Returns the level that `logging/setLevel` set last.
    #[must_use]
    pub fn log_level(&self) -> Option<LoggingLevel> {
        LoggingLevel::ALL.get(usize::from(self.log_level.load(Ordering::Relaxed))).copied()
    }

    /// Sets the least level of log messages.
    pub fn set_log_level(&self, level: LoggingLevel) {
        self.log_level.store(level as u8, Ordering::Relaxed);
    }

    /// Adds a resource that the client wants to hear of; says whether there is room for it.
    pub fn subscribe(&self, uri: &str, limit: usize) -> bool {
        let mut subscriptions = self.subscriptions();
        if subscriptions.contains(uri) {
            return true;
        }
        subscriptions.len() < limit && subscriptions.insert(uri.to_owned())
    }

    /// Removes a resource that the client does not want to hear of any more.
    pub fn unsubscribe(&self, uri: &str) {
        self.subscriptions().remove(uri);
    }

    /// Whether the client wants to hear of a resource.
    #[must_use]
    pub fn is_subscribed(&self, uri: &str) -> bool {
        self.subscriptions().contains(uri)
    }

    /// Returns the resources that the client wants to hear of.
    pub fn subscriptions(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the position in a framework's change log up to which this client is up to date; none if the framework keeps no log.
    #[must_use]
    pub fn change_cursor(&self) -> Option<u64> {
        Some(self.change_cursor.load(Ordering::Relaxed)).filter(|position| *position != NO_CURSOR)
    }

    /// Sets the change cursor. It is stored with the session when that is opened, for other nodes that
    /// [resume](crate::Handler::resumed) it.
    pub fn set_change_cursor(&self, position: u64) {
        self.change_cursor.store(position, Ordering::Relaxed);
    }

    /// Returns what a framework keeps with the session.
    pub fn extensions(&self) -> MutexGuard<'_, Extensions> {
        self.extensions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
