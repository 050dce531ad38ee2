//! Reads JSON strings that need no unescaping, as most do.

use serde::de::value::Error;
use serde::de::{Deserialize, Deserializer, Error as _, IntoDeserializer as _, Visitor};
use serde::forward_to_deserialize_any;

/// Reads a JSON string without escapes, which needs no parser. `None` if it is something else, or does not fit: whoever wants to know
/// why reads it again.
pub(super) fn read<'de, T: Deserialize<'de>>(json: &'de [u8]) -> Option<T> {
    let inner = json.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if inner.contains(&b'\\') {
        return None;
    }
    T::deserialize(PlainText(std::str::from_utf8(inner).ok()?)).ok()
}

struct PlainText<'de>(&'de str);

impl<'de> Deserializer<'de> for PlainText<'de> {
    type Error = Error;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        // Such a name asks a particular parser for something that is not in the text.
        if name.starts_with('$') {
            return Err(Error::custom("another reader is needed"));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use serde::de::DeserializeOwned;
    use serde_json::Value;
    use serde_json::value::RawValue;

    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Colour {
        Red,
        Other(i32),
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Name(Option<String>);

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(untagged)]
    enum Any {
        Number(i64),
        Text(String),
    }

    /// What is read here is what a parser would have read.
    fn agrees<T: DeserializeOwned + Debug + PartialEq>(text: &str) {
        if let Some(read) = read::<T>(text.as_bytes()) {
            assert_eq!(read, serde_json::from_str::<T>(text).unwrap(), "{text}");
        }
    }

    #[test]
    fn it_agrees_with_the_parser() {
        for text in [r#""""#, r#""red""#, r#""other""#, r#""ä€""#, r#""5""#, r#""a\n""#, "5", "null", "\"", ""] {
            agrees::<String>(text);
            agrees::<Option<String>>(text);
            agrees::<Option<Option<String>>>(text);
            agrees::<Name>(text);
            agrees::<Colour>(text);
            agrees::<Any>(text);
            agrees::<char>(text);
            agrees::<i64>(text);
            agrees::<bool>(text);
            agrees::<()>(text);
            agrees::<Vec<u8>>(text);
            agrees::<Value>(text);
            agrees::<serde_json::Number>(text);
        }
        assert_eq!(read::<String>("\"ä€\"".as_bytes()).as_deref(), Some("ä€"));
        assert_eq!(read::<Name>(b"\"x\""), Some(Name(Some("x".to_owned()))));
        assert_eq!(read::<Colour>(b"\"red\""), Some(Colour::Red));
        assert!(read::<Box<RawValue>>(b"\"red\"").is_none(), "it has to be read as it stands");
    }
}
