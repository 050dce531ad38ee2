//! How often callers may do what costs something.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jackfield_peer::{Incoming, Rate, TokenBucket};
use jackfield_protocol::ErrorObject;
use jackfield_protocol::error::code;
use serde_json::json;
use tokio::time::Instant;

use crate::callers::owner::Owner;

/// Rates of so many at once are counted for all callers together first.
const COARSE: u32 = 10_000;
/// The most callers that are counted one by one; further ones count as one.
const MOST_CALLERS: usize = 10_000;

/// Counts for each caller how often something happens.
///
/// As long as all callers together stay below the rate of one, nobody can be above it, and nothing but one number is touched: no
/// clock, no lock, no name.
#[derive(Debug)]
pub(crate) struct Limiter {
    rate: Option<Rate>,
    /// How many more there may be of all callers together before each is looked at.
    unseen: AtomicI64,
    counted: Mutex<Counted>,
}

#[derive(Debug)]
struct Counted {
    since: Instant,
    callers: HashMap<String, TokenBucket>,
}

impl Limiter {
    pub(crate) fn new(rate: Option<Rate>) -> Self {
        let counted = Counted { since: Instant::now(), callers: HashMap::new() };
        Self { rate, unseen: AtomicI64::new(unseen(rate)), counted: Mutex::new(counted) }
    }

    /// Counts one for the caller.
    ///
    /// # Errors
    /// It is too much.
    pub(crate) fn admit(&self, incoming: &Incoming, what: &str) -> Result<(), ErrorObject> {
        self.admit_owner(|| Owner::of(incoming), what)
    }

    /// Counts one for a caller who is looked at only if all together are too many.
    ///
    /// # Errors
    /// It is too much.
    pub(crate) fn admit_owner(&self, owner: impl FnOnce() -> Owner, what: &str) -> Result<(), ErrorObject> {
        if self.unseen.fetch_sub(1, Ordering::Relaxed) > 0 {
            return Ok(());
        }
        match self.rate {
            None => Ok(()),
            Some(rate) => self.admit_one(rate, owner).map_err(|wait| too_many(what, rate, wait)),
        }
    }

    fn admit_one(&self, rate: Rate, owner: impl FnOnce() -> Owner) -> Result<(), Duration> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        // After such a time every bucket is full again, and nothing need be known of anyone.
        if now.saturating_duration_since(counted.since) >= rate.per && rate.burst >= COARSE {
            *counted = Counted { since: now, callers: HashMap::new() };
            self.unseen.store(unseen(self.rate), Ordering::Relaxed);
            return Ok(());
        }
        // What was counted in vain must not add up.
        self.unseen.store(0, Ordering::Relaxed);
        let Counted { callers, since } = &mut *counted;
        let mut name = owner().name;
        if callers.len() >= MOST_CALLERS && !callers.contains_key(&name) {
            if now.saturating_duration_since(*since) >= rate.per {
                callers.clear();
                *since = now;
            } else {
                name.clear();
            }
        }
        callers.entry(name).or_insert_with(|| TokenBucket::new(rate)).take()
    }
}

fn unseen(rate: Option<Rate>) -> i64 {
    match rate {
        Some(rate) if rate.burst >= COARSE => rate.burst.into(),
        Some(_) => 0,
        None => i64::MAX,
    }
}

fn too_many(what: &str, rate: Rate, wait: Duration) -> ErrorObject {
    let millis = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
    let Rate { burst, per, .. } = rate;
    ErrorObject::new(
        code::TOO_MANY_REQUESTS,
        format!("too many {what}: more than {burst} within {per:?}; try again later"),
    )
    .with_data(json!({ "retryAfterMs": millis }))
}
