//! JSON kept as its text: what only the user's types understand is neither parsed into a tree nor reordered.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Any JSON value as compact text without line breaks, in the order its author wrote it.
///
/// Two of them are equal if they are the same JSON value.
#[derive(Clone)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Serializes a value.
    ///
    /// # Errors
    ///
    /// Fails if the value's own `Serialize` fails, or if it has map keys that are not strings.
    pub fn new(value: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(Self)
    }

    /// Takes JSON text.
    ///
    /// # Errors
    ///
    /// Fails if the text is not one JSON value.
    pub fn from_text(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.into()).map(Self::one_line)
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Reads the value as a type.
    ///
    /// # Errors
    ///
    /// Fails if the value does not fit the type.
    pub fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.get())
    }

    /// Parses the value into a tree.
    #[must_use]
    pub fn to_value(&self) -> Value {
        tree(self.get())
    }

    /// Whether the value is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.get().starts_with('{')
    }

    // A line break can only be white space between tokens, but on stdio it would end the message.
    fn one_line(raw: Box<RawValue>) -> Self {
        if memchr::memchr2(b'\n', b'\r', raw.get().as_bytes()).is_none() {
            return Self(raw);
        }
        let text = raw.get().replace(['\n', '\r'], " ");
        Self(RawValue::from_string(text).expect("white space was replaced by white space"))
    }
}

/// A JSON Schema: a JSON object, shared, so that cloning a tool does not copy it.
///
/// Two of them are equal if they are the same JSON value.
#[derive(Clone)]
pub struct Schema(Arc<RawValue>);

impl Schema {
    /// Makes a schema of anything that serializes to a JSON object, such as a `serde_json::Value` or a `schemars::Schema`.
    ///
    /// # Errors
    ///
    /// Fails if the value does not serialize, or not to an object.
    pub fn new(schema: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        RawJson::new(schema)?.try_into()
    }

    /// The schema of an object without any rule for its members: what a tool without parameters takes.
    #[must_use]
    pub fn object() -> Self {
        Self(Arc::from(RawValue::from_string(r#"{"type":"object"}"#.to_owned()).expect("the text is JSON")))
    }

    /// Returns the JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// Parses the schema into a tree.
    #[must_use]
    pub fn to_value(&self) -> Value {
        tree(self.get())
    }
}

// Text nested deeper than the parser goes is kept and forwarded, but reads as null here.
fn tree(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or(Value::Null)
}

impl TryFrom<RawJson> for Schema {
    type Error = serde_json::Error;

    fn try_from(raw: RawJson) -> Result<Self, Self::Error> {
        if raw.is_object() {
            Ok(Self(Arc::from(raw.0)))
        } else {
            Err(serde::de::Error::custom("a schema must be a JSON object"))
        }
    }
}

impl From<Map<String, Value>> for Schema {
    fn from(map: Map<String, Value>) -> Self {
        Self(Arc::from(RawJson::from(Value::Object(map)).0))
    }
}

impl From<Value> for RawJson {
    fn from(value: Value) -> Self {
        Self(serde_json::value::to_raw_value(&value).expect("a JSON tree always serializes"))
    }
}

impl From<Map<String, Value>> for RawJson {
    fn from(map: Map<String, Value>) -> Self {
        Value::Object(map).into()
    }
}

impl From<RawJson> for String {
    fn from(raw: RawJson) -> Self {
        Box::<str>::from(raw.0).into_string()
    }
}

impl From<Schema> for RawJson {
    fn from(schema: Schema) -> Self {
        Self(schema.0.to_owned().as_ref().to_owned())
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get() || self.to_value() == other.to_value()
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.get() == other.get() || self.to_value() == other.to_value()
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.get())
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.as_ref().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::one_line)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RawJson::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

/// Reads an optional member; unlike `Option`'s own reading, `null` is a value here.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RawJson>, D::Error> {
    RawJson::deserialize(deserializer).map(Some)
}

/// Reads an optional member that must be an object; `null` is none.
pub(crate) fn optional_object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RawJson>, D::Error> {
    let raw = RawJson::deserialize(deserializer)?;
    match raw.get() {
        "null" => Ok(None),
        text if text.starts_with('{') => Ok(Some(raw)),
        _ => Err(serde::de::Error::custom("expected an object")),
    }
}

/// An object's members in the order in which they were written.
pub(crate) struct Members<T>(pub(crate) Vec<(String, T)>);

impl<T: Serialize> Serialize for Members<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ordered::serialize(&self.0, serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ordered::deserialize(deserializer).map(Self)
    }
}

/// Pairs as an object whose order is kept.
pub(crate) mod ordered {
    use std::marker::PhantomData;

    use serde::de::{MapAccess, Visitor};

    use super::*;

    pub(crate) fn serialize<T: Serialize, S: Serializer>(
        pairs: &[(String, T)],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
    }

    pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<(String, T)>, D::Error> {
        struct Pairs<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Pairs<T> {
            type Value = Vec<(String, T)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs: Self::Value = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, T>()? {
                    pairs.push((key, value));
                }
                Ok(pairs)
            }
        }

        deserializer.deserialize_map(Pairs(PhantomData))
    }
}

/// Reads one member out of an object's text without building a tree.
pub(crate) fn member<T: DeserializeOwned>(object: &str, name: &str) -> Option<T> {
    let members: Members<&RawValue> = serde_json::from_str(object).ok()?;
    let raw = members.0.into_iter().find(|(key, _)| key == name)?.1;
    serde_json::from_str(raw.get()).ok()
}

/// Text that is usually short-lived or static.
pub(crate) type Text = Cow<'static, str>;
