//! What JavaScript takes for a number.

use serde_json::Value;

/// The largest integer that JavaScript counts with exactly.
pub(super) const LARGEST: f64 = 9_007_199_254_740_991.0;

/// Converts a value as `Number(value)` does; what is no number becomes NaN, and so does a value that is missing.
pub(super) fn number(value: Option<&Value>) -> f64 {
    match value {
        None | Some(Value::Object(_)) => f64::NAN,
        Some(Value::Null) => 0.0,
        Some(Value::Bool(yes)) => f64::from(u8::from(*yes)),
        Some(Value::Number(number)) => number.as_f64().unwrap_or(f64::NAN),
        Some(Value::String(text)) => from_text(text),
        Some(Value::Array(items)) => from_items(items),
    }
}

/// A list is converted by way of its text, in which commas separate the items.
fn from_items(items: &[Value]) -> f64 {
    match items {
        [] | [Value::Null] => 0.0,
        [Value::Bool(_)] => f64::NAN,
        [only] => number(Some(only)),
        _ => f64::NAN,
    }
}

fn from_text(text: &str) -> f64 {
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let digits = |radix: u32| whole(text.get(2..).unwrap_or_default(), radix);
    match text.as_bytes() {
        [] => 0.0,
        [b'0', b'x' | b'X', ..] => digits(16),
        [b'0', b'o' | b'O', ..] => digits(8),
        [b'0', b'b' | b'B', ..] => digits(2),
        _ => decimal(text),
    }
}

fn whole(digits: &str, radix: u32) -> f64 {
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return f64::NAN;
    }
    let values = digits.chars().filter_map(|digit| digit.to_digit(radix));
    values.fold(0.0, |sum, digit| sum * f64::from(radix) + f64::from(digit))
}

fn decimal(text: &str) -> f64 {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "Infinity" {
        return if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    // Rust knows more words for numbers that are none.
    if !unsigned.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-')) {
        return f64::NAN;
    }
    text.parse().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_converted_as_javascript_does() {
        for (value, expected) in [
            (json!("3"), 3.0),
            (json!(" 3 "), 3.0),
            (json!("1e1"), 10.0),
            (json!("0x10"), 16.0),
            (json!("0b11"), 3.0),
            (json!("0O17"), 15.0),
            (json!("5."), 5.0),
            (json!(".5e1"), 5.0),
            (json!(""), 0.0),
            (json!(true), 1.0),
            (json!(null), 0.0),
            (json!([]), 0.0),
            (json!([5]), 5.0),
            (json!([["7"]]), 7.0),
            (json!("-Infinity"), f64::NEG_INFINITY),
        ] {
            assert!((number(Some(&value)) - expected).abs() < 1e-9 || number(Some(&value)) == expected, "{value}");
        }
        for value in [
            json!("two"),
            json!("1,5"),
            json!("0x"),
            json!("-0x10"),
            json!("inf"),
            json!("nan"),
            json!("1e"),
            json!("1_0"),
            json!([1, 2]),
            json!([true]),
            json!({}),
        ] {
            assert!(number(Some(&value)).is_nan(), "{value}");
        }
        assert!(number(None).is_nan());
    }
}
