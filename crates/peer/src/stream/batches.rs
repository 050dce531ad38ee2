//! The batches of a connection whose answers are not yet complete.

use std::collections::HashMap;

use crate::call::BatchText;

/// Names a batch within its connection.
pub(crate) type BatchKey = u64;

/// The batches whose answers are not yet complete.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    open: HashMap<BatchKey, Batch>,
    next: BatchKey,
}

#[derive(Debug)]
struct Batch {
    text: BatchText,
    /// Requests that still run, plus one while the array itself is being read.
    waiting: usize,
}

impl Batches {
    pub(crate) fn begin(&mut self) -> BatchKey {
        let key = self.next;
        self.next = key.wrapping_add(1);
        self.open.insert(key, Batch { text: BatchText::default(), waiting: 1 });
        key
    }

    /// Notes that one more answer will come later.
    pub(crate) fn expect(&mut self, key: BatchKey) {
        if let Some(batch) = self.open.get_mut(&key) {
            batch.waiting = batch.waiting.saturating_add(1);
        }
    }

    /// Adds an answer.
    pub(crate) fn add(&mut self, key: BatchKey, write: impl FnOnce(&mut Vec<u8>)) {
        if let Some(batch) = self.open.get_mut(&key) {
            batch.text.add(write);
        }
    }

    /// Returns how many bytes of answers other batches hold back.
    pub(crate) fn held_beside(&self, key: BatchKey) -> usize {
        let others = self.open.iter().filter(|(open, _)| **open != key);
        others.fold(0, |bytes, (_, batch)| bytes.saturating_add(batch.text.len()))
    }

    /// Notes that one of those waited for has come, or will not come. Returns the whole answer once none is missing, unless
    /// it is empty.
    pub(crate) fn settle(&mut self, key: BatchKey) -> Option<Vec<u8>> {
        let batch = self.open.get_mut(&key)?;
        batch.waiting = batch.waiting.saturating_sub(1);
        if batch.waiting > 0 {
            return None;
        }
        self.open.remove(&key)?.text.finish()
    }
}
