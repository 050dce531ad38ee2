//! Subscriptions that are under way.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jackfield_peer::Session;

/// The resources that requests of a session subscribe to at the moment. A session is subscribed while they wait, so that no change is lost;
/// the last that fails takes that back.
#[derive(Default)]
pub(crate) struct Attempts(Mutex<BTreeMap<String, Attempt>>);

struct Attempt {
    /// How many requests are at it.
    requests: usize,
    /// Whether the session is subscribed, whatever becomes of them.
    stays: bool,
}

impl Attempts {
    /// Subscribes the session; says whether there is room for it.
    pub(crate) fn begin(&self, session: &Session, uri: &str, limit: usize) -> bool {
        let mut attempts = self.lock();
        let stays = session.is_subscribed(uri);
        if !session.subscribe(uri, limit) {
            return false;
        }
        let attempt = attempts.entry(uri.to_owned()).or_insert(Attempt { requests: 0, stays });
        attempt.requests = attempt.requests.saturating_add(1);
        true
    }

    /// Notes how a request came out; says whether the session is not subscribed any more because of that.
    pub(crate) fn end(&self, session: &Session, uri: &str, succeeded: bool) -> bool {
        let mut attempts = self.lock();
        let Some(attempt) = attempts.get_mut(uri) else { return false };
        attempt.requests = attempt.requests.saturating_sub(1);
        attempt.stays |= succeeded;
        if attempt.requests > 0 {
            return false;
        }
        let is_withdrawn = !attempt.stays;
        attempts.remove(uri);
        if is_withdrawn {
            session.unsubscribe(uri);
        }
        is_withdrawn
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Attempt>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
