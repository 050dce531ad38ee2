//! Members that no revision known here defines: of a newer revision, or of the sender's own.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::{IconTheme, RawJson, Revision, Role, TaskSupport};

/// Members of an object that this library does not know. They are written again, but only to peers whose revision is not older than
/// that of the sender.
#[derive(Clone, Debug, Default)]
pub struct OtherMembers(Option<Box<Kept>>);

#[derive(Clone, Debug)]
struct Kept {
    /// The revision that the sender speaks; the newest one as long as nobody said so.
    sender: Revision,
    members: Vec<(String, RawJson)>,
}

impl OtherMembers {
    /// Whether there are none, which is the usual case.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns a member.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RawJson> {
        self.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Returns all members, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0.iter().flat_map(|kept| kept.members.iter().map(|(name, value)| (name.as_str(), value)))
    }

    pub(crate) fn remove(&mut self, name: &str) {
        if let Some(kept) = &mut self.0 {
            kept.members.retain(|(key, _)| key != name);
            if kept.members.is_empty() {
                self.0 = None;
            }
        }
    }

    pub(crate) fn set_sender(&mut self, revision: Revision) {
        if let Some(kept) = &mut self.0 {
            kept.sender = revision;
        }
    }

    /// Drops the members if their sender speaks this revision or a newer one.
    pub(crate) fn drop_since(&mut self, revision: Revision) {
        if self.0.as_ref().is_some_and(|kept| kept.sender >= revision) {
            self.0 = None;
        }
    }

    // Of two members with one name the last counts, as it does for known ones that are read without a check.
    fn insert(&mut self, name: String, value: RawJson) {
        let kept = self.0.get_or_insert_with(|| Box::new(Kept { sender: Revision::LATEST, members: Vec::new() }));
        match kept.members.iter_mut().find(|(key, _)| *key == name) {
            Some((_, old)) => *old = value,
            None => kept.members.push((name, value)),
        }
    }
}

impl PartialEq for OtherMembers {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Serialize for OtherMembers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// Reads a struct, and beside it the members that the struct does not have.
pub(crate) fn capture<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<(T, OtherMembers), D::Error> {
    let mut others = OtherMembers::default();
    let known = T::deserialize(Capturing { inner: deserializer, others: &mut others })?;
    Ok((known, others))
}

/// Hands all members of an object that a derived `Deserialize` asks for to it, and keeps the rest.
struct Capturing<'o, D> {
    inner: D,
    others: &'o mut OtherMembers,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Capturing<'_, D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_struct(name, fields, CapturingVisitor { visitor, fields, others: self.others })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct CapturingVisitor<'o, V> {
    visitor: V,
    fields: &'static [&'static str],
    others: &'o mut OtherMembers,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for CapturingVisitor<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(CapturingMap { map, fields: self.fields, others: self.others, word: None })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_seq(seq)
    }
}

struct CapturingMap<'o, A> {
    map: A,
    fields: &'static [&'static str],
    others: &'o mut OtherMembers,
    /// The value of the member whose name was read last, if it has been looked at already.
    word: Option<Value>,
}

/// Optional members whose value is one of a set of words. With a word that this library does not know, such a member counts as unknown:
/// a hint that nobody understands must not cost the whole list that it stands in.
const WORDS: [&str; 3] = ["audience", "taskSupport", "theme"];

fn is_known_word(name: &str, value: &Value) -> bool {
    match name {
        "audience" => Option::<Vec<Role>>::deserialize(value).is_ok(),
        "taskSupport" => Option::<TaskSupport>::deserialize(value).is_ok(),
        "theme" => Option::<IconTheme>::deserialize(value).is_ok(),
        _ => true,
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for CapturingMap<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let mut seed = Some(seed);
        loop {
            match self.map.next_key_seed(Key { fields: self.fields, seed: &mut seed })? {
                None => return Ok(None),
                Some(Name::Known(key)) => return Ok(Some(key)),
                Some(Name::Word(name)) => {
                    let value: Value = self.map.next_value()?;
                    match seed.take_if(|_| is_known_word(name, &value)) {
                        Some(seed) => {
                            self.word = Some(value);
                            return seed.deserialize(StrDeserializer::<A::Error>::new(name)).map(Some);
                        }
                        None => self.others.insert(name.to_owned(), value.into()),
                    }
                }
                Some(Name::Other(name)) => self.others.insert(name, self.map.next_value()?),
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.word.take() {
            Some(word) => seed.deserialize(word).map_err(serde::de::Error::custom),
            None => self.map.next_value_seed(seed),
        }
    }
}

/// A name of a member, read by `seed` if it is one of `fields`.
struct Key<'a, K> {
    fields: &'static [&'static str],
    seed: &'a mut Option<K>,
}

enum Name<K> {
    Known(K),
    Word(&'static str),
    Other(String),
}

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for Key<'_, K> {
    type Value = Name<K::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<'de, K: DeserializeSeed<'de>> Visitor<'de> for Key<'_, K> {
    type Value = Name<K::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Self::Value, E> {
        // The tag of a result is no member of it: it is written for the receiver's revision.
        let is_known = self.fields.contains(&name) || name == "resultType";
        if let Some(word) = WORDS.iter().find(|word| is_known && **word == name) {
            return Ok(Name::Word(word));
        }
        match self.seed.take_if(|_| is_known) {
            Some(seed) => seed.deserialize(StrDeserializer::new(name)).map(Name::Known),
            None => Ok(Name::Other(name.to_owned())),
        }
    }
}
