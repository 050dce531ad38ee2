//! Secrets that should reach neither logs nor tapes.

use std::borrow::Cow;

use jackfield_protocol::RawJson;
use serde_json::{Map, Value};

/// Words in the names of members whose texts are secret.
const SECRET: [&str; 10] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "privatekey",
    "authorization",
    "cookie",
    "credential",
];
/// A name with such a word that is no secret: it says which request a notice belongs to.
const NO_SECRET: &str = "progresstoken";
const BEARER: &str = "bearer";
/// How a letter can be written in JSON so that it is not seen.
const ESCAPE: &str = "\\u";
const REMOVED: &str = "[removed]";

/// Returns JSON without its secrets; `None` if it has none that can be told.
///
/// Left out are the texts of members whose name says that they are secret (`password`, `apiKey`, `access_token` and the like), and in any
/// text bearer tokens and what follows such a name and `=`, as in a URL. Numbers stay, because they are counts, and so do schemas, which
/// speak of secrets without having any.
#[must_use]
pub fn redacted(json: &RawJson) -> Option<RawJson> {
    // Most data has nothing of the kind.
    if !speaks_of_secrets(json.get()) && !json.get().contains(ESCAPE) {
        return None;
    }
    let Ok(mut value) = json.read::<Value>() else {
        // Nested deeper than can be looked into.
        return Some(RawJson::from(Value::from(REMOVED)));
    };
    walk(&mut value, false).then(|| RawJson::from(value))
}

/// Returns text that is no JSON up to where it begins to speak of secrets.
pub(crate) fn redacted_text(text: &str) -> Option<String> {
    let start = name_of_secret(text).into_iter().chain(text.find(ESCAPE)).min()?;
    let mut out = text.get(..start).unwrap_or_default().to_owned();
    out.push_str(REMOVED);
    Some(out)
}

/// Returns where a text first has a word of [`SECRET`] in it, or a bearer token.
fn name_of_secret(text: &str) -> Option<usize> {
    if !speaks_of_secrets(text) {
        return None;
    }
    let starts = text.char_indices().map(|(at, _)| at);
    // Only reached by texts that do speak of some, so that it may cost more.
    let speaks = |at: &usize| {
        let rest = text.get(*at..).unwrap_or_default();
        starts_with_word(rest, BEARER) || SECRET.iter().any(|word| starts_with_word(rest, word))
    };
    starts.filter(|at| !text.get(..*at).unwrap_or_default().ends_with(['_', '-'])).find(speaks)
}

/// Whether a text starts with a word, whatever separates its parts.
fn starts_with_word(text: &str, word: &str) -> bool {
    let mut letters = text.chars().filter(|letter| !is_separator(*letter)).map(|letter| letter.to_ascii_lowercase());
    word.chars().all(|letter| letters.next() == Some(letter))
}

fn speaks_of_secrets(text: &str) -> bool {
    let plain = folded(text);
    let has = |word: &str| memchr::memmem::find(&plain, word.as_bytes()).is_some();
    has(BEARER) || SECRET.iter().any(|word| has(word))
}

/// Removes secrets; says whether there were any.
fn walk(value: &mut Value, is_secret: bool) -> bool {
    match value {
        Value::String(text) if is_secret => {
            REMOVED.clone_into(text);
            true
        }
        Value::String(text) => match without_secrets(text) {
            Cow::Borrowed(_) => false,
            Cow::Owned(clean) => {
                *text = clean;
                true
            }
        },
        Value::Array(items) => items.iter_mut().fold(false, |any, item| walk(item, is_secret) | any),
        Value::Object(members) => members.iter_mut().fold(false, |any, (name, value)| {
            let found = match value {
                Value::Object(members) if name == "properties" => walk_properties(members, is_secret),
                value => walk(value, is_secret || is_name_of_secret(name)),
            };
            found | any
        }),
        _ => false,
    }
}

/// The properties of a schema have names as secrets have, and no secrets.
fn walk_properties(members: &mut Map<String, Value>, is_secret: bool) -> bool {
    members
        .iter_mut()
        .fold(false, |any, (name, value)| walk(value, is_secret || is_name_of_secret(name) && !is_schema(value)) | any)
}

fn is_schema(value: &Value) -> bool {
    const WORDS: [&str; 7] = ["type", "$ref", "enum", "const", "anyOf", "oneOf", "allOf"];
    value.as_object().is_some_and(|members| WORDS.iter().any(|word| members.contains_key(*word)))
}

fn is_name_of_secret(name: &str) -> bool {
    speaks_of_secrets(name) && folded(name) != NO_SECRET.as_bytes()
}

/// Leaves out bearer tokens, and what follows the name of a secret and `=`.
fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let (mut kept, mut from) = (0, 0);
    while let Some(at) = next_value(text, from) {
        let rest = text.get(at..).unwrap_or_default();
        let length = rest.find(|c: char| c.is_whitespace() || "\"',;&#".contains(c)).unwrap_or(rest.len());
        from = at.saturating_add(length);
        if rest.get(..length) != Some(REMOVED) {
            out.push_str(text.get(kept..at).unwrap_or_default());
            out.push_str(REMOVED);
            kept = from;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns where the next secret value begins, from a place on.
fn next_value(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let end = at.checked_add(rest.iter().position(|byte| *byte == b'=' || byte.is_ascii_whitespace())?)?;
        let before = text.get(..end).unwrap_or_default();
        let (is_value, skipped) = match bytes.get(end) {
            Some(b'=') => {
                let is_part = |letter: char| letter.is_ascii_alphanumeric() || is_separator(letter);
                (is_name_of_secret(before.get(before.trim_end_matches(is_part).len()..).unwrap_or_default()), 1)
            }
            _ => {
                let blanks = bytes.get(end..).unwrap_or_default().iter();
                (ends_with_bearer(before), blanks.take_while(|byte| byte.is_ascii_whitespace()).count())
            }
        };
        at = end.saturating_add(skipped);
        if is_value {
            return Some(at);
        }
    }
}

fn ends_with_bearer(text: &str) -> bool {
    let start = text.len().saturating_sub(BEARER.len());
    text.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(BEARER))
}

fn is_separator(letter: char) -> bool {
    matches!(letter, '_' | '-')
}

/// In small letters, and without what separates words in names.
fn folded(text: &str) -> Vec<u8> {
    let letters = text.bytes().filter(|byte| !matches!(byte, b'_' | b'-'));
    letters.map(|byte| byte.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(value: Value, expected: Value) {
        let clean = redacted(&RawJson::from(value)).expect("it has secrets").to_value();
        assert_eq!(clean, expected);
        // What is clean stays as it is.
        assert_eq!(redacted(&RawJson::from(clean.clone())).map_or(clean.clone(), |json| json.to_value()), clean);
    }

    /// T-153
    #[test]
    fn secrets_are_left_out() {
        check(
            json!({
                "user": "ann", "Password": "p1", "api_key": "p2", "headers": {"Authorization": "Basic p3", "accept": "x"},
                "accessToken": ["p4"], "credentials": {"a": {"b": "p5"}}, "max_tokens": 5,
                "text": "sent Bearer p6, then bearer p7",
            }),
            json!({
                "user": "ann", "Password": "[removed]", "api_key": "[removed]",
                "headers": {"Authorization": "[removed]", "accept": "x"},
                "accessToken": ["[removed]"], "credentials": {"a": {"b": "[removed]"}}, "max_tokens": 5,
                "text": "sent Bearer [removed], then bearer [removed]",
            }),
        );
        check(json!("Bearer x"), json!("Bearer [removed]"));
        check(json!("Bearer "), json!("Bearer [removed]"));
        check(json!("Bearer \t p1\nbearer"), json!("Bearer \t [removed]\nbearer"));
        check(json!("bearer Bearer p1"), json!("bearer [removed] [removed]"));
    }

    /// T-153: letters can be written in more than one way.
    #[test]
    fn secrets_do_not_hide_behind_escapes() {
        for text in [r#"{"pass\u0077ord":"p1"}"#, r#"{"a":"\u0042earer p1"}"#] {
            let clean = redacted(&RawJson::from_text(text.to_owned()).unwrap()).unwrap();
            assert!(!clean.get().contains("p1"), "{}", clean.get());
        }
        assert!(!redacted_text(r#"{"pass\u0077ord":"p1""#).unwrap().contains("p1"));
        assert!(redacted(&RawJson::from_text(r#"{"a":"\u0042"}"#.to_owned()).unwrap()).is_none());
    }

    #[test]
    fn secrets_in_addresses_are_left_out() {
        check(
            json!("see https://h/?a=1&access_token=p1&b=2#x, or psql://h?user=u;Password=p2;x=y"),
            json!("see https://h/?a=1&access_token=[removed]&b=2#x, or psql://h?user=u;Password=[removed];x=y"),
        );
    }

    /// The time grows with the text, not with its square.
    #[test]
    fn long_texts_are_looked_at_once() {
        check(json!("Bearer abc,".repeat(100_000)), json!("Bearer [removed],".repeat(100_000)));
        let text = "secret =".repeat(100_000);
        assert!(redacted(&RawJson::from(json!(text))).is_none());
        let text = "a".repeat(1_000_000) + &"=".repeat(100_000) + "secret";
        assert!(redacted(&RawJson::from(json!(text))).is_none());
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            r#""plain""#,
            r#"{"a":[1,null,true]}"#,
            r#"{"tokens":7}"#,
            r#"{"_meta":{"progressToken":"abc"}}"#,
            r#"{"inputSchema":{"type":"object","properties":{"token":{"type":"string","description":"yours"}}}}"#,
        ] {
            assert!(redacted(&RawJson::from_text(text.to_owned()).unwrap()).is_none(), "{text}");
        }
    }

    #[test]
    fn what_is_too_deep_to_be_looked_into_is_left_out() {
        let deep = format!("{}{{\"password\":\"p\"}}{}", "[".repeat(200), "]".repeat(200));
        let clean = redacted(&RawJson::from_text(deep).unwrap()).unwrap();
        assert_eq!(clean.get(), "\"[removed]\"");
    }

    #[test]
    fn text_that_is_no_json_ends_where_it_speaks_of_secrets() {
        assert_eq!(redacted_text(r#"{"user":"ann","api_key":"p1""#).unwrap(), r#"{"user":"ann","[removed]"#);
        assert_eq!(redacted_text("é Bearer p1 and more").unwrap(), "é [removed]");
        assert_eq!(redacted_text("starting on port 7"), None);
    }
}
