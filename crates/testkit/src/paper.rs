//! Something to write on that can be looked at meanwhile.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps what is written in memory. Clones are the same paper.
#[derive(Clone, Debug, Default)]
pub struct Paper(Arc<Mutex<Vec<u8>>>);

impl Paper {
    /// Returns what has been written.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}

impl Write for Paper {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
