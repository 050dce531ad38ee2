//! Who in this process hears what.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};

use super::mailbox::Mailbox;
use super::{Notice, Subscription};

/// How many notices wait for a slow reader.
const QUEUE: usize = 1024;

/// Hands notices to the subscriptions of this process.
pub(crate) struct Hub {
    topics: Mutex<HashMap<Arc<str>, Vec<Reader>>>,
    next: AtomicU64,
}

#[derive(Clone)]
struct Reader {
    number: u64,
    mailbox: Arc<Mailbox<Notice>>,
}

impl Hub {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { topics: Mutex::default(), next: AtomicU64::new(0) })
    }

    /// Begins to hear topics; each is heard once, however often it is named.
    pub(crate) fn join(self: &Arc<Self>, topics: &[&str]) -> Subscription {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let reader = Reader { number, mailbox: Arc::new(Mailbox::new(QUEUE)) };
        let mut names: Vec<Arc<str>> = Vec::with_capacity(topics.len());
        let mut known = self.topics();
        for topic in topics {
            if names.iter().any(|name| **name == **topic) {
                continue;
            }
            let name = known.get_key_value(*topic).map_or_else(|| Arc::from(*topic), |(name, _)| name.clone());
            let readers = known.entry(name.clone()).or_default();
            readers.push(reader.clone());
            names.push(name);
        }
        drop(known);
        Subscription { number, topics: names, hub: Arc::downgrade(self), mailbox: reader.mailbox }
    }

    pub(super) fn leave(&self, number: u64, topics: &[Arc<str>]) {
        let mut known = self.topics();
        for topic in topics {
            if let Some(readers) = known.get_mut(topic) {
                readers.retain(|reader| reader.number != number);
                if readers.is_empty() {
                    known.remove(topic);
                }
            }
        }
    }

    /// Hands a notice to all who want it.
    pub(crate) fn tell(&self, topic: &str, notice: &Bytes) {
        let topics = self.topics();
        let Some((topic, readers)) = topics.get_key_value(topic) else { return };
        for reader in readers {
            reader.mailbox.put(Notice::Heard { topic: topic.clone(), notice: notice.clone() });
        }
    }

    /// Tells everyone that something may have been missed.
    #[cfg(any(feature = "sqlite", feature = "redis"))]
    pub(crate) fn tell_missed(&self) {
        for reader in self.topics().values().flatten() {
            reader.mailbox.put(Notice::Missed);
        }
    }

    /// Whether nobody wants to hear anything.
    #[cfg(feature = "sqlite")]
    pub(crate) fn is_empty(&self) -> bool {
        self.topics().is_empty()
    }

    /// Returns the topics that someone wants to hear.
    #[cfg(feature = "redis")]
    pub(crate) fn wanted(&self) -> Vec<Arc<str>> {
        self.topics().keys().cloned().collect()
    }

    fn topics(&self) -> MutexGuard<'_, HashMap<Arc<str>, Vec<Reader>>> {
        self.topics.lock()
    }
}

/// Nobody will hear anything more.
impl Drop for Hub {
    fn drop(&mut self) {
        for reader in self.topics().values().flatten() {
            reader.mailbox.close();
        }
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("topics", &self.topics().len()).finish_non_exhaustive()
    }
}
