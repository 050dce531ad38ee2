//! Arguments of a tool: a JSON object, decoded member by member.

use bytes::Bytes;
use jackfield_protocol::CallToolResult;
use jackfield_protocol::envelope::Object;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::expected::describe;
use super::{BadArgument, plain_text};
use crate::Cx;

/// What can be an argument of a tool: what implements `Deserialize` (without borrowing) and `JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool",
    label = "does not implement `Deserialize` and `JsonSchema`",
    note = "write `#[derive(Deserialize, JsonSchema)]` above `{Self}`",
    note = "if it comes from the framework, mark the parameter with `#[extract]`"
)]
pub trait Argument: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Argument for T {}

/// Decodes all arguments of a tool into one type.
///
/// # Errors
/// A failure for the model to read, which names the member and the rule.
pub fn decode_arguments<T: DeserializeOwned>(json: &[u8]) -> Result<T, CallToolResult> {
    whole(json).map_err(|bad| CallToolResult::failure(bad.to_string()))
}

/// Decodes all arguments of a tool into one type.
pub(super) fn whole<T: DeserializeOwned>(json: &[u8]) -> Result<T, BadArgument> {
    serde_json::from_slice(json).map_err(|error| {
        // The error does not say which member it is about; decoding them one by one does.
        let object = Object::read(Bytes::copy_from_slice(json)).ok();
        let bad = object.and_then(|object| super::members::from_json::<T>(&object).err());
        bad.unwrap_or_else(|| BadArgument::of_all(format!("arguments: {}", describe(&error))))
    })
}

/// Arguments of a tool whose members have been found but not yet decoded.
#[derive(Debug)]
pub struct Arguments(Object);

impl Arguments {
    /// Returns the arguments of a call. Mostly their members were found when the request was read; somebody may have put others in
    /// their place.
    ///
    /// # Errors
    /// As [`Arguments::read`].
    pub fn of(json: &Bytes, cx: &Cx) -> Result<Self, BadArgument> {
        cx.params().arguments(json).map_or_else(|| Self::read(json.clone()), |found| Ok(Self(found)))
    }

    /// Finds the members.
    ///
    /// # Errors
    /// It is not an object, or a member is there twice.
    pub fn read(json: Bytes) -> Result<Self, BadArgument> {
        Object::read(json).map(Self).map_err(|error| BadArgument::of_all(format!("arguments: {}", error.message)))
    }

    /// Decodes a member that must be there.
    ///
    /// # Errors
    /// It is missing or does not fit.
    pub fn required<T: Argument>(&self, name: &'static str, rules: &[Rule]) -> Result<T, BadArgument> {
        decode(name, self.0.get(name).ok_or_else(|| BadArgument::missing(name))?, rules)
    }

    /// Decodes a member that may be absent or null.
    ///
    /// # Errors
    /// It does not fit.
    pub fn optional<T: Argument>(&self, name: &'static str, rules: &[Rule]) -> Result<Option<T>, BadArgument> {
        match self.0.get(name) {
            None | Some(b"null") => Ok(None),
            Some(json) => decode(name, json, rules).map(Some),
        }
    }

    /// Decodes a member that has a default.
    ///
    /// # Errors
    /// It does not fit.
    pub fn or<T: Argument>(&self, name: &'static str, rules: &[Rule], default: fn() -> T) -> Result<T, BadArgument> {
        self.0.get(name).map_or_else(|| Ok(default()), |json| decode(name, json, rules))
    }

    /// Refuses members that are none of `names`.
    ///
    /// # Errors
    /// There is one.
    pub fn deny_others(&self, names: &[&str]) -> Result<(), BadArgument> {
        match self.0.names().find(|name| !names.contains(&name.as_ref())) {
            None => Ok(()),
            Some(name) => Err(BadArgument::unknown(&name, names)),
        }
    }
}

fn decode<T: DeserializeOwned>(name: &str, json: &[u8], rules: &[Rule]) -> Result<T, BadArgument> {
    let value = match plain_text::read(json) {
        Some(text) => text,
        None => serde_json::from_slice(json).map_err(|error| BadArgument::new(name, &describe(&error)))?,
    };
    check(name, json, rules)?;
    Ok(value)
}

/// A rule that types do not have. Patterns are left to the validation of the whole schema.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// The least number.
    Minimum(f64),
    /// The greatest number.
    Maximum(f64),
    /// A number must be less.
    Below(f64),
    /// The least number of characters or items.
    Shortest(u64),
    /// The greatest number of characters or items.
    Longest(u64),
    /// A regular expression.
    Pattern(&'static str),
}

fn check(name: &str, json: &[u8], rules: &[Rule]) -> Result<(), BadArgument> {
    if rules.is_empty() {
        return Ok(());
    }
    let value: Value = serde_json::from_slice(json).unwrap_or_default();
    let number = value.as_f64();
    let (length, unit) = match &value {
        Value::String(text) => (Some(text.chars().count()), "characters"),
        Value::Array(items) => (Some(items.len()), "items"),
        Value::Object(members) => (Some(members.len()), "members"),
        _ => (None, ""),
    };
    let length = length.and_then(|length| u64::try_from(length).ok());
    for rule in rules {
        let broken = match *rule {
            Rule::Minimum(least) if number.is_some_and(|n| n < least) => format!("must be at least {least}"),
            Rule::Maximum(most) if number.is_some_and(|n| n > most) => format!("must be at most {most}"),
            Rule::Below(bound) if number.is_some_and(|n| n >= bound) => format!("must be less than {bound}"),
            Rule::Shortest(least) if length.is_some_and(|n| n < least) => format!("must have at least {least} {unit}"),
            Rule::Longest(most) if length.is_some_and(|n| n > most) => format!("must have at most {most} {unit}"),
            _ => continue,
        };
        let got = number.map(|number| format!(", got {number}")).unwrap_or_default();
        return Err(BadArgument::new(name, &format_args!("{broken}{got}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Color {
        Red,
        Green,
    }

    fn arguments(json: &'static str) -> Arguments {
        Arguments::read(Bytes::from_static(json.as_bytes())).unwrap()
    }

    #[track_caller]
    fn refused<T: Argument + std::fmt::Debug>(json: &'static str, rules: &[Rule], message: &str) {
        assert_eq!(arguments(json).required::<T>("a", rules).unwrap_err().to_string(), message);
    }

    /// SRV-027: a bad argument is described for the model: which one, and what it should be.
    #[test]
    fn messages_name_the_argument_and_the_rule() {
        refused::<i64>("{}", &[], "argument `a` is missing");
        refused::<i64>(r#"{"a":"x"}"#, &[], "argument `a`: expected an integer, got a string \"x\"");
        refused::<i64>(r#"{"a":1.5}"#, &[], "argument `a`: expected an integer, got 1.5");
        refused::<u8>(r#"{"a":300}"#, &[], "argument `a`: expected an integer from 0 to 255, got 300");
        refused::<u64>(r#"{"a":-1}"#, &[], "argument `a`: expected an integer that is not negative, got -1");
        refused::<String>(r#"{"a":5}"#, &[], "argument `a`: expected a string, got 5");
        refused::<bool>(r#"{"a":null}"#, &[], "argument `a`: expected true or false, got null");
        refused::<Vec<i64>>(r#"{"a":{}}"#, &[], "argument `a`: expected an array, got an object");
        refused::<Color>(r#"{"a":"blue"}"#, &[], "argument `a`: unknown value `blue`, expected `red` or `green`");
    }

    #[test]
    fn rules_are_checked_without_a_validator() {
        refused::<i64>(r#"{"a":0}"#, &[Rule::Minimum(1.0)], "argument `a`: must be at least 1, got 0");
        refused::<i64>(r#"{"a":10}"#, &[Rule::Below(10.0)], "argument `a`: must be less than 10, got 10");
        refused::<String>(r#"{"a":""}"#, &[Rule::Shortest(1)], "argument `a`: must have at least 1 characters");
        refused::<Vec<u8>>(r#"{"a":[1,2]}"#, &[Rule::Longest(1)], "argument `a`: must have at most 1 items");
        assert_eq!(arguments(r#"{"a":3}"#).required::<u8>("a", &[Rule::Minimum(1.0), Rule::Maximum(3.0)]), Ok(3));
    }

    #[test]
    fn long_values_are_not_repeated_whole() {
        let json = format!(r#"{{"a":"{}"}}"#, "x".repeat(1000));
        let arguments = Arguments::read(json.into()).unwrap();
        assert!(arguments.required::<i64>("a", &[]).unwrap_err().to_string().len() < 150);
    }

    #[test]
    fn absent_null_and_unknown() {
        assert_eq!(arguments("{}").optional::<i64>("a", &[]), Ok(None));
        assert_eq!(arguments(r#"{"a":null}"#).optional::<i64>("a", &[]), Ok(None));
        assert_eq!(arguments("{}").or("a", &[], || 7), Ok(7));
        let denied = arguments(r#"{"b":1}"#).deny_others(&["a", "c"]).unwrap_err();
        assert_eq!(denied.to_string(), "argument `b`: unknown; there are `a`, `c`");
        let result = decode_arguments::<std::collections::BTreeMap<String, u8>>(br#"{"a":"x"}"#).unwrap_err();
        assert!(result.is_failure());
    }
}
