//! Scalars of JSON as literals of RDF.

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::{Number, Value};

use crate::Profile;

/// A literal, ready to be written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal<'a> {
    Text(&'a str),
    Boolean(bool),
    /// The digits of an integer.
    Integer(Cow<'a, str>),
    /// The canonical form of a double, such as `5.0E-1`.
    Double(String),
    /// JSON text, compact, members in order of their names.
    Json(String),
}

impl<'a> Literal<'a> {
    pub(crate) fn json(value: &Value) -> Self {
        Self::Json(json_text(value))
    }

    /// JSON-LD takes every number without a fraction below 10^21 as an integer, and so does the plain profile. Otherwise `1`
    /// and `1.0` stay apart.
    pub(crate) fn number(number: &'a Number, profile: Profile) -> Self {
        if !number.is_f64() {
            return Self::Integer(number.to_string().into());
        }
        let double = number.as_f64().unwrap_or_default();
        match profile {
            Profile::Plain if is_whole(double) => Self::Integer(whole_digits(double).into()),
            _ => Self::Double(canonical_double(double)),
        }
    }
}

/// The text of a JSON literal. `serde_json` sorts members by itself only as long as no crate makes it keep their order.
pub(crate) fn json_text(value: &Value) -> String {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    sorted.to_string()
}

/// Whether JSON-LD takes the number as an integer.
pub(crate) fn is_whole(double: f64) -> bool {
    double.fract() == 0.0 && double.abs() < 1e21
}

/// Whether JSON-LD would write the value, inside a JSON literal, with other digits than `serde_json` does. Its canonical
/// form knows doubles only, in the notation of JavaScript.
pub(crate) fn survives_canonical_json(value: &Value) -> bool {
    const MAX_SAFE: u64 = (1 << 53) - 1;
    match value {
        Value::Null | Value::Bool(_) => true,
        // Control characters are escaped differently by different writers.
        Value::String(text) => text.chars().all(|c| !c.is_control()),
        Value::Number(n) if n.is_f64() => {
            let size = n.as_f64().unwrap_or_default().abs();
            size.fract() != 0.0 && (1e-5..1e15).contains(&size)
        }
        Value::Number(n) => n.as_i64().is_some_and(|n| n.unsigned_abs() <= MAX_SAFE),
        Value::Array(items) => items.iter().all(survives_canonical_json),
        Value::Object(members) => {
            members.iter().all(|(key, value)| key.chars().all(|c| !c.is_control()) && survives_canonical_json(value))
        }
    }
}

fn canonical_double(double: f64) -> String {
    let text = format!("{double:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let fraction = if digits.contains('.') { "" } else { ".0" };
    format!("{digits}{fraction}E{exponent}")
}

/// Returns the shortest digits that mean the number, filled up with zeros.
fn whole_digits(double: f64) -> String {
    if double == 0.0 {
        return "0".to_owned();
    }
    let text = format!("{double:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: usize = exponent.parse().unwrap_or(0);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut out = String::from(whole);
    out.push_str(fraction);
    let zeros = exponent.saturating_sub(fraction.len());
    let _ = write!(out, "{:0<zeros$}", "");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, plain: &str, lossless: &str) {
        let number: Number = serde_json::from_str(json).unwrap();
        let show = |literal: Literal<'_>| match literal {
            Literal::Integer(digits) => format!("integer {digits}"),
            Literal::Double(text) => format!("double {text}"),
            other => format!("{other:?}"),
        };
        assert_eq!(show(Literal::number(&number, Profile::Plain)), plain);
        assert_eq!(show(Literal::number(&number, Profile::Lossless)), lossless);
    }

    #[test]
    fn numbers_keep_their_type_unless_json_ld_decides() {
        check("75", "integer 75", "integer 75");
        check("-1", "integer -1", "integer -1");
        check("18446744073709551615", "integer 18446744073709551615", "integer 18446744073709551615");
        check("0.5", "double 5.0E-1", "double 5.0E-1");
        check("12.5", "double 1.25E1", "double 1.25E1");
        check("1.0", "integer 1", "double 1.0E0");
        check("-1500.0", "integer -1500", "double -1.5E3");
        check("1e20", "integer 100000000000000000000", "double 1.0E20");
        check("1e21", "double 1.0E21", "double 1.0E21");
        check("-0.0", "integer 0", "double -0.0E0");
    }
}
