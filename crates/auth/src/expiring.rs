//! A map with a bound, whose entries expire.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

/// A map with a bound, whose entries expire. Times are those of a [`crate::Clock`].
#[derive(Debug)]
pub(crate) struct ExpiringMap<K, V> {
    entries: HashMap<K, (V, u64)>,
    /// Keys in the order they came, for making room.
    order: VecDeque<K>,
    limit: usize,
    /// Nothing expires before then, so that a full map is not searched in vain.
    earliest: u64,
}

/// What became of an entry that has to be new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    New,
    Known,
    /// There is no room, and nothing has expired.
    Full,
}

impl<K: Clone + Eq + Hash, V> ExpiringMap<K, V> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { entries: HashMap::new(), order: VecDeque::new(), limit: limit.max(1), earliest: u64::MAX }
    }

    pub(crate) fn get(&self, key: &K, now: u64) -> Option<&V> {
        self.entries.get(key).filter(|(_, until)| *until > now).map(|(value, _)| value)
    }

    /// Adds or replaces an entry; the oldest goes when there is no room.
    pub(crate) fn put(&mut self, key: K, value: V, until: u64, now: u64) {
        self.earliest = self.earliest.min(until);
        if let Some(known) = self.entries.get_mut(&key) {
            *known = (value, until);
            return;
        }
        if self.entries.len() >= self.limit {
            self.purge(now);
        }
        while self.entries.len() >= self.limit
            && let Some(oldest) = self.order.pop_front()
        {
            self.entries.remove(&oldest);
        }
        self.order.push_back(key.clone());
        self.entries.insert(key, (value, until));
    }

    /// Adds an entry only if it is new and there is room: nothing is forgotten before its time.
    pub(crate) fn add(&mut self, key: K, value: V, until: u64, now: u64) -> Added {
        if self.get(&key, now).is_some() {
            return Added::Known;
        }
        if self.entries.len() >= self.limit {
            self.purge(now);
            if self.entries.len() >= self.limit {
                return Added::Full;
            }
        }
        self.put(key, value, until, now);
        Added::New
    }

    pub(crate) fn remove(&mut self, key: &K, now: u64) -> Option<V> {
        // The key stays in the order until it is purged; a later entry of the same key is then purged by its own time.
        let (value, until) = self.entries.remove(key)?;
        if self.order.len() > self.limit.saturating_mul(2) {
            self.purge(now);
        }
        (until > now).then_some(value)
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.order.clear();
    }

    fn purge(&mut self, now: u64) {
        if self.earliest > now && self.order.len() <= self.limit.saturating_mul(2) {
            return;
        }
        self.entries.retain(|_, (_, until)| *until > now);
        let entries = &self.entries;
        let mut seen = std::collections::HashSet::new();
        self.order.retain(|key| entries.contains_key(key) && seen.insert(key.clone()));
        self.earliest = self.entries.values().map(|(_, until)| *until).min().unwrap_or(u64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_makes_room_unless_nothing_may_be_forgotten() {
        let mut map = ExpiringMap::new(2);
        map.put("a", 1, 100, 0);
        map.put("b", 2, 100, 0);
        assert_eq!(map.add("c", 3, 100, 0), Added::Full);
        map.put("c", 3, 100, 0);
        assert_eq!((map.get(&"a", 0), map.get(&"c", 0), map.len()), (None, Some(&3), 2));
        assert_eq!(map.add("c", 4, 100, 0), Added::Known);
        assert_eq!(map.add("d", 4, 300, 200), Added::New);
        assert_eq!((map.get(&"c", 200), map.len()), (None, 1));
    }

    #[test]
    fn keys_that_come_and_go_leave_nothing_behind() {
        let mut map = ExpiringMap::new(4);
        for round in 0..100 {
            map.put(round % 3, round, 1000, 0);
            assert_eq!(map.remove(&(round % 3), 0), Some(round));
        }
        assert!(map.order.len() <= 9 && map.len() == 0);
    }
}
