//! The ids of events: which stream, and how far.

use std::fmt;

/// The id of an event. It names its stream by a random number, so that it cannot be guessed, and the event by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventId {
    pub(crate) stream: u64,
    pub(crate) sequence: u64,
}

impl EventId {
    /// Reads what [`fmt::Display`] writes, and nothing else.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let (stream, sequence) = text.split_once('-')?;
        let digits = |part: &str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if stream.len() != 16 || !digits(stream) || !sequence.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(Self { stream: u64::from_str_radix(stream, 16).ok()?, sequence: sequence.parse().ok()? })
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}-{}", self.stream, self.sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-047: only ids of our own form are read.
    #[test]
    fn ids_are_read_back_and_nothing_else_is() {
        let id = EventId { stream: 7, sequence: 12 };
        assert_eq!(EventId::parse(id.to_string().as_bytes()), Some(id));
        for text in [
            "",
            "-",
            "1-1",
            "0000000000000007",
            "0000000000000007-",
            "0000000000000007-x",
            "0000000000000007-+1",
            "000000000000000G-1",
            "+000000000000007-1",
            "0000000000000007-99999999999999999999",
            "\0",
            "0000000000000007-1 ",
        ] {
            assert_eq!(EventId::parse(text.as_bytes()), None, "{text}");
        }
    }
}
