//! Counting what one user, or one address, has open.

use std::collections::HashMap;
use std::net::IpAddr;
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
pub(crate) struct Counts(Mutex<HashMap<Owner, usize>>);

/// Counts one thing until it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    counts: Arc<Counts>,
    owner: Owner,
}

impl Counts {
    /// Counts one more, unless the owner has `limit` already.
    pub(crate) fn take(self: &Arc<Self>, owner: Owner, limit: usize) -> Option<Permit> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(owner.clone()).or_default();
        if *count >= limit {
            return None;
        }
        *count = count.saturating_add(1);
        Some(Permit { counts: self.clone(), owner })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut counts = self.counts.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.owner) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(&self.owner);
            }
        }
    }
}
