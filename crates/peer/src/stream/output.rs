//! Bytes that wait to be written.

use crate::call::in_one_line;

/// Bytes that wait to be written, one message per line.
#[derive(Debug, Default)]
pub(crate) struct Output {
    text: Vec<u8>,
    written: usize,
}

impl Output {
    /// Appends one message and ends its line. Returns the message.
    pub(crate) fn line(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> &[u8] {
        let start = self.text.len();
        write(&mut self.text);
        in_one_line(self.text.get_mut(start..).unwrap_or_default());
        let end = self.text.len();
        self.text.push(b'\n');
        self.text.get(start..end).unwrap_or_default()
    }

    pub(crate) fn waiting(&self) -> &[u8] {
        self.text.get(self.written..).unwrap_or_default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    /// Notes that so many bytes have been written.
    pub(crate) fn wrote(&mut self, count: usize) {
        self.written = self.written.saturating_add(count);
        if self.is_empty() {
            self.text.clear();
            self.written = 0;
            // One large answer does not keep its memory for the rest of the connection.
            self.text.shrink_to(256 * 1024);
        }
    }
}
