//! A map that forgets.

use std::collections::{BTreeSet, HashMap};

use crate::Timestamp;

/// Values by name, each until its time is over. Forgetting is cheap: what is due comes first.
#[derive(Debug)]
pub(crate) struct Expiring<V> {
    slots: HashMap<String, Slot<V>>,
    due: BTreeSet<(Timestamp, String)>,
}

#[derive(Debug)]
struct Slot<V> {
    value: V,
    until: Option<Timestamp>,
}

impl<V> Expiring<V> {
    /// Takes out what is due first, if its time is over.
    pub(crate) fn pop_due(&mut self, now: Timestamp) -> Option<(String, V)> {
        let (until, _) = self.due.first()?;
        if *until > now {
            return None;
        }
        let (_, key) = self.due.pop_first()?;
        self.slots.remove(&key).map(|slot| (key, slot.value))
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn get(&self, key: &str) -> Option<&V> {
        self.slots.get(key).map(|slot| &slot.value)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.slots.get_mut(key).map(|slot| &mut slot.value)
    }

    /// Sets a value, and returns the one before.
    pub(crate) fn insert(&mut self, key: &str, value: V, until: Option<Timestamp>) -> Option<V> {
        let before = self.remove(key);
        self.due.extend(until.map(|until| (until, key.to_owned())));
        self.slots.insert(key.to_owned(), Slot { value, until });
        before
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<V> {
        let slot = self.slots.remove(key)?;
        if let Some(until) = slot.until {
            self.due.remove(&(until, key.to_owned()));
        }
        Some(slot.value)
    }

    /// Keeps a value until another time.
    pub(crate) fn keep(&mut self, key: &str, until: Timestamp) {
        let Some(slot) = self.slots.get_mut(key) else { return };
        if let Some(before) = slot.until.replace(until) {
            self.due.remove(&(before, key.to_owned()));
        }
        self.due.insert((until, key.to_owned()));
    }
}

impl<V> Default for Expiring<V> {
    fn default() -> Self {
        Self { slots: HashMap::new(), due: BTreeSet::new() }
    }
}
