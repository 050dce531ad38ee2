//! The fields of an elicitation form: a small, flat part of JSON Schema.

use serde_json::Value;

use crate::ElicitResult;

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
        /// A regular expression that the text has to match; in 2025-11-25. It is shown to the person, and not evaluated.
        pattern: String,
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

impl Choices {
    /// Makes choices without names.
    pub fn plain<T: Into<String>>(values: impl IntoIterator<Item = T>) -> Self {
        Self::Plain(values.into_iter().map(Into::into).collect())
    }

    /// Makes choices with names for people: pairs of value and name.
    pub fn titled<V: Into<String>, T: Into<String>>(pairs: impl IntoIterator<Item = (V, T)>) -> Self {
        Self::Titled(pairs.into_iter().map(|(value, title)| Choice::new(value, title)).collect())
    }
}

impl NumberSchema {
    /// Makes a field for a whole number.
    #[must_use]
    pub fn integer() -> Self {
        Self { integer: true, ..Self::default() }
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

    /// Says how many values may be chosen.
    #[must_use]
    pub fn with_items(mut self, least: u64, most: u64) -> Self {
        (self.min_items, self.max_items) = (Some(least), Some(most));
        self
    }
}

setters!(StringSchema { with_title => title: String, with_description => description: String, with_pattern => pattern: String, with_format => format: StringFormat, with_default => default: String, });
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

impl ElicitSchema {
    /// Gives an answer the form that this schema asks for, when it comes from a client that was asked in the narrower way
    /// of 2025-06-18: values typed with commas between them become an array where several may be chosen. Returns whether there
    /// were any.
    pub fn read_back(&self, result: &mut ElicitResult) -> bool {
        let Some(content) = &mut result.content else { return false };
        let mut changed = false;
        for (name, field) in &self.properties {
            if let (PrimitiveSchema::MultiSelect(field), Some(value)) = (field, content.get_mut(name))
                && let Value::String(words) = value
            {
                *value = chosen(words, &field.choices).into();
                changed = true;
            }
        }
        changed
    }
}

/// Takes apart values that were typed with commas between them. A choice may have commas of its own.
fn chosen<'a>(words: &'a str, choices: &'a Choices) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = words.trim();
    while !rest.is_empty() {
        let ends = |behind: &str| matches!(behind.trim_start().chars().next(), None | Some(','));
        let known = choices.values().filter(|known| rest.strip_prefix(known).is_some_and(ends));
        let word = known.max_by_key(|known| known.len()).filter(|known| !known.is_empty());
        let word = word.or_else(|| rest.split(',').next()).unwrap_or(rest);
        let behind = rest.get(word.len()..).unwrap_or_default().trim_start();
        rest = behind.strip_prefix(',').unwrap_or(behind).trim_start();
        found.push(word.trim());
    }
    found.retain(|word| !word.is_empty());
    found
}
