//! Secrets in JSON, found in its text: nothing is taken apart that stays as it is.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::text::without_secrets;
use super::{ESCAPE, REMOVED, Replaced, is_name_of_secret, speaks_of_secrets};

/// How deep JSON is looked for that is written in texts of JSON.
pub(super) const DEPTH: u8 = 4;

/// Returns valid JSON without its secrets, if it has any.
pub(super) fn redacted(text: &str, depth: u8) -> Option<String> {
    // Most data has nothing of the kind.
    if !speaks_of_secrets(text) && !text.contains(ESCAPE) {
        return None;
    }
    let mut walk = Walk { out: Replaced::new(text), places: Vec::new(), next: Place::default(), at_name: false, depth };
    walk.all(text);
    walk.out.finish()
}

/// What a value is taken for, by where it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Plain,
    Secret,
    /// What describes a secret: texts of its own words stay, what it has for a value does not.
    Schema,
    /// The same if it is an object, and else a secret.
    SchemaOrSecret,
    /// A text that is part of such a description.
    Word,
    /// The same, or a list of some.
    Words,
}

#[derive(Clone, Copy, Debug, Default)]
struct Place {
    kind: Kind,
    is_object: bool,
    /// Its members are named by somebody else, and each is described.
    has_descriptions: bool,
}

struct Walk<'a> {
    out: Replaced<'a>,
    places: Vec<Place>,
    /// What the next value is.
    next: Place,
    at_name: bool,
    depth: u8,
}

impl Walk<'_> {
    fn all(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let start = at;
            at = at.saturating_add(1);
            match byte {
                b'"' => {
                    at = end_of_string(bytes, at);
                    self.string(text.get(start..at).unwrap_or_default(), start);
                }
                b'{' | b'[' => self.enter(*byte == b'{'),
                b'}' | b']' => {
                    self.places.pop();
                    self.at_name = false;
                }
                b',' => self.begin_entry(),
                _ => {}
            }
        }
    }

    fn enter(&mut self, is_object: bool) {
        let kind = match self.next.kind {
            Kind::SchemaOrSecret if is_object => Kind::Schema,
            Kind::Words if !is_object => Kind::Word,
            Kind::SchemaOrSecret | Kind::Word | Kind::Words => Kind::Secret,
            kind => kind,
        };
        self.places.push(Place { kind, is_object, ..self.next });
        self.begin_entry();
    }

    fn begin_entry(&mut self) {
        let place = self.places.last().copied().unwrap_or_default();
        self.at_name = place.is_object;
        self.next = Place { kind: place.kind, ..Place::default() };
    }

    fn string(&mut self, token: &str, start: usize) {
        let text = decoded(token);
        if std::mem::take(&mut self.at_name) {
            self.next = self.member(&text);
        } else if !matches!(self.next.kind, Kind::Plain | Kind::Word | Kind::Words) {
            return self.replace(start, token, REMOVED);
        }
        if let Some(clean) = self.clean(&text) {
            self.replace(start, token, &clean);
        }
    }

    fn clean(&self, text: &str) -> Option<String> {
        let is_json = self.depth > 0
            && text.trim_start().starts_with(['{', '['])
            && serde_json::from_str::<IgnoredAny>(text).is_ok();
        if is_json { redacted(text, self.depth.saturating_sub(1)) } else { without_secrets(text) }
    }

    fn replace(&mut self, start: usize, token: &str, text: &str) {
        let text = serde_json::to_string(text).unwrap_or_default();
        if text != token {
            self.out.replace(start, start.saturating_add(token.len()), &text);
        }
    }

    /// Finds out what the value of a member is.
    fn member(&self, name: &str) -> Place {
        let around = self.places.last().copied().unwrap_or_default();
        let has_descriptions = matches!(name, "properties" | "$defs" | "definitions") && around.kind != Kind::Secret;
        let kind = match around.kind {
            kind if has_descriptions => kind,
            Kind::Plain if around.has_descriptions && is_name_of_secret(name) => Kind::SchemaOrSecret,
            Kind::Plain if is_name_of_secret(name) => Kind::Secret,
            Kind::Plain => Kind::Plain,
            Kind::Schema if around.has_descriptions => Kind::SchemaOrSecret,
            Kind::Schema => in_schema(name),
            _ => Kind::Secret,
        };
        Place { kind, is_object: false, has_descriptions }
    }
}

/// What the members of a schema are that describes a secret.
fn in_schema(name: &str) -> Kind {
    match name {
        "type" => Kind::Words,
        "title" | "description" | "format" | "pattern" | "$ref" | "$id" | "$schema" | "$comment"
        | "contentEncoding" | "contentMediaType" | "x-mcp-header" => Kind::Word,
        "items" | "prefixItems" | "anyOf" | "oneOf" | "allOf" | "not" | "additionalProperties" => Kind::Schema,
        _ => Kind::Secret,
    }
}

/// Returns where a string ends whose begin was before `from`.
fn end_of_string(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at = at.saturating_add(found).saturating_add(1);
        match bytes.get(at.saturating_sub(1)) {
            Some(b'"') => return at,
            _ => at = at.saturating_add(1),
        }
    }
    bytes.len()
}

/// Reads a string with its quotes.
fn decoded(token: &str) -> Cow<'_, str> {
    if token.contains('\\') {
        // Halves of letters, which JSON allows, are no text. Then what stands there is looked at.
        return serde_json::from_str::<String>(token).map_or(Cow::Borrowed(token), Cow::Owned);
    }
    Cow::Borrowed(token.get(1..token.len().saturating_sub(1)).unwrap_or_default())
}
