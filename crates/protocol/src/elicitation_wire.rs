//! How the fields of a form look on the wire: which kind a field is, its members decide.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::content::need;
use crate::{
    BooleanSchema, Choice, Choices, ElicitSchema, MultiSelectSchema, NumberSchema, PrimitiveSchema, SingleSelectSchema,
    StringFormat, StringSchema,
};

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
    pattern: Option<String>,
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
                    let Self { min_length, max_length, pattern, format, .. } = self;
                    Ok(StringSchema { title, description, min_length, max_length, pattern, format, default }.into())
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
                pattern: f.pattern,
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
