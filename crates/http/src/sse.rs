//! Server-sent events: writing them, and reading them at any chunking.

use jackfield_protocol::json::write_u64;

/// A comment, to show that the stream lives.
pub(crate) const COMMENT: &[u8] = b":\n\n";

/// The longest id that counts; a stream that gives a longer one has none. Ids are sent back in a header.
pub const LONGEST_ID: usize = 4096;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SseEvent {
    /// The type; empty stands for `message`.
    pub event: String,
    /// The data, its lines joined by line feeds.
    pub data: String,
    /// The last id that the stream has given, this event or one before.
    pub id: String,
    /// How many milliseconds to wait before coming back, if the stream has said so since the event before.
    pub retry: Option<u64>,
}

/// Appends an event. Line ends in the data become several `data` lines, as the format asks.
///
/// `id` and `event` are of our own making and hold no line end; if they did, they would be left out.
pub fn write_event(out: &mut Vec<u8>, event: Option<&str>, id: Option<&str>, data: &[u8]) {
    write_field(out, b"event", event);
    write_field(out, b"id", id);
    write_data(out, data);
    out.push(b'\n');
}

/// Appends the wish that the client waits so long before it comes back.
pub(crate) fn write_retry(out: &mut Vec<u8>, milliseconds: u64) {
    out.extend_from_slice(b"retry: ");
    write_u64(out, milliseconds);
    out.push(b'\n');
}

fn write_field(out: &mut Vec<u8>, name: &[u8], value: Option<&str>) {
    let Some(value) = value.filter(|value| !value.bytes().any(|byte| matches!(byte, b'\n' | b'\r' | 0))) else {
        return;
    };
    out.extend_from_slice(name);
    out.extend_from_slice(b": ");
    out.extend_from_slice(value.as_bytes());
    out.push(b'\n');
}

fn write_data(out: &mut Vec<u8>, data: &[u8]) {
    let mut rest = data;
    loop {
        out.extend_from_slice(b"data: ");
        match memchr::memchr2(b'\n', b'\r', rest) {
            None => {
                out.extend_from_slice(rest);
                out.push(b'\n');
                return;
            }
            Some(at) => {
                let (line, tail) = rest.split_at_checked(at).unwrap_or((rest, &[]));
                out.extend_from_slice(line);
                out.push(b'\n');
                rest = tail.strip_prefix(b"\r\n").or_else(|| tail.get(1..)).unwrap_or_default();
            }
        }
    }
}

/// Reads events from a stream of bytes that comes in chunks of any size.
#[derive(Debug)]
pub struct SseDecoder {
    line: Vec<u8>,
    /// The byte before was CR, so that LF belongs to the same line end.
    after_cr: bool,
    /// No byte has been seen yet, so that a byte order mark is skipped.
    at_start: bool,
    event: SseEvent,
    /// The id that counts: a line that names one counts only when its event is complete.
    last_id: String,
    data: String,
    has_data: bool,
    size: usize,
    limit: usize,
}

/// An event or a line is longer than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is too long")]
pub struct TooLong;

impl SseDecoder {
    /// Makes a decoder for events of at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            after_cr: false,
            at_start: true,
            event: SseEvent::default(),
            last_id: String::new(),
            data: String::new(),
            has_data: false,
            size: 0,
            limit,
        }
    }

    /// Returns the wish of the stream how many milliseconds to wait before coming back, if no event has carried it yet.
    #[must_use]
    pub fn retry(&self) -> Option<u64> {
        self.event.retry
    }

    /// Returns the last id that the stream has given with a whole event, even one without data.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        &self.last_id
    }

    /// Takes a chunk, and hands each event that it completes to `found`.
    ///
    /// # Errors
    /// An event is longer than the limit.
    pub fn feed(&mut self, chunk: &[u8], mut found: impl FnMut(SseEvent)) -> Result<(), TooLong> {
        let mut rest = chunk;
        while let Some(event) = self.next(&mut rest)? {
            found(event);
        }
        Ok(())
    }

    /// Takes as much of a chunk as the next event needs, and returns the event; `None` when all of the chunk is taken.
    ///
    /// A short chunk can hold very many events, which are larger than what they were read from. So one is made at a time.
    ///
    /// # Errors
    /// An event is longer than the limit.
    pub fn next(&mut self, chunk: &mut &[u8]) -> Result<Option<SseEvent>, TooLong> {
        if std::mem::take(&mut self.after_cr) {
            self.after_cr = chunk.is_empty();
            *chunk = chunk.strip_prefix(b"\n").unwrap_or(chunk);
        }
        while let Some(at) = memchr::memchr2(b'\n', b'\r', chunk) {
            let (line, tail) = chunk.split_at_checked(at).unwrap_or((chunk, &[]));
            self.gather(line)?;
            *chunk = match tail {
                [b'\r', b'\n', tail @ ..] => tail,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [_, tail @ ..] => tail,
                [] => &[],
            };
            if let Some(event) = self.end_line() {
                return Ok(Some(event));
            }
        }
        self.gather(std::mem::take(chunk))?;
        Ok(None)
    }

    fn gather(&mut self, part: &[u8]) -> Result<(), TooLong> {
        self.size = self.size.saturating_add(part.len());
        if self.size > self.limit {
            return Err(TooLong);
        }
        self.line.extend_from_slice(part);
        Ok(())
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        let mut text = line.as_slice();
        if std::mem::take(&mut self.at_start) {
            text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        }
        let event = if text.is_empty() {
            self.dispatch()
        } else {
            self.field(text);
            None
        };
        self.line = line;
        self.line.clear();
        event
    }

    fn field(&mut self, line: &[u8]) {
        let colon = memchr::memchr(b':', line);
        let (name, value) = line.split_at_checked(colon.unwrap_or(line.len())).unwrap_or((line, &[]));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match name {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(&value);
            }
            b"event" => self.event.event = value.into_owned(),
            // One that is too long to be sent back is as good as none, and must not be repeated with every event.
            b"id" if value.len() > LONGEST_ID => self.event.id.clear(),
            b"id" if !value.contains('\0') => self.event.id = value.into_owned(),
            b"retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.event.retry = value.parse().ok();
            }
            // Comments have an empty name.
            _ => {}
        }
    }

    fn dispatch(&mut self) -> Option<SseEvent> {
        self.size = 0;
        self.last_id.clone_from(&self.event.id);
        let event = std::mem::take(&mut self.event.event);
        if !std::mem::take(&mut self.has_data) {
            return None;
        }
        let (data, retry) = (std::mem::take(&mut self.data), self.event.retry.take());
        Some(SseEvent { event, data, id: self.event.id.clone(), retry })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(chunks: &[&[u8]]) -> Vec<SseEvent> {
        let mut decoder = SseDecoder::new(1 << 20);
        let mut events = Vec::new();
        for chunk in chunks {
            decoder.feed(chunk, |event| events.push(event)).unwrap();
        }
        events
    }

    /// HTTP-031, T-032: all line ends, comments, a byte order mark, fields without a colon.
    #[test]
    fn the_whole_format_is_read() {
        let text = "\u{feff}: hello\rdata: a\r\ndata:b\n\nid: 7\ndata\n\nretry: 50\nretry: x\n\nevent: ping\ndata:  c\rid: 8\0\r\r\nnonsense: 1\n\ndata: cut";
        let events = decode(&[text.as_bytes()]);
        let seen: Vec<_> = events.iter().map(|e| (e.event.as_str(), e.data.as_str(), e.id.as_str(), e.retry)).collect();
        assert_eq!(seen, [("", "a\nb", "", None), ("", "", "7", None), ("ping", " c", "7", Some(50))]);
    }

    /// HTTP-047: the id of an event that was cut off does not count, or that event would never be sent again.
    #[test]
    fn an_id_counts_when_its_event_is_complete() {
        let mut decoder = SseDecoder::new(100);
        for (chunk, wanted) in [("id: 1\n\n", "1"), ("id: 2\ndata: x\n", "1"), ("\n", "2"), ("id\n\n", "")] {
            decoder.feed(chunk.as_bytes(), |_| {}).unwrap();
            assert_eq!(decoder.last_event_id(), wanted);
        }
    }

    /// A stream repeats its id with every event, so that a long one and many short events would fill the memory.
    #[test]
    fn an_id_that_is_too_long_is_none() {
        let mut decoder = SseDecoder::new(16 << 20);
        let text = format!("id: 1\ndata\n\nid: {}\n{}", "x".repeat(8 << 20), "data\n\n".repeat(1000));
        let (mut count, mut bytes) = (0, 0);
        decoder.feed(text.as_bytes(), |event| (count, bytes) = (count + 1, bytes + event.id.len())).unwrap();
        assert_eq!((count, bytes, decoder.last_event_id()), (1001, 1, ""));
        let longest = "x".repeat(LONGEST_ID);
        decoder.feed(format!("id: {longest}\n\n").as_bytes(), |_| {}).unwrap();
        assert_eq!(decoder.last_event_id(), longest);
    }

    /// However many events a chunk holds, one is made at a time, and each takes only its own bytes.
    #[test]
    fn events_are_taken_one_by_one() {
        let mut decoder = SseDecoder::new(100);
        let mut chunk: &[u8] = b"id: 1\ndata: a\n\nid: 2\r\rdata: b\r\n\r\nda";
        assert_eq!(decoder.next(&mut chunk).unwrap().unwrap().data, "a");
        assert_eq!((decoder.last_event_id(), chunk.len()), ("1", 20));
        assert_eq!(decoder.next(&mut chunk).unwrap().unwrap().data, "b");
        assert_eq!((decoder.last_event_id(), chunk), ("2", b"da".as_slice()));
        assert_eq!((decoder.next(&mut chunk), chunk), (Ok(None), b"".as_slice()));
    }

    #[test]
    fn an_event_above_the_limit_is_refused() {
        let mut decoder = SseDecoder::new(16);
        assert_eq!(decoder.feed(b"data: 0123456789", |_| {}), Ok(()));
        assert_eq!(decoder.feed(b"0", |_| {}), Err(TooLong));
        let mut decoder = SseDecoder::new(16);
        assert_eq!(decoder.feed(b"data: 01234\ndata: 5678", |_| {}), Err(TooLong));
    }

    proptest! {
        /// T-032: what is written is read back, at any chunking; nothing in the data can start a field of its own.
        #[test]
        fn written_events_are_read_back(
            events in prop::collection::vec(("[a-z]{0,5}", "[0-9a-f-]{0,9}", "(?s).{0,40}|[\\r\\n:a ]{0,12}"), 0..6),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
        ) {
            let mut text = Vec::new();
            for (event, id, data) in &events {
                write_event(&mut text, Some(event), Some(id), data.as_bytes());
            }
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(text.len() + 1)).chain([0, text.len()]).collect();
            cuts.sort_unstable();
            let chunks: Vec<_> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
            let read: Vec<_> = decode(&chunks).into_iter().map(|e| (e.event, e.id, e.data)).collect();
            let wanted: Vec<_> = events.iter()
                .map(|(event, id, data)| (event.clone(), id.clone(), data.replace("\r\n", "\n").replace('\r', "\n")))
                .collect();
            prop_assert_eq!(read, wanted);
        }

        /// T-032: any bytes give the same events at any chunking, and never a panic.
        #[test]
        fn chunking_changes_nothing(text in "([a-z: \\r\\n\u{feff}\\x00]|data|id|retry|event){0,60}", cut in any::<prop::sample::Index>()) {
            let at = cut.index(text.len() + 1);
            let bytes = text.as_bytes();
            prop_assert_eq!(decode(&[bytes]), decode(&[&bytes[..at], &bytes[at..]]));
            let single: Vec<_> = bytes.chunks(1).collect();
            prop_assert_eq!(decode(&[bytes]), decode(&single));
        }
    }
}
