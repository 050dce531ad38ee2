//! Values as Python prints them.

use std::fmt::Write as _;

use serde_json::Value;

/// Appends a text in quotes.
pub(super) fn text(out: &mut String, text: &str) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            c if is_printable(c) => out.push(c),
            c => escape(out, u32::from(c)),
        }
    }
    out.push(quote);
}

/// Appends bytes in quotes.
pub(super) fn bytes(out: &mut String, bytes: &[u8]) {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { b'"' } else { b'\'' };
    out.push('b');
    out.push(char::from(quote));
    for byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            byte if *byte == quote => {
                out.push('\\');
                out.push(char::from(quote));
            }
            b' '..=b'~' => out.push(char::from(*byte)),
            byte => escape(out, u32::from(*byte)),
        }
    }
    out.push(char::from(quote));
}

/// Appends a number with as few digits as tell it from all others.
pub(super) fn float(out: &mut String, number: f64) {
    if !number.is_finite() {
        let word = if number.is_nan() {
            "nan"
        } else if number < 0.0 {
            "-inf"
        } else {
            "inf"
        };
        return out.push_str(word);
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if number == 0.0 || (-4..16).contains(&exponent) {
        let plain = format!("{number}");
        out.push_str(&plain);
        if !plain.contains('.') {
            out.push_str(".0");
        }
        return;
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    let _ = write!(out, "{digits}e{sign}{:02}", exponent.abs());
}

/// Prints JSON as the Python value that it is read as.
pub(super) fn json(value: &Value) -> String {
    let mut out = String::new();
    append_json(&mut out, value);
    out
}

fn append_json(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(yes) => out.push_str(if *yes { "True" } else { "False" }),
        Value::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
            Some(number) => float(out, number),
            None => out.push_str(&number.to_string()),
        },
        Value::String(string) => text(out, string),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                append_json(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (name, member)) in members.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                text(out, name);
                out.push_str(": ");
                append_json(out, member);
            }
            out.push('}');
        }
    }
}

fn escape(out: &mut String, code: u32) {
    let _ = match code {
        0..=0xff => write!(out, "\\x{code:02x}"),
        0x100..=0xffff => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

/// Whether Python prints a character as it is. Rust escapes the same categories: what has no form, and blanks other than the space. It
/// also escapes combining characters, but only at the beginning of a text.
fn is_printable(c: char) -> bool {
    let mut buffer = [b'.'; 5];
    let length = 1 + c.encode_utf8(&mut buffer[1..]).len();
    let pair = std::str::from_utf8(&buffer[..length]).unwrap_or_default();
    pair.escape_debug().nth(1) != Some('\\')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_quoted_and_escaped_as_python_does() {
        for (given, expected) in [
            ("plain", "'plain'"),
            ("it's", "\"it's\""),
            ("a\"b", "'a\"b'"),
            ("a\"b'c", "'a\"b\\'c'"),
            ("a\\b\n\r\t", "'a\\\\b\\n\\r\\t'"),
            ("\u{7}\u{7f}\u{ad}\u{2028}\u{a0}\u{e000}😀", "'\\x07\\x7f\\xad\\u2028\\xa0\\ue000😀'"),
            ("Zoë e\u{301} 漢 \u{e0001}", "'Zoë e\u{301} 漢 \\U000e0001'"),
            ("\0", "'\\x00'"),
        ] {
            let mut out = String::new();
            text(&mut out, given);
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn bytes_are_quoted_and_escaped_as_python_does() {
        let mut out = String::new();
        bytes(&mut out, b"\x00\xff'\"\\\nA");
        bytes(&mut out, b"'");
        bytes(&mut out, b"'\"");
        bytes(&mut out, b"");
        assert_eq!(out, "b'\\x00\\xff\\'\"\\\\\\nA'b\"'\"b'\\'\"'b''");
    }

    #[test]
    fn numbers_are_printed_as_python_does() {
        for (number, expected) in [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (-0.0, "-0.0"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.5e21, "1.5e+21"),
            (1e22, "1e+22"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (5e-324, "5e-324"),
            (1.797_693_134_862_315_7e308, "1.7976931348623157e+308"),
            (123_456_789.123, "123456789.123"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            let mut out = String::new();
            float(&mut out, number);
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn json_is_printed_as_python_values() {
        assert_eq!(json(&json!([null, true, 5, 1.5, "a", {"b": false}])), "[None, True, 5, 1.5, 'a', {'b': False}]");
    }
}
