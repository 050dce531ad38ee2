//! A bounded map whose entries expire.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::Hash;

use crate::Timestamp;

/// A bounded map whose entries expire.
///
/// The caller says what time it is, with each call: in a [`Timestamp`], an `Instant`, or any other `T` that only grows. An entry is
/// expired when its time is reached; it is then as if absent, whether or not it has been removed.
///
/// ```
/// use jackfield_store::{ExpiringMap, InsertError};
///
/// let mut map = ExpiringMap::new(2);
/// map.insert("a", 1, 10, 0);
/// map.insert("b", 2, 20, 0);
/// assert_eq!(map.try_insert("c", 3, 30, 5), Err(InsertError::Full));
/// assert_eq!(map.try_insert("c", 3, 30, 10), Ok(()));
/// assert_eq!(map.get("a", 10), None);
/// ```
pub struct ExpiringMap<K, V, T = Timestamp> {
    entries: HashMap<K, Entry<V, T>>,
    /// What expires first comes first; of several that expire together, the oldest.
    by_expiry: BTreeMap<(T, u64), K>,
    next_number: u64,
    capacity: usize,
}

struct Entry<V, T> {
    value: V,
    /// Its place in `by_expiry`, unless it stays until it is removed.
    expiry: Option<(T, u64)>,
}

/// Why [`ExpiringMap::try_insert`] did not insert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InsertError {
    /// The key has a value that has not expired.
    #[error("the key is in use")]
    Occupied,
    /// The map is full, and nothing in it has expired.
    #[error("the map is full")]
    Full,
}

impl<K, V, T> ExpiringMap<K, V, T> {
    /// Makes an empty map for at most `capacity` entries (at least one).
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        let capacity = capacity.max(1);
        Self { entries: HashMap::new(), by_expiry: BTreeMap::new(), next_number: 0, capacity }
    }

    /// Returns the number of entries, including expired ones that have not been removed yet.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries, not even expired ones.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.by_expiry.clear();
    }
}

impl<K: Clone + Eq + Hash, V, T: Copy + Ord> ExpiringMap<K, V, T> {
    /// Returns the value of a key.
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q, now: T) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.entries.get(key).filter(|entry| entry.is_live(now)).map(|entry| &entry.value)
    }

    /// Returns the value of a key, to change it.
    pub fn get_mut<Q: Eq + Hash + ?Sized>(&mut self, key: &Q, now: T) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.entries.get_mut(key).filter(|entry| entry.is_live(now)).map(|entry| &mut entry.value)
    }

    /// Sets the value of a key until `expires`, or until it is removed if that is `None`. Returns the value before.
    ///
    /// When the map is full, expired entries make room; if there are none, the entry does that would expire first. Entries that do not
    /// expire are never evicted, so that a map that is full of them grows.
    pub fn insert(&mut self, key: K, value: V, expires: impl Into<Option<T>>, now: T) -> Option<V> {
        let before = self.remove(&key, now);
        while self.entries.len() >= self.capacity && self.pop_first().is_some() {
            while self.pop_expired(now).is_some() {}
        }
        let expiry = expires.into().map(|expires| self.list(&key, expires));
        self.entries.insert(key, Entry { value, expiry });
        before
    }

    /// Sets the value of a key that has none, without evicting anything that has not expired.
    ///
    /// # Errors
    /// The key has a value, or the map is full.
    pub fn try_insert(&mut self, key: K, value: V, expires: impl Into<Option<T>>, now: T) -> Result<(), InsertError> {
        if self.get(&key, now).is_some() {
            return Err(InsertError::Occupied);
        }
        if self.entries.len() >= self.capacity {
            while self.pop_expired(now).is_some() {}
            if self.entries.len() >= self.capacity {
                return Err(InsertError::Full);
            }
        }
        self.insert(key, value, expires, now);
        Ok(())
    }

    /// Lets the entry of a key expire at another time. Does nothing if there is none.
    pub fn renew<Q: Eq + Hash + ?Sized>(&mut self, key: &Q, expires: T, now: T)
    where
        K: Borrow<Q>,
    {
        let Some((key, entry)) = self.entries.remove_entry(key) else { return };
        if let Some(before) = entry.expiry {
            self.by_expiry.remove(&before);
        }
        if entry.is_live(now) {
            let expiry = Some(self.list(&key, expires));
            self.entries.insert(key, Entry { expiry, ..entry });
        }
    }

    /// Removes the entry of a key, and returns its value unless it has expired.
    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q, now: T) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let entry = self.entries.remove(key)?;
        if let Some(expiry) = entry.expiry {
            self.by_expiry.remove(&expiry);
        }
        entry.is_live(now).then_some(entry.value)
    }

    /// Removes one expired entry. Users that count what is in the map call it until it returns `None`.
    pub fn pop_expired(&mut self, now: T) -> Option<(K, V)> {
        let ((expires, _), _) = self.by_expiry.first_key_value()?;
        if *expires > now { None } else { self.pop_first() }
    }

    fn pop_first(&mut self) -> Option<(K, V)> {
        let (_, key) = self.by_expiry.pop_first()?;
        self.entries.remove(&key).map(|entry| (key, entry.value))
    }

    fn list(&mut self, key: &K, expires: T) -> (T, u64) {
        let expiry = (expires, self.next_number);
        self.next_number = self.next_number.wrapping_add(1);
        self.by_expiry.insert(expiry, key.clone());
        expiry
    }
}

impl<V, T: Copy + Ord> Entry<V, T> {
    fn is_live(&self, now: T) -> bool {
        self.expiry.is_none_or(|(expires, _)| expires > now)
    }
}

/// A map without a bound of its own, for owners that count.
impl<K, V, T> Default for ExpiringMap<K, V, T> {
    fn default() -> Self {
        Self::new(usize::MAX)
    }
}

/// Shows neither keys nor values: they may be secrets.
impl<K, V, T> fmt::Debug for ExpiringMap<K, V, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExpiringMap").field("len", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Map = ExpiringMap<&'static str, u32, u64>;

    #[test]
    fn an_entry_is_gone_when_its_time_is_reached() {
        let mut map = Map::default();
        map.insert("a", 1, 10, 0);
        map.insert("stays", 2, None, 0);
        assert_eq!((map.get("a", 9), map.get("a", 10)), (Some(&1), None));
        assert_eq!(map.get_mut("a", 10), None);
        assert_eq!((map.get("stays", u64::MAX), map.len()), (Some(&2), 2));
        assert_eq!(map.remove("a", 10), None);
        assert_eq!((map.pop_expired(u64::MAX), map.len()), (None, 1));
    }

    #[test]
    fn a_full_map_evicts_what_expires_first_unless_it_must_not() {
        let mut map = Map::new(2);
        map.insert("a", 1, 100, 0);
        map.insert("b", 2, 100, 0);
        assert_eq!(map.try_insert("c", 3, 100, 0), Err(InsertError::Full));
        map.insert("c", 3, 100, 0);
        assert_eq!((map.get("a", 0), map.get("b", 0), map.get("c", 0)), (None, Some(&2), Some(&3)));
        assert_eq!(map.try_insert("c", 4, 100, 0), Err(InsertError::Occupied));
        assert_eq!(map.try_insert("d", 4, 300, 200), Ok(()));
        assert_eq!((map.get("d", 200), map.len()), (Some(&4), 1));
    }

    #[test]
    fn a_renewed_or_replaced_entry_expires_at_its_new_time() {
        let mut map = Map::new(4);
        map.insert("a", 1, 10, 0);
        map.renew("a", 30, 0);
        map.insert("b", 2, 10, 0);
        assert_eq!(map.insert("b", 3, 40, 5), Some(2));
        assert_eq!(map.pop_expired(29), None);
        assert_eq!(
            (map.pop_expired(40), map.pop_expired(40), map.pop_expired(40)),
            (Some(("a", 1)), Some(("b", 3)), None)
        );
        map.renew("a", 50, 0);
        assert!(map.is_empty() && map.by_expiry.is_empty());
    }

    #[test]
    fn keys_that_come_and_go_leave_nothing_behind() {
        let mut map = ExpiringMap::new(4);
        for round in 0..100 {
            map.insert(round % 3, round, 1000, 0);
            map.renew(&(round % 3), 2000, 0);
            assert_eq!(map.remove(&(round % 3), 0), Some(round));
        }
        assert!(map.is_empty() && map.by_expiry.is_empty());
    }
}
