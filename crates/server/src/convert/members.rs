//! Members of an object, decoded into one type; errors name the member.

use std::fmt::{self, Display};

use jackfield_protocol::envelope::Object;
use serde::de::value::{Error as TextError, MapAccessDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::argument::TextArguments;
use super::expected::describe;
use super::{BadArgument, FromArgument};

/// Decodes members of a JSON object.
pub(super) fn from_json<T: DeserializeOwned>(object: &Object) -> Result<T, BadArgument> {
    decode(object.names().map(|name| {
        let value = Value::Json(object.get(&name).unwrap_or(b"null"));
        (name.into_owned(), value)
    }))
}

/// Decodes members that are given as text: numbers and booleans are read from it.
pub(super) fn from_text<T: DeserializeOwned>(arguments: &TextArguments, lists: Lists) -> Result<T, BadArgument> {
    decode(arguments.iter().map(|(name, texts)| (name.clone(), Value::Text(Text { texts, lists }))))
}

/// How several values are written in texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lists {
    /// One text for each.
    Texts,
    /// One text with commas.
    Commas,
}

fn decode<'a, T: DeserializeOwned>(members: impl Iterator<Item = (String, Value<'a>)>) -> Result<T, BadArgument> {
    T::deserialize(MapAccessDeserializer::new(Members { members, next: None })).map_err(|MemberError(bad)| bad)
}

enum Value<'a> {
    Json(&'a [u8]),
    Text(Text<'a>),
}

struct Members<'a, I> {
    members: I,
    next: Option<(String, Value<'a>)>,
}

impl<'de, 'a, I: Iterator<Item = (String, Value<'a>)>> MapAccess<'de> for Members<'a, I> {
    type Error = MemberError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, MemberError> {
        self.next = self.members.next();
        self.next.as_ref().map(|(name, _)| seed.deserialize(name.as_str().into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, MemberError> {
        let (name, value) = self.next.take().expect("values are read after their names");
        let value = match value {
            Value::Json(json) => {
                // The value may outlive nothing that is borrowed, so it is read like a stream.
                let mut json = serde_json::Deserializer::from_reader(json);
                seed.deserialize(&mut json).map_err(|error| describe(&error))
            }
            Value::Text(text) => seed.deserialize(text).map_err(|error| describe(&error)),
        };
        value.map_err(|rule| MemberError(BadArgument::new(&name, &rule)))
    }
}

#[derive(Debug)]
struct MemberError(BadArgument);

impl Display for MemberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for MemberError {}

impl de::Error for MemberError {
    fn custom<T: Display>(message: T) -> Self {
        Self(BadArgument::of_all(format!("arguments: {message}")))
    }

    fn missing_field(name: &'static str) -> Self {
        Self(BadArgument::missing(name))
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        Self(BadArgument::unknown(name, known))
    }
}

/// A value that is given as text.
#[derive(Clone, Copy)]
struct Text<'a> {
    texts: &'a [String],
    lists: Lists,
}

impl<'a> Text<'a> {
    fn first(&self) -> &'a str {
        self.texts.first().map_or("", String::as_str)
    }

    fn parse<T: FromArgument>(&self) -> Result<T, TextError> {
        T::from_argument(self.first()).map_err(de::Error::custom)
    }
}

macro_rules! parsed {
    ($($method:ident $visit:ident $type:ty,)+) => { $(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
            visitor.$visit(self.parse::<$type>()?)
        }
    )+ };
}

impl<'de> Deserializer<'de> for Text<'_> {
    type Error = TextError;

    parsed! {
        deserialize_bool visit_bool bool,
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
        deserialize_u128 visit_u128 u128,
        deserialize_f32 visit_f32 f32,
        deserialize_f64 visit_f64 f64,
        deserialize_char visit_char char,
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_str(self.first())
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TextError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TextError> {
        let parts: Vec<String> = match self.lists {
            Lists::Texts => self.texts.to_vec(),
            Lists::Commas => {
                let parts = self.first().split(',').map(str::trim).filter(|part| !part.is_empty());
                parts.map(str::to_owned).collect()
            }
        };
        let items = parts.iter().map(|part| Item(Text { texts: std::slice::from_ref(part), lists: self.lists }));
        visitor.visit_seq(SeqDeserializer::new(items))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TextError> {
        visitor.visit_enum(StrDeserializer::<TextError>::new(self.first()))
    }

    forward_to_deserialize_any! { str string bytes byte_buf unit unit_struct tuple tuple_struct map struct identifier ignored_any }
}

/// An item of a list.
struct Item<'a>(Text<'a>);

impl<'de, 'a> IntoDeserializer<'de, TextError> for Item<'a> {
    type Deserializer = Text<'a>;

    fn into_deserializer(self) -> Text<'a> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use bytes::Bytes;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Order {
        Newest,
        Oldest,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Search {
        words: Vec<String>,
        limit: u8,
        order: Option<Order>,
    }

    fn text(pairs: &[(&str, &str)]) -> Result<Search, String> {
        let arguments: BTreeMap<_, _> =
            pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        from_text(&arguments.into(), Lists::Commas).map_err(|bad| bad.to_string())
    }

    #[test]
    fn texts_become_members_of_any_type() {
        let all = text(&[("words", "a, b"), ("limit", "3"), ("order", "oldest")]);
        let words = vec!["a".to_owned(), "b".to_owned()];
        assert_eq!(all, Ok(Search { words, limit: 3, order: Some(Order::Oldest) }));
        assert_eq!(text(&[("words", ""), ("limit", "3")]), Ok(Search { words: vec![], limit: 3, order: None }));
    }

    #[test]
    fn errors_name_the_member_and_the_rule() {
        for (pairs, message) in [
            (&[("words", "a")][..], "argument `limit` is missing"),
            (&[("limit", "x")], "argument `limit`: expected an integer from 0 to 255, got \"x\""),
            (&[("order", "best")], "argument `order`: unknown value `best`, expected `newest` or `oldest`"),
            (&[("page", "1")], "argument `page`: unknown; there are `words`, `limit`, `order`"),
        ] {
            assert_eq!(text(pairs).unwrap_err(), message);
        }
        let json = |json: &'static str| {
            let object = Object::read(Bytes::from_static(json.as_bytes())).unwrap();
            from_json::<Search>(&object).unwrap_err().to_string()
        };
        assert_eq!(json(r#"{"limit":300}"#), "argument `limit`: expected an integer from 0 to 255, got 300");
        assert_eq!(json(r#"{"words":[1]}"#), "argument `words`: expected a string, got 1");
        assert_eq!(json(r#"{"words":[]}"#), "argument `limit` is missing");
    }
}
