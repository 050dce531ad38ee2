//! Arguments that are given as text: those of prompts, and variables of resource templates.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use jackfield_protocol::ErrorObject;

use super::expected::{shortened, wanted_words};
use crate::Variables;

/// What can be an argument of a prompt or a variable of a resource template: whatever implements [`FromStr`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from text",
    label = "does not implement `FromStr`",
    note = "arguments of prompts and variables of resource templates are text: implement `std::str::FromStr` for `{Self}`, or take `String`"
)]
pub trait FromArgument: Sized {
    /// Reads it, or says what was expected.
    ///
    /// # Errors
    /// The text does not fit.
    fn from_argument(text: &str) -> Result<Self, String>;
}

#[diagnostic::do_not_recommend]
impl<T: FromStr<Err: Display>> FromArgument for T {
    fn from_argument(text: &str) -> Result<Self, String> {
        text.parse().map_err(|error| explain(std::any::type_name::<T>(), text, &error))
    }
}

fn explain(name: &str, text: &str, error: &dyn Display) -> String {
    let wanted = wanted_words(name);
    if wanted == name { error.to_string() } else { format!("expected {wanted}, got {:?}", shortened(text)) }
}

/// An argument does not fit: which one, and the rule it breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadArgument(String);

impl BadArgument {
    pub(super) fn new(name: &str, rule: &dyn Display) -> Self {
        Self(format!("argument `{name}`: {rule}"))
    }

    pub(super) fn missing(name: &str) -> Self {
        Self(format!("argument `{name}` is missing"))
    }

    pub(super) fn unknown(name: &str, known: &[&str]) -> Self {
        let known: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
        Self::new(name, &format_args!("unknown; there are {}", known.join(", ")))
    }

    pub(super) fn of_all(rule: impl Into<String>) -> Self {
        Self(rule.into())
    }
}

impl Display for BadArgument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadArgument {}

impl From<BadArgument> for ErrorObject {
    fn from(bad: BadArgument) -> Self {
        Self::invalid_params(bad.0)
    }
}

/// Arguments given as text.
#[derive(Debug)]
pub struct TextArguments(BTreeMap<String, Vec<String>>);

impl TextArguments {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &Vec<String>)> {
        self.0.iter()
    }

    fn first(&self, name: &str) -> Option<&String> {
        self.0.get(name)?.first()
    }

    /// Reads an argument that must be there.
    ///
    /// # Errors
    /// It is missing or does not fit.
    pub fn required<T: FromArgument>(&self, name: &str) -> Result<T, BadArgument> {
        read(name, self.first(name).ok_or_else(|| BadArgument::missing(name))?)
    }

    /// Reads an argument that may be absent.
    ///
    /// # Errors
    /// It does not fit.
    pub fn optional<T: FromArgument>(&self, name: &str) -> Result<Option<T>, BadArgument> {
        self.first(name).map(|text| read(name, text)).transpose()
    }

    /// Reads an argument with several values; absent is none.
    ///
    /// # Errors
    /// One of them does not fit.
    pub fn list<T: FromArgument>(&self, name: &str) -> Result<Vec<T>, BadArgument> {
        self.0.get(name).into_iter().flatten().map(|text| read(name, text)).collect()
    }
}

fn read<T: FromArgument>(name: &str, text: &str) -> Result<T, BadArgument> {
    T::from_argument(text).map_err(|rule| BadArgument::new(name, &rule))
}

impl From<Variables> for TextArguments {
    fn from(variables: Variables) -> Self {
        Self(variables.0)
    }
}

/// A prompt's list is one text with commas.
impl From<BTreeMap<String, String>> for TextArguments {
    fn from(arguments: BTreeMap<String, String>) -> Self {
        Self(arguments.into_iter().map(|(name, text)| (name, vec![text])).collect())
    }
}

impl TextArguments {
    /// Reads a list that is written as one text with commas.
    ///
    /// # Errors
    /// One of its parts does not fit.
    pub fn comma_list<T: FromArgument>(&self, name: &str) -> Result<Vec<T>, BadArgument> {
        let parts = self.first(name).map(|text| text.split(',')).into_iter().flatten();
        parts.map(str::trim).filter(|part| !part.is_empty()).map(|part| read(name, part)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(pairs: &[(&str, &str)]) -> TextArguments {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect::<BTreeMap<_, _>>().into()
    }

    #[test]
    fn messages_name_the_argument_and_what_was_expected() {
        let given = arguments(&[("level", "loud"), ("on", "maybe"), ("tags", "a, b")]);
        let level = given.required::<u8>("level").unwrap_err();
        assert_eq!(level.to_string(), "argument `level`: expected an integer from 0 to 255, got \"loud\"");
        let on = given.optional::<bool>("on").unwrap_err();
        assert_eq!(on.to_string(), "argument `on`: expected true or false, got \"maybe\"");
        assert_eq!(given.required::<u8>("size").unwrap_err().to_string(), "argument `size` is missing");
        assert_eq!(given.optional::<u8>("size"), Ok(None));
        assert_eq!(given.comma_list::<String>("tags").unwrap(), ["a", "b"]);
    }
}
