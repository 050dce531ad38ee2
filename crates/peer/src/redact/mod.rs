//! Secrets that should reach neither logs nor tapes.

mod json;
mod text;

use jackfield_protocol::RawJson;

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

/// Returns JSON without its secrets; `None` if it has none that can be told. All else is as it was, to the letter.
///
/// Left out are the texts of members whose name says that they are secret (`password`, `apiKey`, `access_token` and the like), and in any
/// text, also in JSON that is written in a text, bearer tokens and what is given to such a name: `password=…`, `"token": "…"`, a line
/// `Authorization: …`. Numbers stay, because they are counts, and so do schemas, which speak of secrets without having any.
#[must_use]
pub fn redacted(json: &RawJson) -> Option<RawJson> {
    let clean = json::redacted(json.get(), json::DEPTH)?;
    // Texts were replaced by texts, so that it is JSON as before.
    RawJson::from_text(clean).ok()
}

/// Returns text that should be JSON and is none, up to where it begins to speak of secrets; `None` if it does not.
pub(crate) fn redacted_text(text: &str) -> Option<String> {
    let start = text::first_word(text).into_iter().chain(text.find(ESCAPE)).min()?;
    let mut out = text.get(..start).unwrap_or_default().to_owned();
    out.push_str(REMOVED);
    Some(out)
}

/// Whether there is any word in a text that may have to do with a secret.
fn speaks_of_secrets(text: &str) -> bool {
    let plain = folded(text);
    let has = |word: &str| memchr::memmem::find(&plain, word.as_bytes()).is_some();
    has(BEARER) || SECRET.iter().any(|word| has(word))
}

fn is_name_of_secret(name: &str) -> bool {
    let name = folded(name);
    let has = |word: &str| memchr::memmem::find(&name, word.as_bytes()).is_some();
    name != NO_SECRET.as_bytes() && SECRET.iter().any(|word| has(word))
}

/// In small letters, and without what separates words in names.
fn folded(text: &str) -> Vec<u8> {
    let letters = text.bytes().filter(|byte| !matches!(byte, b'_' | b'-'));
    letters.map(|byte| byte.to_ascii_lowercase()).collect()
}

fn is_separator(letter: char) -> bool {
    matches!(letter, '_' | '-')
}

/// A text in which parts are replaced. Nothing is copied before the first.
struct Replaced<'a> {
    text: &'a str,
    out: String,
    /// Where the part begins that is not copied yet.
    kept: usize,
}

impl<'a> Replaced<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, out: String::new(), kept: 0 }
    }

    fn replace(&mut self, start: usize, end: usize, by: &str) {
        self.out.push_str(self.text.get(self.kept..start).unwrap_or_default());
        self.out.push_str(by);
        self.kept = end;
    }

    /// Returns the new text, if anything was replaced.
    fn finish(mut self) -> Option<String> {
        if self.kept == 0 {
            return None;
        }
        self.out.push_str(self.text.get(self.kept..).unwrap_or_default());
        Some(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(value: Value, expected: Value) {
        let clean = redacted(&RawJson::from(value)).expect("it has secrets").to_value();
        assert_eq!(clean, expected);
        // What is clean stays as it is.
        assert_eq!(redacted(&RawJson::from(clean.clone())).map_or(clean.clone(), |json| json.to_value()), clean);
    }

    fn clean(text: &str) -> Option<String> {
        redacted(&RawJson::from_text(text.to_owned()).unwrap()).map(String::from)
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
    }

    #[test]
    fn all_else_is_as_it_was() {
        let text = r#"{ "id" : 12345678901234567890123, "n":1.0e3,"password":"p1" ,"x":[1e400,"\u00e4"],"id":null}"#;
        assert_eq!(clean(text).unwrap(), text.replace("\"p1\"", "\"[removed]\""));
        // Members that are there twice hide nothing.
        assert_eq!(clean(r#"{"password":"p1","password":5}"#).unwrap(), r#"{"password":"[removed]","password":5}"#);
        assert!(!clean(r#"{"a":"Bearer p1","a":"x"}"#).unwrap().contains("p1"));
        // Names are texts too.
        assert!(!clean(r#"{"https://h/?access_token=p1":1,"Bearer p1":2}"#).unwrap().contains("p1"));
    }

    /// T-153: letters can be written in more than one way.
    #[test]
    fn secrets_do_not_hide_behind_escapes() {
        for text in
            [r#"{"pass\u0077ord":"p1"}"#, r#"{"a":"\u0042earer p1"}"#, r#"{"a":["\u0022pass\u0077ord\": \"p1\""]}"#]
        {
            let clean = clean(text).unwrap();
            assert!(!clean.contains("p1"), "{clean}");
        }
        assert!(!redacted_text(r#"{"pass\u0077ord":"p1""#).unwrap().contains("p1"));
        assert!(clean(r#"{"a":"\u0042"}"#).is_none());
    }

    /// Results are often there twice, as JSON and as text.
    #[test]
    fn json_in_texts_is_looked_into() {
        let inner = json!({ "access_token": "p1", "n": 1 }).to_string();
        let twice = json!({ "content": [{ "type": "text", "text": inner }] }).to_string();
        check(
            json!({ "content": [{ "text": inner }, { "text": format!(" {twice}") }, { "text": format!("Result: {inner}") }] }),
            json!({ "content": [
                { "text": inner.replace("p1", "[removed]") },
                { "text": format!(" {}", twice.replace("p1", "[removed]")) },
                { "text": format!("Result: {}", inner.replace("p1", "[removed]")) },
            ] }),
        );
        // Deeper than is looked for, it is text like any other.
        let deep = (0..10).fold(inner, |text, _| json!({ "text": text }).to_string());
        assert!(!clean(&deep).unwrap().contains("p1"));
    }

    #[test]
    fn schemas_speak_of_secrets_and_have_none() {
        let schema = json!({ "inputSchema": { "type": "object", "required": ["token"], "properties": {
            "token": { "type": ["string", "null"], "description": "yours", "x-mcp-header": "Token" },
            "secrets": { "items": { "type": "string" }, "type": "array" },
        }, "$defs": { "Credentials": { "properties": { "user": { "type": "string" } } } } } });
        assert!(redacted(&RawJson::from(schema)).is_none());
        check(
            json!({ "properties": {
                "token": { "type": "string", "default": "p1", "examples": ["p2"], "const": "p3" },
                "Password": { "type": "rich_text", "rich_text": [{ "text": { "content": "p4" } }], "title": ["p5"] },
                "apiKey": "p6",
            } }),
            json!({ "properties": {
                "token": { "type": "string", "default": "[removed]", "examples": ["[removed]"], "const": "[removed]" },
                "Password": { "type": "rich_text", "rich_text": [{ "text": { "content": "[removed]" } }], "title": ["[removed]"] },
                "apiKey": "[removed]",
            } }),
        );
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            r#""plain""#,
            r#"{"a":[1,null,true]}"#,
            r#"{"tokens":7}"#,
            r#"{"_meta":{"progressToken":"abc"}}"#,
            r#"{"a":"the secret of tokens: there are many","b":"a == b, token == c"}"#,
        ] {
            assert_eq!(clean(text), None, "{text}");
        }
    }

    /// Time and memory grow with the text, whatever is in it.
    #[test]
    fn long_and_deep_texts_are_looked_at_once() {
        let deep = format!("{}{{\"password\":\"p1\"}}{}", "[".repeat(500_000), "]".repeat(500_000));
        assert_eq!(clean(&deep).unwrap(), deep.replace("p1", "[removed]"));
        check(json!("Bearer abc,".repeat(100_000)), json!("Bearer [removed],".repeat(100_000)));
        for text in [
            "secret".repeat(100_000) + &"=".repeat(100_000),
            "a".repeat(1_000_000) + &"=".repeat(100_000) + "secret",
            "token: ".repeat(100_000),
            "x ".to_owned() + &"token: ".repeat(100_000),
            "x ".to_owned() + &"token=& ".repeat(100_000),
            "\"token\" ".repeat(100_000),
            "token ".repeat(100_000) + &" ".repeat(1_000_000),
        ] {
            let _ = redacted(&RawJson::from(json!(text)));
        }
    }

    #[test]
    fn text_that_is_no_json_ends_where_it_speaks_of_secrets() {
        assert_eq!(redacted_text(r#"{"user":"ann","api_key":"p1""#).unwrap(), r#"{"user":"ann","[removed]"#);
        assert_eq!(redacted_text("é Bearer p1 and more").unwrap(), "é [removed]");
        assert_eq!(redacted_text("starting on port 7"), None);
    }
}
