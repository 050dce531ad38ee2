//! The answers to the messages of one array, which go back as one array.

/// The text of an array of answers, as far as it has been written.
#[derive(Debug, Default)]
pub struct BatchText(Vec<u8>);

impl BatchText {
    /// Adds an answer. Returns by how many bytes the text has grown.
    pub fn add(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> usize {
        let before = self.0.len();
        self.0.push(if before == 0 { b'[' } else { b',' });
        write(&mut self.0);
        self.0.len().saturating_sub(before)
    }

    /// Returns how many bytes have been written.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing has been answered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Ends the array; `None` if nothing has been answered, because an empty array is no answer.
    #[must_use]
    pub fn finish(mut self) -> Option<Vec<u8>> {
        if self.0.is_empty() {
            return None;
        }
        self.0.push(b']');
        Some(self.0)
    }
}
