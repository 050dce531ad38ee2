//! One message per line, cut out of a stream of bytes.

use bytes::{Buf, Bytes, BytesMut};

/// Cuts lines out of a stream, with bounded memory. The buffer is handed out in slices, not copied.
#[derive(Debug)]
pub struct Lines {
    buffer: BytesMut,
    /// The part of the buffer that is known to hold no line end.
    searched: usize,
    limit: usize,
    /// The rest of a line that is too long is being thrown away.
    skipping: bool,
}

/// What was cut out.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line, without its end.
    Whole(Bytes),
    /// The start of a line that is too long. Its rest is thrown away.
    TooLong(Bytes),
}

const CHUNK: usize = 64 * 1024;
/// How much of a line that is too long is kept, to find the id in it.
const KEPT: usize = 4 * 1024;

impl Lines {
    /// Makes a cutter for lines of at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { buffer: BytesMut::with_capacity(CHUNK), searched: 0, limit, skipping: false }
    }

    /// Returns the buffer to read more bytes into.
    pub fn space(&mut self) -> &mut BytesMut {
        if self.buffer.capacity().saturating_sub(self.buffer.len()) < CHUNK / 4 {
            self.buffer.reserve(CHUNK);
        }
        &mut self.buffer
    }

    /// Cuts out the next line, if the buffer holds a whole one.
    #[expect(clippy::should_implement_trait, reason = "after `None` more bytes may come")]
    pub fn next(&mut self) -> Option<Line> {
        loop {
            let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
            let Some(found) = memchr::memchr(b'\n', unsearched) else { return self.incomplete() };
            let end = self.searched.saturating_add(found);
            self.searched = 0;
            let line = self.buffer.split_to(end);
            self.buffer.advance(1);
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            if line.len() > self.limit {
                return Some(Line::TooLong(Bytes::copy_from_slice(line.get(..KEPT).unwrap_or(&line))));
            }
            return Some(Line::Whole(line.freeze()));
        }
    }

    /// Takes what is left when the stream has ended.
    pub fn finish(&mut self) -> Option<Line> {
        let rest = self.buffer.split().freeze();
        self.searched = 0;
        (!std::mem::take(&mut self.skipping) && !rest.is_empty()).then_some(Line::Whole(rest))
    }

    fn incomplete(&mut self) -> Option<Line> {
        if self.skipping {
            self.buffer.clear();
            self.searched = 0;
            return None;
        }
        self.searched = self.buffer.len();
        if self.buffer.len() <= self.limit {
            return None;
        }
        let start = Bytes::copy_from_slice(self.buffer.get(..KEPT).unwrap_or(&self.buffer));
        self.buffer = BytesMut::with_capacity(CHUNK);
        self.searched = 0;
        self.skipping = true;
        Some(Line::TooLong(start))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(limit: usize, chunks: &[&[u8]]) -> Vec<String> {
        let mut lines = Lines::new(limit);
        let mut found = Vec::new();
        let mut note = |line| {
            found.push(match line {
                Line::Whole(text) => String::from_utf8_lossy(&text).into_owned(),
                Line::TooLong(_) => "(too long)".to_owned(),
            });
        };
        for chunk in chunks {
            lines.space().extend_from_slice(chunk);
            while let Some(line) = lines.next() {
                note(line);
            }
        }
        if let Some(line) = lines.finish() {
            note(line);
        }
        found
    }

    #[test]
    fn lines_at_the_limit_pass_and_longer_ones_are_skipped() {
        assert_eq!(cut(4, &[b"123\n1234\n12345\nok\n"]), ["123", "1234", "(too long)", "ok"]);
        assert_eq!(cut(4, &[b"123456", b"789", b"0\nok\n", b"end"]), ["(too long)", "ok", "end"]);
        assert_eq!(cut(4, &[b"12345678"]), ["(too long)"]);
    }

    /// T-004: memory stays bounded while an endless line is thrown away.
    #[test]
    fn an_endless_line_does_not_fill_the_memory() {
        let mut lines = Lines::new(1 << 20);
        let mut reports = 0;
        for _ in 0..1024 {
            lines.space().extend_from_slice(&[b'x'; CHUNK]);
            while lines.next().is_some() {
                reports += 1;
            }
            assert!(lines.buffer.capacity() <= 4 << 20);
        }
        assert_eq!(reports, 1);
    }

    proptest! {
        /// STDIO-003: how the bytes are cut into chunks makes no difference.
        #[test]
        fn chunks_do_not_matter(text in "([a-c]{0,12}\n){0,8}[a-c]{0,5}", size in 1usize..9) {
            let bytes = text.as_bytes();
            let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(cut(8, &chunks), cut(8, &[bytes]));
        }
    }
}
