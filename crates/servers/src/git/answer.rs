//! Text of a bounded size.

/// The largest answer in bytes, far above what a model can read.
pub(super) const MAX_ANSWER: usize = 16 * 1024 * 1024;

/// Collects bytes up to a limit, then takes no more.
#[derive(Debug)]
pub(super) struct Answer {
    bytes: Vec<u8>,
    limit: usize,
    full: bool,
}

impl Answer {
    /// An empty answer of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, full: false }
    }

    /// Appends bytes, or cuts them where the limit is.
    pub(super) fn push(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        if self.full {
            return;
        }
        let room = self.limit - self.bytes.len();
        if bytes.len() > room {
            self.bytes.extend_from_slice(&bytes[..room]);
            self.full = true;
        } else {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Whether something had to be left out: what would follow need not be computed.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The text. Bytes that are not UTF-8 become U+FFFD; `narrower` tells how to ask for less when it was cut.
    pub(super) fn finish(mut self, narrower: &str) -> String {
        if self.full {
            let end = memchr::memrchr(b'\n', &self.bytes).map_or(self.bytes.len(), |at| at + 1);
            self.bytes.truncate(end);
            let note = format!("[The answer is cut here: it is longer than {} bytes. {narrower}]\n", self.limit);
            self.bytes.extend_from_slice(note.as_bytes());
        }
        match String::from_utf8(self.bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }

    /// The text as a command's output is shown: without the newline that ends it.
    pub(super) fn finish_output(self, narrower: &str) -> String {
        let mut text = self.finish(narrower);
        if text.ends_with('\n') {
            text.pop();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_at_its_limit_is_whole_and_one_above_is_cut_at_a_line() {
        let mut whole = Answer::new(8);
        whole.push("one\ntwo\n");
        assert!(!whole.is_full());
        assert_eq!(whole.finish("Ask for less."), "one\ntwo\n");

        let mut cut = Answer::new(8);
        cut.push("one\ntwo\nthree\n");
        assert!(cut.is_full());
        cut.push("ignored");
        assert_eq!(
            cut.finish("Ask for less."),
            "one\ntwo\n[The answer is cut here: it is longer than 8 bytes. Ask for less.]\n"
        );
    }

    #[test]
    fn only_one_newline_is_cut_from_the_end_of_an_output() {
        let mut answer = Answer::new(99);
        answer.push("a\n\n");
        assert_eq!(answer.finish_output(""), "a\n");
    }
}
