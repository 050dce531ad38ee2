//! The stores of a Redis, as their users hold them.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::JoinSet;

use super::address::Address;
use super::link::Link;
use super::listener::{Shared, listen};
use crate::{StoreError, Stores};

/// All stores in Redis or Valkey, version 7 or newer, alone or as a cluster. Clones of it are the same stores.
///
/// Connections are made when they are needed, and again when they were lost. A command that has no answer within a second (`timeout=`
/// in the address) fails; nothing waits for longer. All that is kept begins with `jackfield:` (`prefix=`), and what belongs together is
/// on one node of a cluster. How much is kept is bounded by the server's own `maxmemory`, whose policy must be `noeviction`.
#[derive(Clone)]
pub struct Redis(Arc<Inner>);

struct Inner {
    shared: Arc<Shared>,
    /// The task that hears notices.
    listener: Mutex<JoinSet<()>>,
}

impl Redis {
    /// Prepares stores at an address; see [`open`](crate::open()). Nothing is connected yet.
    ///
    /// # Errors
    /// The address cannot be read.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let shared = Arc::new(Shared::new(Link::new(Address::parse(url)?)));
        Ok(Self(Arc::new(Inner { shared, listener: Mutex::default() })))
    }

    /// Returns all stores.
    #[must_use]
    pub fn stores(&self) -> Stores {
        let own = Arc::new(self.clone());
        Stores::shared(own.clone(), own.clone(), own.clone(), own.clone(), own)
    }

    /// Returns a number of milliseconds by which the stores are ahead of the server's clock. Tests raise it, so that nobody has to wait
    /// until something expires; all who share the stores must have the same.
    #[cfg(feature = "contract")]
    #[must_use]
    pub fn time_ahead(&self) -> &Arc<std::sync::atomic::AtomicU64> {
        &self.shared().link.offset
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.0.shared
    }

    /// The name of a key: what stands in braces decides on which node of a cluster it is.
    pub(super) fn key(&self, kind: &str, tag: &str) -> String {
        format!("{}{kind}:{{{tag}}}", self.shared().link.address.prefix)
    }

    /// Waits until everything is subscribed to that someone wants now.
    pub(super) async fn subscribed(&self) -> Result<(), StoreError> {
        self.begin_to_listen();
        self.shared().subscribed().await
    }

    /// Sees to it that someone listens. The runtime in which the last one did may have ended.
    fn begin_to_listen(&self) {
        let mut listener = self.0.listener.lock();
        while listener.try_join_next().is_some() {}
        if listener.is_empty() {
            listener.spawn(listen(self.shared().clone()));
        }
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Redis").field(&self.shared().link.address).finish()
    }
}
