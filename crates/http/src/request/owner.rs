//! Counting what one user, or one address, has open.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use jackfield_peer::Principal;

/// Who is accountable for something.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    /// An authenticated user.
    Principal(Principal),
    /// Somebody at an address.
    Address(IpAddr),
    /// Somebody of whom nothing is known.
    Anyone,
}

/// How many things each owner has open.
#[derive(Debug, Default)]
pub(crate) struct OwnerCounts {
    open: Mutex<HashMap<Owner, usize>>,
    /// All of them together, so that a look is cheap while there are few.
    total: AtomicUsize,
}

/// OwnerCounts one thing until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    counts: Arc<OwnerCounts>,
    owner: Owner,
}

impl OwnerCounts {
    /// OwnerCounts one more, unless the owner has `limit` already.
    pub(crate) fn take(self: &Arc<Self>, owner: Owner, limit: usize) -> Option<Permit> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.get(&owner).copied().unwrap_or_default();
        if count >= limit {
            return None;
        }
        open.insert(owner.clone(), count.saturating_add(1));
        self.total.fetch_add(1, Ordering::Relaxed);
        Some(Permit { counts: self.clone(), owner })
    }

    /// Whether an owner has fewer than `limit`.
    pub(crate) fn has_room(&self, owner: impl FnOnce() -> Owner, limit: usize) -> bool {
        self.total.load(Ordering::Relaxed) < limit
            || self.open.lock().unwrap_or_else(PoisonError::into_inner).get(&owner()).is_none_or(|count| *count < limit)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.counts.total.fetch_sub(1, Ordering::Relaxed);
        let mut counts = self.counts.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.owner) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(&self.owner);
            }
        }
    }
}
