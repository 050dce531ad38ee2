//! JSON whose members keep their order, as JavaScript prints it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

/// A JSON value whose members are in the order in which they were written.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ordered {
    Null,
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<Ordered>),
    Members(Vec<(String, Ordered)>),
}

impl Ordered {
    /// Reads what is written as JSON; `null` if it cannot be read.
    pub(super) fn read(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or(Self::Null)
    }

    /// Puts the members with these names first, in this order.
    #[must_use]
    pub(super) fn beginning_with(self, names: &[&str]) -> Self {
        let Self::Members(mut members) = self else { return self };
        members.sort_by_key(|(name, _)| names.iter().position(|first| first == name).unwrap_or(names.len()));
        Self::Members(members)
    }

    /// Prints it with an indentation of two spaces.
    pub(super) fn pretty(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl Serialize for Ordered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i64(*value),
            Self::Number(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::List(items) => serializer.collect_seq(items),
            Self::Members(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Ordered {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Ordered;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Ordered, E> {
        Ok(Ordered::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Ordered, E> {
        Ok(Ordered::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Ordered, E> {
        Ok(Ordered::Integer(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Ordered, E> {
        Ok(i64::try_from(value).map_or(Ordered::Number(value as f64), Ordered::Integer))
    }

    /// JavaScript prints whole numbers without a fraction.
    fn visit_f64<E>(self, value: f64) -> Result<Ordered, E> {
        let is_whole = value.fract() == 0.0 && value.abs() < 9e15;
        Ok(if is_whole { Ordered::Integer(value as i64) } else { Ordered::Number(value) })
    }

    fn visit_str<E>(self, value: &str) -> Result<Ordered, E> {
        Ok(Ordered::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Ordered, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Ordered::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Ordered, A::Error> {
        let mut members = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            members.push(entry);
        }
        Ok(Ordered::Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order() {
        let value = Ordered::read(r#"{"b":1.0,"a":[true,null,0.5,-2],"c":{},"\u017c":"x"}"#);
        let wanted =
            "{\n  \"b\": 1,\n  \"a\": [\n    true,\n    null,\n    0.5,\n    -2\n  ],\n  \"c\": {},\n  \"ż\": \"x\"\n}";
        assert_eq!(value.pretty(), wanted);
        let Ordered::Members(members) = value.beginning_with(&["c", "a"]) else { panic!() };
        assert_eq!(members.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["c", "a", "b", "ż"]);
        assert_eq!(Ordered::read("nonsense"), Ordered::Null);
    }
}
