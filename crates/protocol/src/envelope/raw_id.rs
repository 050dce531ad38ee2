//! The id of a request, as it stands in the received text.

use std::fmt;
use std::hash::{Hash, Hasher};

use bytes::Bytes;

use super::members::Span;
use crate::{RequestId, json};

/// The JSON text of a request's id: a string or an integer, echoed exactly.
#[derive(Clone)]
pub struct RawId(Text);

/// Most ids are short, and cheaper to copy than to share.
const SHORT: usize = 22;

#[derive(Clone)]
enum Text {
    Short { bytes: [u8; SHORT], length: u8 },
    Long(Bytes),
}

impl RawId {
    /// Takes an id that stands in a text.
    pub(super) fn new(text: &Bytes, span: Span) -> Self {
        Self::short(span.of(text)).unwrap_or_else(|| Self(Text::Long(text.slice(span.range()))))
    }

    fn short(json: &[u8]) -> Option<Self> {
        let mut bytes = [0; SHORT];
        bytes.get_mut(..json.len())?.copy_from_slice(json);
        Some(Self(Text::Short { bytes, length: u8::try_from(json.len()).ok()? }))
    }

    /// Copies the text, so that the buffer it was received in can be given back.
    pub(super) fn detach(&mut self) {
        if let Text::Long(text) = &mut self.0 {
            *text = Bytes::copy_from_slice(text);
        }
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn as_json(&self) -> &[u8] {
        match &self.0 {
            Text::Short { bytes, length } => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Text::Long(text) => text,
        }
    }

    /// Decodes the id. Two ids that are written differently may be equal, such as `"a"` and `"\u0061"`.
    #[must_use]
    pub fn decode(&self) -> Option<RequestId> {
        RequestId::from_json(self.as_json())
    }
}

impl From<&RequestId> for RawId {
    fn from(id: &RequestId) -> Self {
        let mut text = Vec::new();
        match id {
            RequestId::Integer(n) => text.extend_from_slice(n.to_string().as_bytes()),
            RequestId::Unsigned(n) => text.extend_from_slice(n.to_string().as_bytes()),
            RequestId::String(s) => json::write_str(&mut text, s),
        }
        Self::short(&text).unwrap_or_else(|| Self(Text::Long(text.into())))
    }
}

impl PartialEq for RawId {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json()
    }
}

impl Eq for RawId {}

impl Hash for RawId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_json().hash(state);
    }
}

impl fmt::Debug for RawId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawId({})", String::from_utf8_lossy(self.as_json()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_any_length_are_kept_to_the_letter() {
        for id in [
            "7",
            "-9223372036854775808",
            r#""\u0061""#,
            &format!("\"{}\"", "x".repeat(20)),
            &format!("\"{}\"", "x".repeat(21)),
        ] {
            let text = Bytes::from(format!("[{id}]"));
            let mut raw = RawId::new(&text, Span::new(1, 1 + id.len()));
            assert_eq!(raw.as_json(), id.as_bytes());
            let before = raw.clone();
            raw.detach();
            assert_eq!(raw, before);
            assert_eq!(raw.decode(), RequestId::from_json(id.as_bytes()));
            assert!(raw.decode().is_some());
        }
    }

    #[test]
    fn an_id_of_ours_reads_as_the_same() {
        for id in [RequestId::Integer(-1), RequestId::Unsigned(u64::MAX), RequestId::String("\"".repeat(30).into())] {
            assert_eq!(RawId::from(&id).decode(), Some(id));
        }
    }
}
