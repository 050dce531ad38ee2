//! Request ids and progress tokens: strings or integers, echoed exactly.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The id of a request, or a progress token: a string or an integer, kept exactly.
///
/// Fractional numbers, numbers beyond 64 bits, `null` and other JSON values are refused when reading.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RequestId {
    /// An integer that fits into 64 bits, signed.
    Integer(i64),
    /// An integer above the signed range.
    Unsigned(u64),
    /// A string.
    String(Box<str>),
}

/// Names the request that progress notifications belong to.
pub type ProgressToken = RequestId;

impl RequestId {
    /// Reads an id from its JSON text; `None` if it is not a string or a 64-bit integer.
    #[must_use]
    pub fn from_json(text: &[u8]) -> Option<Self> {
        small_count(text).map(Self::Integer).or_else(|| serde_json::from_slice(text).ok())
    }
}

/// Reads what most ids are: a few digits.
fn small_count(text: &[u8]) -> Option<i64> {
    if text.len() > 18 || !matches!(text.first(), Some(b'1'..=b'9')) {
        return None;
    }
    text.iter().try_fold(0_i64, |count, byte| {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        count.checked_mul(10)?.checked_add(digit)
    })
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(n) => n.fmt(f),
            Self::Unsigned(n) => n.fmt(f),
            Self::String(s) => s.fmt(f),
        }
    }
}

impl From<i64> for RequestId {
    fn from(n: i64) -> Self {
        Self::Integer(n)
    }
}

impl From<&str> for RequestId {
    fn from(s: &str) -> Self {
        Self::String(s.into())
    }
}

impl From<String> for RequestId {
    fn from(s: String) -> Self {
        Self::String(s.into())
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(n) => serializer.serialize_i64(*n),
            Self::Unsigned(n) => serializer.serialize_u64(*n),
            Self::String(s) => serializer.serialize_str(s),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl serde::de::Visitor<'_> for IdVisitor {
    type Value = RequestId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an integer of at most 64 bits")
    }

    fn visit_i64<E>(self, n: i64) -> Result<RequestId, E> {
        Ok(RequestId::Integer(n))
    }

    fn visit_u64<E>(self, n: u64) -> Result<RequestId, E> {
        Ok(i64::try_from(n).map_or(RequestId::Unsigned(n), RequestId::Integer))
    }

    fn visit_str<E>(self, s: &str) -> Result<RequestId, E> {
        Ok(RequestId::String(s.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BASE-004, BASE-005, T-005: exact echo of 64-bit integers and strings, nothing else is an id.
    #[test]
    fn ids_are_echoed_exactly_or_refused() {
        for text in [
            "0",
            "-1",
            "1",
            "10",
            "999999999999999999",
            "1000000000000000000",
            "9007199254740993",
            "9223372036854775807",
            "18446744073709551615",
            "\"a\"",
            "\"\"",
        ] {
            let id = RequestId::from_json(text.as_bytes()).unwrap();
            assert_eq!(serde_json::to_string(&id).unwrap(), text);
        }
        for text in ["null", "1.5", "1e3", "01", "1x", "12 3", "0x1", "18446744073709551616", "true", "[]", "{}", ""] {
            assert_eq!(RequestId::from_json(text.as_bytes()), None, "{text}");
        }
    }
}
