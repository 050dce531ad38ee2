//! What a part of a message becomes in a graph; the one place that decides it.

use serde_json::{Map, Value};

use crate::literal::Literal;
use crate::vocabulary::is_term;
use crate::{Error, Profile};

/// What a JSON value becomes.
#[derive(Debug)]
pub(crate) enum View<'a> {
    /// Nothing.
    Absent,
    /// A literal.
    Literal(Literal<'a>),
    /// A blank node with properties.
    Node(&'a Map<String, Value>),
    /// A list.
    List(&'a [Value]),
    /// Several values of one property, without order.
    Set(&'a [Value]),
}

impl<'a> View<'a> {
    /// Looks at a value; `key` is the member that holds it, if it is not the item of an array.
    pub(crate) fn of(value: &'a Value, key: Option<&str>, profile: Profile) -> Self {
        match value {
            Value::Null if profile.keeps_order() => Self::Literal(Literal::json(value)),
            Value::Null => Self::Absent,
            Value::Bool(truth) => Self::Literal(Literal::Boolean(*truth)),
            Value::Number(number) => Self::Literal(Literal::number(number, profile)),
            Value::String(text) => Self::Literal(Literal::Text(text)),
            Value::Array(items) if profile.keeps_order() => Self::List(items),
            Value::Array(items) => Self::Set(items),
            Value::Object(_) if profile.is_literal(key) => Self::Literal(Literal::json(value)),
            Value::Object(members) => Self::Node(members),
        }
    }
}

/// The members of an object that are terms.
pub(crate) fn terms(members: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    members.iter().filter(|(key, _)| is_term(key)).map(|(key, value)| (key.as_str(), value))
}

/// The members of an object that no term can name, as one object; none if there is none or the profile leaves them out.
pub(crate) fn other_members(members: &Map<String, Value>, profile: Profile) -> Option<Value> {
    if !profile.keeps_order() || members.keys().all(|key| is_term(key)) {
        return None;
    }
    let others = members.iter().filter(|(key, _)| !is_term(key));
    Some(Value::Object(others.map(|(key, value)| (key.clone(), value.clone())).collect()))
}

/// Reads a message as an object.
pub(crate) fn parse(json: &[u8]) -> Result<Map<String, Value>, Error> {
    match serde_json::from_slice(json).map_err(Error::NotJson)? {
        Value::Object(members) => Ok(members),
        _ => Err(Error::NotAnObject),
    }
}
