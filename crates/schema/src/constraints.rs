//! Rules of a schema that Rust types do not enforce by themselves.

use serde_json::{Map, Value};

use crate::survey::{Role, Survey};

/// Whether a schema, or one of several, has rules that the Rust types it was made from do not enforce.
#[must_use]
pub fn has_constraints(value: &Value, role: Role) -> bool {
    let mut survey = Survey::default();
    survey.visit(value, role, 0).is_err() || survey.has_constraints
}

/// Whether a keyword is a rule that a Rust type does not enforce by itself.
pub(crate) fn is_constraint(name: &str, value: &Value, beside: &Map<String, Value>) -> bool {
    match name {
        // The range of an integer type is part of the type; schemars writes it beside the type's name.
        "minimum" => range(beside).is_none_or(|(least, _)| integer(value).is_none_or(|bound| bound > least)),
        "maximum" => range(beside).is_none_or(|(_, most)| integer(value).is_none_or(|bound| bound < most)),
        "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength" | "maxLength" | "pattern" | "minItems"
        | "maxItems" | "contains" | "minProperties" | "maxProperties" | "propertyNames" | "patternProperties"
        | "not" | "if" | "dependencies" | "dependentRequired" | "dependentSchemas" => true,
        "uniqueItems" => value == &Value::Bool(true),
        "unevaluatedProperties" | "unevaluatedItems" => value != &Value::Bool(true),
        "additionalProperties" => value == &Value::Bool(false),
        _ => false,
    }
}

/// Returns the range of the integer type that a schema names, such as `uint8`.
fn range(schema: &Map<String, Value>) -> Option<(i128, i128)> {
    let format = schema.get("format")?.as_str()?;
    let (is_signed, bits) = match format.strip_prefix("uint") {
        Some(bits) => (false, bits),
        None => (true, format.strip_prefix("int")?),
    };
    let bits: u32 = if bits.is_empty() { 64 } else { bits.parse().ok()? };
    let most = |bits: u32| 1_i128.checked_shl(bits).map_or(i128::MAX, |power| power.wrapping_sub(1));
    match (is_signed, bits) {
        (_, 0) | (_, 129..) => None,
        (true, bits) => {
            let most = most(bits.saturating_sub(1));
            Some((-most - 1, most))
        }
        (false, bits) => Some((0, most(bits))),
    }
}

/// Returns a bound, if it is a whole number.
fn integer(value: &Value) -> Option<i128> {
    value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from))
}
