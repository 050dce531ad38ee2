//! What a child writes to standard error: the last part of it is kept.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

/// The last part of what a child wrote to standard error. Clones share it, and it outlives the child.
///
/// The text comes from the server: show it as such, with control characters escaped.
#[derive(Clone, Debug)]
pub struct Stderr {
    kept: Arc<Mutex<Kept>>,
    listener: Option<Listener>,
}

/// Hears what comes.
#[derive(Clone)]
pub(super) struct Listener(Arc<Hear>);

type Hear = dyn Fn(&[u8]) + Send + Sync;

impl Listener {
    pub(super) fn new(listener: impl Fn(&[u8]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(listener))
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Listener")
    }
}

#[derive(Debug)]
struct Kept {
    bytes: VecDeque<u8>,
    limit: usize,
    total: u64,
}

impl Stderr {
    pub(super) fn new(limit: usize, listener: Option<Listener>) -> Self {
        Self { kept: Arc::new(Mutex::new(Kept { bytes: VecDeque::new(), limit, total: 0 })), listener }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the last part as text; bytes that are not UTF-8 are replaced.
    #[must_use]
    pub fn text(&self) -> String {
        let mut kept = self.kept();
        String::from_utf8_lossy(kept.bytes.make_contiguous()).into_owned()
    }

    /// Returns how many bytes were written in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.kept().total
    }

    fn add(&self, chunk: &[u8]) {
        let mut kept = self.kept();
        kept.total = kept.total.saturating_add(chunk.len() as u64);
        let limit = kept.limit;
        let new = chunk.get(chunk.len().saturating_sub(limit)..).unwrap_or_default();
        let overflow = kept.bytes.len().saturating_add(new.len()).saturating_sub(limit);
        let dropped = overflow.min(kept.bytes.len());
        kept.bytes.drain(..dropped);
        kept.bytes.extend(new);
    }

    /// Reads until the end. Never stops early: a child whose standard error nobody reads would hang.
    pub(super) async fn read_all(self, mut reader: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; 8 * 1024];
        while let Ok(count @ 1..) = reader.read(&mut chunk).await {
            let new = chunk.get(..count).unwrap_or_default();
            self.add(new);
            if let Some(Listener(hear)) = &self.listener {
                hear(new);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-117: a flood on standard error stays within the limit, and the newest text is kept.
    #[test]
    fn the_last_part_is_kept() {
        let stderr = Stderr::new(8, None);
        for chunk in ["123456", "7", "89", "0123456789abcdef", "x"] {
            stderr.add(chunk.as_bytes());
        }
        assert_eq!(stderr.text(), "9abcdefx");
        assert_eq!(stderr.total(), 26);
    }
}
