//! `x-mcp-header`: arguments of tools that a client also sends as HTTP headers, so that others can route by them.

use std::borrow::Cow;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Number, Value};

use crate::Schema;
use crate::number::MAX_SAFE_INTEGER;
use crate::trace::is_token;

/// The annotation's name in a schema.
pub const X_MCP_HEADER: &str = "x-mcp-header";

/// What the header's name begins with.
pub const HEADER_PREFIX: &str = "Mcp-Param-";

/// One argument that is also sent as a header.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParamHeader {
    /// The annotation: the header's name after [`HEADER_PREFIX`].
    pub name: String,
    /// The names of the properties that lead to the argument.
    pub path: Vec<String>,
    /// The argument's type.
    pub kind: ParamKind,
}

words! {
    /// The types that can be sent as a header.
    ParamKind {
        /// Text.
        String = "string",
        /// A whole number that JavaScript can represent.
        Integer = "integer",
        /// `true` or `false`.
        Boolean = "boolean",
    }
}

/// Why the annotations of a tool are not valid; such a tool must not be used over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadParamHeader {
    /// The annotation is not a text.
    NotText,
    /// The annotation is empty or has characters that a header's name cannot have.
    Name(String),
    /// Two annotations are the same but for upper and lower case.
    Duplicate(String),
    /// The argument is not a string, integer or boolean.
    Type(String),
    /// The argument cannot be reached by property names alone.
    Place(String),
}

impl fmt::Display for BadParamHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotText => f.write_str("x-mcp-header must be a string"),
            Self::Name(name) => write!(f, "x-mcp-header {name:?} is not a header name"),
            Self::Duplicate(name) => write!(f, "x-mcp-header {name:?} is used twice"),
            Self::Type(name) => {
                write!(f, "x-mcp-header {name:?} is on a value that is not a string, integer or boolean")
            }
            Self::Place(name) => {
                write!(f, "x-mcp-header {name:?} is on a value that property names alone do not reach")
            }
        }
    }
}

impl std::error::Error for BadParamHeader {}

/// Finds and checks the annotations of a tool's `inputSchema`.
///
/// # Errors
///
/// Fails at the first annotation that breaks a rule.
pub fn param_headers(input_schema: &Schema) -> Result<Vec<ParamHeader>, BadParamHeader> {
    if !input_schema.get().contains(X_MCP_HEADER) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    if let Value::Object(schema) = input_schema.to_value() {
        object_schema(&schema, &mut Vec::new(), true, &mut found)?;
    }
    Ok(found)
}

/// Looks at one schema. `reachable` says whether only property names lead to it.
fn object_schema(
    schema: &Map<String, Value>,
    path: &mut Vec<String>,
    reachable: bool,
    found: &mut Vec<ParamHeader>,
) -> Result<(), BadParamHeader> {
    if let Some(annotation) = schema.get(X_MCP_HEADER) {
        found.push(annotated(annotation, schema, path, reachable, found)?);
    }
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    path.push(name.clone());
                    anything(property, path, reachable, found)?;
                    path.pop();
                }
            }
            // These hold values, not schemas; a value may look like anything.
            ("const" | "enum" | "default" | "examples", _) => {}
            // Maps from names to schemas: a name is not a keyword.
            ("$defs" | "definitions" | "patternProperties" | "dependentSchemas", Value::Object(schemas)) => {
                schemas.values().try_for_each(|schema| anything(schema, path, false, found))?;
            }
            (_, value) => anything(value, path, false, found)?,
        }
    }
    Ok(())
}

fn anything(
    value: &Value,
    path: &mut Vec<String>,
    reachable: bool,
    found: &mut Vec<ParamHeader>,
) -> Result<(), BadParamHeader> {
    match value {
        Value::Object(schema) => object_schema(schema, path, reachable, found),
        Value::Array(values) => values.iter().try_for_each(|value| anything(value, path, false, found)),
        _ => Ok(()),
    }
}

fn annotated(
    annotation: &Value,
    schema: &Map<String, Value>,
    path: &[String],
    reachable: bool,
    found: &[ParamHeader],
) -> Result<ParamHeader, BadParamHeader> {
    let Value::String(name) = annotation else { return Err(BadParamHeader::NotText) };
    if !is_token(name) {
        return Err(BadParamHeader::Name(name.clone()));
    }
    if !reachable || path.is_empty() {
        return Err(BadParamHeader::Place(name.clone()));
    }
    let kind = schema.get("type").and_then(|kind| serde_json::from_value(kind.clone()).ok());
    let Some(kind) = kind else { return Err(BadParamHeader::Type(name.clone())) };
    if found.iter().any(|other| other.name.eq_ignore_ascii_case(name)) {
        return Err(BadParamHeader::Duplicate(name.clone()));
    }
    Ok(ParamHeader { name: name.clone(), path: path.to_vec(), kind })
}

impl ParamHeader {
    /// Returns the header's value for a call's arguments; none if the argument is absent, `null`, or not of its type.
    #[must_use]
    pub fn value(&self, arguments: &Value) -> Option<String> {
        let argument = self.path.iter().try_fold(arguments, |value, name| value.get(name))?;
        plain_text(argument).map(|text| encode_header(&text).into_owned())
    }

    /// Whether a header, or its absence, agrees with a call's arguments. Integers are compared as numbers.
    #[must_use]
    pub fn agrees(&self, header: Option<&str>, arguments: &Value) -> bool {
        let argument = self.path.iter().try_fold(arguments, |value, name| value.get(name));
        match (argument.filter(|value| !value.is_null()), header) {
            (None, None) => true,
            (None, Some(_)) | (Some(_), None) => false,
            (Some(argument), Some(header)) => decode_header(header).is_some_and(|header| same(argument, &header)),
        }
    }
}

fn same(argument: &Value, header: &str) -> bool {
    match argument {
        Value::Number(number) => header.parse().is_ok_and(|header| same_number(number, &header)),
        _ => plain_text(argument).is_some_and(|text| text == header),
    }
}

/// Compares integers as they are. Other ways to write them, such as `42.0`, are compared where they say exactly which they mean.
fn same_number(one: &Number, other: &Number) -> bool {
    match (one.as_i64(), other.as_i64()) {
        (Some(one), Some(other)) => one == other,
        _ => one.as_f64() == other.as_f64() && one.as_f64().is_some_and(|one| one.abs() <= MAX_SAFE_INTEGER as f64),
    }
}

fn plain_text(argument: &Value) -> Option<Cow<'_, str>> {
    match argument {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Bool(flag) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
        Value::Number(number) => {
            let whole = number.as_i64().or_else(|| {
                let float =
                    number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() <= MAX_SAFE_INTEGER as f64)?;
                #[expect(clippy::cast_possible_truncation, reason = "the range was checked")]
                Some(float as i64)
            })?;
            (whole.unsigned_abs() <= MAX_SAFE_INTEGER.unsigned_abs()).then(|| Cow::Owned(whole.to_string()))
        }
        _ => None,
    }
}

const ENCODED_START: &str = "=?base64?";
const ENCODED_END: &str = "?=";

/// Encodes a text as the value of a header such as `Mcp-Name`: as it is if a header can carry it, otherwise in base64.
#[must_use]
pub fn encode_header(text: &str) -> Cow<'_, str> {
    let edges = [text.as_bytes().first(), text.as_bytes().last()];
    let padded = edges.into_iter().flatten().any(|b| matches!(b, b' ' | b'\t'));
    let looks_encoded = text.starts_with(ENCODED_START) && text.ends_with(ENCODED_END);
    if is_header_value(text) && !padded && !looks_encoded {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{ENCODED_START}{}{ENCODED_END}", STANDARD.encode(text)))
}

/// Decodes the value of a header; none if it has characters that a header cannot have, or is badly encoded.
#[must_use]
pub fn decode_header(value: &str) -> Option<Cow<'_, str>> {
    if !is_header_value(value) {
        return None;
    }
    match value.strip_prefix(ENCODED_START).and_then(|rest| rest.strip_suffix(ENCODED_END)) {
        Some(encoded) => String::from_utf8(STANDARD.decode(encoded).ok()?).ok().map(Cow::Owned),
        None => Some(Cow::Borrowed(value)),
    }
}

fn is_header_value(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, 0x20..=0x7e | b'\t'))
}
