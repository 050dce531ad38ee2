//! Secrets that should not have been logged.

use jackfield_protocol::RawJson;
use serde_json::Value;

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
const REMOVED: &str = "[removed]";

/// Leaves out the texts of members whose name says that they are secret, and bearer tokens in any text.
pub(crate) fn redact(data: RawJson) -> RawJson {
    // Most data has nothing of the kind, and is sent as it is.
    let plain = folded(data.get());
    if !plain.contains("bearer ") && !SECRET.iter().any(|word| plain.contains(word)) {
        return data;
    }
    let mut value = data.to_value();
    walk(&mut value, false);
    RawJson::from(value)
}

fn walk(value: &mut Value, is_secret: bool) {
    match value {
        Value::String(text) if is_secret => REMOVED.clone_into(text),
        Value::String(text) => without_bearer(text),
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, is_secret)),
        Value::Object(members) => members.iter_mut().for_each(|(name, value)| {
            let name = folded(name);
            walk(value, is_secret || SECRET.iter().any(|word| name.contains(word)));
        }),
        // Numbers are counts, such as of tokens.
        _ => {}
    }
}

fn without_bearer(text: &mut String) {
    const WORD: &str = "bearer ";
    let small = text.to_ascii_lowercase();
    if !small.contains(WORD) {
        return;
    }
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    while let Some(at) = small[from..].find(WORD) {
        let start = from + at + WORD.len();
        let end =
            text[start..].find(|c: char| c.is_whitespace() || "\"',;".contains(c)).map_or(text.len(), |at| start + at);
        out.push_str(&text[from..start]);
        out.push_str(REMOVED);
        from = end;
    }
    out.push_str(&text[from..]);
    *text = out;
}

/// In small letters, and without what separates words in names.
fn folded(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_left_out() {
        let logged = json!({
            "user": "ann", "Password": "p1", "api_key": "p2", "headers": {"Authorization": "Basic p3", "accept": "x"},
            "accessToken": ["p4"], "credentials": {"a": {"b": "p5"}}, "max_tokens": 5, "text": "sent Bearer p6, then bearer p7",
        });
        let sent = redact(RawJson::from(logged)).to_value();
        let expected = json!({
            "user": "ann", "Password": "[removed]", "api_key": "[removed]",
            "headers": {"Authorization": "[removed]", "accept": "x"},
            "accessToken": ["[removed]"], "credentials": {"a": {"b": "[removed]"}}, "max_tokens": 5,
            "text": "sent Bearer [removed], then bearer [removed]",
        });
        assert_eq!(sent, expected);
        assert_eq!(redact(RawJson::from(json!("Bearer x"))).to_value(), json!("Bearer [removed]"));
        assert_eq!(redact(RawJson::from(json!("Bearer "))).to_value(), json!("Bearer [removed]"));
    }

    /// The time grows with the text, not with its square.
    #[test]
    fn long_texts_are_looked_at_once() {
        let text = "Bearer abc,".repeat(100_000);
        let sent = redact(RawJson::from(json!(text))).to_value();
        assert_eq!(sent.as_str().unwrap(), "Bearer [removed],".repeat(100_000));
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [r#""plain""#, r#"{"a":[1,null,true]}"#, r#"{"tokens":7}"#] {
            assert_eq!(redact(RawJson::from_text(text.to_owned()).unwrap()).get(), text);
        }
    }
}
