//! The fields of an elicitation form: a small, flat part of JSON Schema.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::ElicitResult;
use crate::content::need;

/// The fields of a form, in order.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ElicitSchema {
    /// The dialect of JSON Schema; since 2025-11-25.
    pub dialect: Option<String>,
    /// The fields by name.
    pub properties: Vec<(String, PrimitiveSchema)>,
    /// The names of the fields that must be filled in.
    pub required: Option<Vec<String>>,
}

impl ElicitSchema {
    /// Makes a form without fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field that must be filled in.
    #[must_use]
    pub fn with_required(mut self, name: impl Into<String>, field: impl Into<PrimitiveSchema>) -> Self {
        let name = name.into();
        self.required.get_or_insert_default().push(name.clone());
        self.properties.push((name, field.into()));
        self
    }

    /// Adds a field that may be left empty.
    #[must_use]
    pub fn with_optional(mut self, name: impl Into<String>, field: impl Into<PrimitiveSchema>) -> Self {
        self.properties.push((name.into(), field.into()));
        self
    }
}

/// One field of a form.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PrimitiveSchema {
    /// Text.
    String(StringSchema),
    /// A number.
    Number(NumberSchema),
    /// Yes or no.
    Boolean(BooleanSchema),
    /// One of several values.
    SingleSelect(SingleSelectSchema),
    /// Any of several values; since 2025-11-25.
    MultiSelect(MultiSelectSchema),
}

options! {
    /// A field for text.
    StringSchema {
        /// The field's name, for people.
        title: String,
        /// What the field means.
        description: String,
        /// The least number of characters.
        min_length: u64,
        /// The largest number of characters.
        max_length: u64,
        /// What kind of text.
        format: StringFormat,
        /// What is filled in at first; since 2025-11-25.
        default: String,
    }
}

words! {
    /// What kind of text a field takes.
    StringFormat {
        /// An e-mail address.
        Email = "email",
        /// A URI.
        Uri = "uri",
        /// A date.
        Date = "date",
        /// A date and time.
        DateTime = "date-time",
    }
}

/// A field for a number.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct NumberSchema {
    /// Whether only whole numbers are allowed (`integer` rather than `number`).
    pub integer: bool,
    /// The field's name, for people.
    pub title: Option<String>,
    /// What the field means.
    pub description: Option<String>,
    /// The least value.
    pub minimum: Option<f64>,
    /// The largest value.
    pub maximum: Option<f64>,
    /// What is filled in at first; since 2025-11-25.
    pub default: Option<f64>,
}

options! {
    /// A field for yes or no.
    BooleanSchema {
        /// The field's name, for people.
        title: String,
        /// What the field means.
        description: String,
        /// What is chosen at first.
        default: bool,
    }
}

/// A field for one of several values.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SingleSelectSchema {
    /// The field's name, for people.
    pub title: Option<String>,
    /// What the field means.
    pub description: Option<String>,
    /// The values.
    pub choices: Choices,
    /// What is chosen at first; since 2025-11-25.
    pub default: Option<String>,
}

/// A field for any of several values; since 2025-11-25.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MultiSelectSchema {
    /// The field's name, for people.
    pub title: Option<String>,
    /// What the field means.
    pub description: Option<String>,
    /// The least number of chosen values.
    pub min_items: Option<u64>,
    /// The largest number of chosen values.
    pub max_items: Option<u64>,
    /// The values.
    pub choices: Choices,
    /// What is chosen at first.
    pub default: Option<Vec<String>>,
}

/// Values to choose from, with or without names for people.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Choices {
    /// Values without names (`enum`).
    Plain(Vec<String>),
    /// Values with names (`oneOf`, or `anyOf` where several may be chosen); since 2025-11-25.
    Titled(Vec<Choice>),
    /// Values with names as 2025-06-18 has them (`enum` and `enumNames`); not where several may be chosen.
    Named(Vec<String>, Vec<String>),
}

model! {
    /// A value with its name for people.
    Choice {
        /// The value.
        r#const: String,
        /// Its name.
        title: String,
    }
}

impl Choices {
    /// Returns the values.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        let (plain, titled) = match self {
            Self::Plain(values) | Self::Named(values, _) => (values.as_slice(), [].as_slice()),
            Self::Titled(choices) => ([].as_slice(), choices.as_slice()),
        };
        plain.iter().map(String::as_str).chain(titled.iter().map(|choice| choice.r#const.as_str()))
    }
}

impl SingleSelectSchema {
    /// Makes a field for one of `choices`.
    #[must_use]
    pub fn new(choices: Choices) -> Self {
        Self { title: None, description: None, choices, default: None }
    }
}

impl MultiSelectSchema {
    /// Makes a field for any of `choices`.
    #[must_use]
    pub fn new(choices: Choices) -> Self {
        Self { title: None, description: None, min_items: None, max_items: None, choices, default: None }
    }
}

setters!(StringSchema { with_title => title: String, with_description => description: String, with_format => format: StringFormat, with_default => default: String, });
setters!(NumberSchema { with_title => title: String, with_description => description: String, with_minimum => minimum: f64, with_maximum => maximum: f64, with_default => default: f64, });
setters!(BooleanSchema { with_title => title: String, with_description => description: String, with_default => default: bool, });
setters!(SingleSelectSchema { with_title => title: String, with_description => description: String, with_default => default: String, });
setters!(MultiSelectSchema { with_title => title: String, with_description => description: String, with_default => default: Vec<String>, });

macro_rules! fields_from {
    ($( $type:ty => $variant:ident, )+) => { $(
        impl From<$type> for PrimitiveSchema {
            fn from(field: $type) -> Self {
                Self::$variant(field)
            }
        }
    )+ };
}

fields_from! {
    StringSchema => String,
    NumberSchema => Number,
    BooleanSchema => Boolean,
    SingleSelectSchema => SingleSelect,
    MultiSelectSchema => MultiSelect,
}

/// The members of every kind of field, for reading and for writing.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AnyField {
    r#type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "crate::number::optional_count")]
    min_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "crate::number::optional_count")]
    max_length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<StringFormat>,
    #[serde(skip_serializing_if = "Option::is_none", with = "crate::number::optional_fraction")]
    minimum: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", with = "crate::number::optional_fraction")]
    maximum: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#enum: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    enum_names: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    one_of: Option<Vec<Choice>>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "crate::number::optional_count")]
    min_items: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "crate::number::optional_count")]
    max_items: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Items>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Value>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Items {
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#enum: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    any_of: Option<Vec<Choice>>,
}

impl<'de> Deserialize<'de> for PrimitiveSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        AnyField::deserialize(deserializer)?.into_field().map_err(serde::de::Error::custom)
    }
}

impl AnyField {
    fn into_field(mut self) -> Result<PrimitiveSchema, serde_json::Error> {
        let (title, description) = (self.title.take(), self.description.take());
        match self.r#type.as_str() {
            "string" => match self.choices() {
                Some(choices) => {
                    let default = self.default_as()?;
                    Ok(SingleSelectSchema { title, description, choices, default }.into())
                }
                None => {
                    let default = self.default_as()?;
                    let Self { min_length, max_length, format, .. } = self;
                    Ok(StringSchema { title, description, min_length, max_length, format, default }.into())
                }
            },
            "number" | "integer" => {
                let (integer, default) = (self.r#type == "integer", self.default_as()?);
                let Self { minimum, maximum, .. } = self;
                Ok(NumberSchema { integer, title, description, minimum, maximum, default }.into())
            }
            "boolean" => Ok(BooleanSchema { title, description, default: self.default_as()? }.into()),
            "array" => {
                let (choices, default) = (need(self.items.take(), "items")?.choices()?, self.default_as()?);
                let Self { min_items, max_items, .. } = self;
                Ok(MultiSelectSchema { title, description, min_items, max_items, choices, default }.into())
            }
            other => {
                let known = &["string", "number", "integer", "boolean", "array"];
                Err(serde::de::Error::unknown_variant(other, known))
            }
        }
    }

    fn choices(&mut self) -> Option<Choices> {
        match (self.one_of.take(), self.r#enum.take(), self.enum_names.take()) {
            (Some(choices), ..) => Some(Choices::Titled(choices)),
            (None, Some(values), Some(names)) => Some(Choices::Named(values, names)),
            (None, Some(values), None) => Some(Choices::Plain(values)),
            (None, None, _) => None,
        }
    }

    fn default_as<T: serde::de::DeserializeOwned>(&mut self) -> Result<Option<T>, serde_json::Error> {
        self.default.take().map(serde_json::from_value).transpose()
    }
}

impl Items {
    fn choices(self) -> Result<Choices, serde_json::Error> {
        match (self.any_of, self.r#enum) {
            (Some(choices), _) => Ok(Choices::Titled(choices)),
            (None, values) => need(values, "enum").map(Choices::Plain),
        }
    }
}

impl From<&PrimitiveSchema> for AnyField {
    fn from(field: &PrimitiveSchema) -> Self {
        match field.clone() {
            PrimitiveSchema::String(f) => Self {
                r#type: "string".into(),
                title: f.title,
                description: f.description,
                min_length: f.min_length,
                max_length: f.max_length,
                format: f.format,
                default: f.default.map(Value::from),
                ..Self::default()
            },
            PrimitiveSchema::Number(f) => Self {
                r#type: if f.integer { "integer" } else { "number" }.into(),
                title: f.title,
                description: f.description,
                minimum: f.minimum,
                maximum: f.maximum,
                default: f.default.map(crate::number::value),
                ..Self::default()
            },
            PrimitiveSchema::Boolean(f) => Self {
                r#type: "boolean".into(),
                title: f.title,
                description: f.description,
                default: f.default.map(Value::from),
                ..Self::default()
            },
            PrimitiveSchema::SingleSelect(f) => {
                let (r#enum, enum_names, one_of) = match f.choices {
                    Choices::Plain(values) => (Some(values), None, None),
                    Choices::Named(values, names) => (Some(values), Some(names), None),
                    Choices::Titled(choices) => (None, None, Some(choices)),
                };
                Self {
                    r#type: "string".into(),
                    title: f.title,
                    description: f.description,
                    r#enum,
                    enum_names,
                    one_of,
                    default: f.default.map(Value::from),
                    ..Self::default()
                }
            }
            PrimitiveSchema::MultiSelect(f) => Self {
                r#type: "array".into(),
                title: f.title,
                description: f.description,
                min_items: f.min_items,
                max_items: f.max_items,
                items: Some(match f.choices {
                    Choices::Plain(values) | Choices::Named(values, _) => {
                        Items { r#type: Some("string".into()), r#enum: Some(values), any_of: None }
                    }
                    Choices::Titled(choices) => Items { r#type: None, r#enum: None, any_of: Some(choices) },
                }),
                default: f.default.map(Value::from),
                ..Self::default()
            },
        }
    }
}

impl Serialize for PrimitiveSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        AnyField::from(self).serialize(serializer)
    }
}

impl Serialize for ElicitSchema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("ElicitSchema", 4)?;
        if let Some(dialect) = &self.dialect {
            object.serialize_field("$schema", dialect)?;
        }
        object.serialize_field("type", "object")?;
        object.serialize_field("properties", &Properties(&self.properties))?;
        if let Some(required) = &self.required {
            object.serialize_field("required", required)?;
        }
        object.end()
    }
}

struct Properties<'a>(&'a [(String, PrimitiveSchema)]);

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        crate::raw::ordered::serialize(self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for ElicitSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Any {
            #[serde(rename = "$schema")]
            dialect: Option<String>,
            #[serde(with = "crate::raw::ordered")]
            properties: Vec<(String, PrimitiveSchema)>,
            required: Option<Vec<String>>,
        }

        let Any { dialect, properties, required } = Any::deserialize(deserializer)?;
        Ok(Self { dialect, properties, required })
    }
}

impl ElicitSchema {
    /// Gives an answer the form that this schema asks for, when it comes from a client that was asked in the narrower way
    /// of 2025-06-18: values typed with commas between them become an array where several may be chosen.
    pub fn read_back(&self, result: &mut ElicitResult) {
        let Some(content) = &mut result.content else { return };
        for (name, field) in &self.properties {
            if let (PrimitiveSchema::MultiSelect(_), Some(value)) = (field, content.get_mut(name))
                && let Value::String(words) = value
            {
                *value = words.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
            }
        }
    }
}
