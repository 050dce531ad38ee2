//! Words for what a value should have been, and for what it was.

use std::borrow::Cow;

/// Says what went wrong when a value was decoded, for a reader that sees JSON and not Rust.
pub(super) fn describe(error: &impl std::error::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    if let Some(rest) = text.strip_prefix("invalid type: ").or_else(|| text.strip_prefix("invalid value: "))
        && let Some((got, wanted)) = rest.rsplit_once(", expected ")
    {
        return format!("expected {}, got {}", wanted_words(wanted), got_words(got));
    }
    match text.strip_prefix("unknown variant ") {
        Some(rest) => format!("unknown value {rest}"),
        None => text.replace("missing field", "missing member"),
    }
}

/// Says what a value of a Rust type looks like in JSON or as text.
pub(super) fn wanted_words(name: &str) -> Cow<'_, str> {
    macro_rules! limits {
        ($($integer:ident)+) => {
            match name {
                $( stringify!($integer) => {
                    Cow::Owned(format!("an integer from {} to {}", $integer::MIN, $integer::MAX))
                } )+
                "i64" | "i128" | "isize" => Cow::Borrowed("an integer"),
                "u64" | "u128" | "usize" => Cow::Borrowed("an integer that is not negative"),
                "f32" | "f64" => Cow::Borrowed("a number"),
                "bool" | "a boolean" => Cow::Borrowed("true or false"),
                "char" | "a character" => Cow::Borrowed("one character"),
                "a sequence" => Cow::Borrowed("an array"),
                "a map" => Cow::Borrowed("an object"),
                _ if name.starts_with("struct ") => Cow::Borrowed("an object"),
                _ if name.starts_with("a tuple") => Cow::Borrowed("an array"),
                _ => Cow::Borrowed(name),
            }
        };
    }
    limits!(i8 i16 i32 u8 u16 u32)
}

fn got_words(got: &str) -> Cow<'_, str> {
    match got {
        "null" => return Cow::Borrowed("null"),
        "sequence" => return Cow::Borrowed("an array"),
        "map" => return Cow::Borrowed("an object"),
        _ => {}
    }
    if let Some(text) = got.strip_prefix("string ") {
        return Cow::Owned(format!("a string {}", shortened(text)));
    }
    match got.split_once('`') {
        Some((_, value)) => shortened(value.trim_end_matches('`')),
        None => shortened(got),
    }
}

/// Cuts a caller's text, so that a message never carries a whole payload.
pub(super) fn shortened(text: &str) -> Cow<'_, str> {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        None => Cow::Borrowed(text),
        Some((at, _)) => Cow::Owned(format!("{}…", text.get(..at).unwrap_or_default())),
    }
}
