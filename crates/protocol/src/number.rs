//! Numbers as JSON has them: integers are written without a fraction, and counts are read leniently.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserializer, Serializer};

/// The largest integer that every peer can represent, 2^53 - 1.
pub(crate) const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// A number that may have a fraction; `50.0` is written `50`, as JavaScript peers write it.
pub(crate) mod fraction {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
        if number.fract() == 0.0 && number.abs() <= MAX_SAFE_INTEGER as f64 {
            serializer.serialize_i64(*number as i64)
        } else {
            serializer.serialize_f64(*number)
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        serde::Deserialize::deserialize(deserializer)
    }
}

/// An optional number that may have a fraction.
pub(crate) mod optional_fraction {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        match number {
            Some(number) => fraction::serialize(number, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        serde::Deserialize::deserialize(deserializer)
    }
}

/// Reads a count such as milliseconds or bytes. The schemas say `number`: a fraction is cut off, a negative count is zero.
pub(crate) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    deserializer.deserialize_any(Count)
}

/// Reads an optional count; `null` is none.
pub(crate) fn optional_count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    deserializer.deserialize_option(OptionalCount)
}

struct Count;

impl Visitor<'_> for Count {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_u64<E>(self, n: u64) -> Result<u64, E> {
        Ok(n)
    }

    fn visit_i64<E>(self, n: i64) -> Result<u64, E> {
        Ok(u64::try_from(n).unwrap_or(0))
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float cast saturates, as wanted")]
    fn visit_f64<E: Error>(self, n: f64) -> Result<u64, E> {
        Ok(n as u64)
    }
}

struct OptionalCount;

impl<'de> Visitor<'de> for OptionalCount {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or null")
    }

    fn visit_none<E>(self) -> Result<Option<u64>, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Option<u64>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<u64>, D::Error> {
        count(deserializer).map(Some)
    }
}

/// The number as a JSON value, an integer where it is one.
pub(crate) fn value(number: f64) -> serde_json::Value {
    fraction::serialize(&number, serde_json::value::Serializer).unwrap_or_default()
}
