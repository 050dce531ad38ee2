//! Which key signs when.

use std::sync::Arc;

use crate::NoRandomness;
use crate::jose::{JwkSet, SigningKey};

/// Keys in the order in which they sign. There is always one.
#[derive(Clone, Debug, Default)]
pub(in crate::server) struct Schedule(Vec<Scheduled>);

/// A key, and the second from which on it signs, until the next one does.
#[derive(Clone, Debug)]
pub(in crate::server) struct Scheduled {
    pub(in crate::server) key: Arc<SigningKey>,
    pub(in crate::server) from: u64,
}

/// How keys follow each other; all times in seconds.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct Plan {
    /// When a key is followed by a new one; never if none.
    pub(in crate::server) rotation: Option<u64>,
    /// For how long an old key is shown.
    pub(in crate::server) overlap: u64,
    /// How long a new key waits at least before it signs, so that all processes that share it know it by then.
    pub(in crate::server) lead: u64,
}

/// How long a key is shown before it signs: longer than anybody keeps what they fetched.
const SHOWN_BEFORE: u64 = 86_400;

impl Schedule {
    pub(in crate::server) fn new(keys: Vec<Scheduled>) -> Self {
        Self(keys)
    }

    pub(in crate::server) fn keys(&self) -> &[Scheduled] {
        &self.0
    }

    /// Returns the key that signs now; none if there is no key at all.
    pub(in crate::server) fn current(&self, now: u64) -> Option<&Arc<SigningKey>> {
        self.0.get(self.place(now)).map(|scheduled| &scheduled.key)
    }

    fn place(&self, now: u64) -> usize {
        self.0.iter().rposition(|scheduled| scheduled.from <= now).unwrap_or_default()
    }

    /// Returns the public keys: the one that signs first, those after it, and those before it as long as they are shown.
    pub(in crate::server) fn public(&self, plan: Plan, now: u64) -> JwkSet {
        let (before, from_now) = self.0.split_at(self.place(now));
        let old = before.iter().enumerate().rev().filter(|(at, _)| self.is_shown(*at, plan, now)).map(|(_, old)| old);
        JwkSet { keys: from_now.iter().chain(old).map(|scheduled| scheduled.key.public().clone()).collect() }
    }

    /// Whether tokens of a key may still be about.
    fn is_shown(&self, at: usize, plan: Plan, now: u64) -> bool {
        let successor = self.0.get(at.saturating_add(1));
        successor.is_none_or(|successor| now < successor.from.saturating_add(plan.overlap))
    }

    /// Forgets keys that are over, and adds the next one when it is time to show it. Says whether anything changed.
    pub(in crate::server) fn turn(&mut self, plan: Plan, now: u64) -> Result<bool, NoRandomness> {
        let over = (0..self.0.len()).take_while(|at| !self.is_shown(*at, plan, now)).count();
        self.0.drain(..over);
        let from = match (self.0.last(), plan.rotation) {
            (None, _) => Some(now),
            (Some(newest), Some(rotation)) => {
                let end = newest.from.saturating_add(rotation);
                let is_near = end.saturating_sub(SHOWN_BEFORE.min(rotation / 2)) <= now;
                is_near.then(|| end.max(now.saturating_add(plan.lead)))
            }
            (Some(_), None) => None,
        };
        if let Some(from) = from {
            self.0.push(Scheduled { key: Arc::new(SigningKey::generate()?), from });
        }
        Ok(over > 0 || from.is_some())
    }

    /// Has a key sign from then on, in place of all that have not signed anything yet.
    pub(in crate::server) fn follow(&mut self, key: Arc<SigningKey>, from: u64, now: u64) {
        self.0.retain(|scheduled| scheduled.from <= now);
        self.0.push(Scheduled { key, from });
    }
}
