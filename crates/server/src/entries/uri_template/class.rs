//! Sets of bytes, and percent-encoding.

use jackfield_protocol::uri::percent_decode;

/// A set of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class([u64; 4]);

impl Class {
    /// What a value may consist of inside one segment: what may stand in a URI, without `/ ? #` and `without`.
    pub(super) fn segment(without: &str) -> Self {
        Self::of(|byte| may_stand(byte) && !b"/?#".contains(&byte) && !without.as_bytes().contains(&byte))
    }

    /// What a value may consist of that spans segments, without `without`.
    pub(super) fn any(without: &str) -> Self {
        Self::of(|byte| may_stand(byte) && !without.as_bytes().contains(&byte))
    }

    fn of(holds: impl Fn(u8) -> bool) -> Self {
        let mut words = [0; 4];
        for byte in 0..=u8::MAX {
            if let Some(word) = words.get_mut(usize::from(byte / 64)) {
                *word |= u64::from(holds(byte)) << (byte % 64);
            }
        }
        Self(words)
    }

    pub(super) fn holds(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte / 64)).is_some_and(|word| word >> (byte % 64) & 1 == 1)
    }
}

/// What may stand in a URI, and what is not ASCII: clients do not always encode it.
fn may_stand(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"-._~%:/?#[]@!$&'()*+,;=".contains(&byte)
}

/// Decodes `%XX` once; `None` if it is malformed, not UTF-8, or has a NUL.
pub(super) fn decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    String::from_utf8(percent_decode(text)?).ok().filter(|text| !text.contains('\0'))
}

/// Encodes all but unreserved characters, and reserved ones and `%XX` if they are kept.
pub(super) fn encode(out: &mut String, text: &str, keeps_reserved: bool) {
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().copied().enumerate() {
        let unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let reserved = b":/?#[]@!$&'()*+,;=".contains(&byte);
        let encoded = byte == b'%'
            && bytes
                .get(at.saturating_add(1)..at.saturating_add(3))
                .is_some_and(|hex| hex.len() == 2 && hex.iter().all(u8::is_ascii_hexdigit));
        if unreserved || keeps_reserved && (reserved || encoded) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
}
