//! `_meta`: what both sides attach to messages, and the names that the protocol keeps for itself.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::{ProgressToken, RawJson, RequestId, Revision};

/// A JSON object whose meaning is not fixed by the protocol.
pub type JsonObject = Map<String, Value>;

/// The keys of `_meta` that the protocol defines.
pub mod key {
    /// The token under which the sender wants progress notifications.
    pub const PROGRESS_TOKEN: &str = "progressToken";
    /// The revision of a request.
    pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    /// Who sends a request.
    pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    /// What the sender of a request can do.
    pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    /// The least level of log messages wanted for a request.
    pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    /// The listen request that a notification belongs to.
    pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
    /// Who sends a result.
    pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    /// The task that a message belongs to (2025-11-25).
    pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
    /// W3C trace context: the caller's span.
    pub const TRACEPARENT: &str = "traceparent";
    /// W3C trace context: vendors' parts.
    pub const TRACESTATE: &str = "tracestate";
    /// W3C baggage.
    pub const BAGGAGE: &str = "baggage";
}

/// The `_meta` member of a message or of a part of one.
///
/// What was received is kept as text and taken apart when somebody looks into it, which most never do.
#[derive(Clone, Default)]
pub struct Meta {
    /// What was received, until it is changed.
    text: Option<Arc<str>>,
    members: OnceLock<Box<JsonObject>>,
}

impl Meta {
    /// Makes an empty `_meta`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps text that is known to be an object and has no line breaks.
    pub(crate) fn from_object(text: impl Into<Arc<str>>) -> Self {
        Self { text: Some(text.into()), members: OnceLock::new() }
    }

    /// Adds a member.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.insert(key.into(), value.into());
        self
    }

    /// Returns the token for progress notifications, if it is a valid one.
    #[must_use]
    pub fn progress_token(&self) -> Option<ProgressToken> {
        self.read(key::PROGRESS_TOKEN)
    }

    /// Returns the listen request that a notification belongs to.
    #[must_use]
    pub fn subscription_id(&self) -> Option<RequestId> {
        self.read(key::SUBSCRIPTION_ID)
    }

    /// Returns the id of the task that a message belongs to (2025-11-25).
    #[must_use]
    pub fn related_task(&self) -> Option<&str> {
        self.get(key::RELATED_TASK)?.get("taskId")?.as_str()
    }

    /// Reads a member as a type; none if it is absent or does not fit.
    #[must_use]
    pub fn read<'a, T: Deserialize<'a>>(&'a self, key: &str) -> Option<T> {
        T::deserialize(self.get(key)?).ok()
    }

    // A number that no tree can hold makes the whole unreadable here, but it is still passed on as it came.
    fn members(&self) -> &JsonObject {
        let read = |text: &str| serde_json::from_str(text).ok();
        self.members.get_or_init(|| self.text.as_deref().and_then(read).unwrap_or_default())
    }
}

impl Deref for Meta {
    type Target = JsonObject;

    fn deref(&self) -> &JsonObject {
        self.members()
    }
}

impl DerefMut for Meta {
    fn deref_mut(&mut self) -> &mut JsonObject {
        self.members();
        self.text = None;
        self.members.get_mut().expect("it has just been read")
    }
}

impl From<JsonObject> for Meta {
    fn from(object: JsonObject) -> Self {
        Self { text: None, members: OnceLock::from(Box::new(object)) }
    }
}

impl From<Meta> for JsonObject {
    fn from(mut meta: Meta) -> Self {
        std::mem::take(&mut *meta)
    }
}

impl IntoIterator for Meta {
    type Item = (String, Value);
    type IntoIter = serde_json::map::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        JsonObject::from(self).into_iter()
    }
}

impl FromIterator<(String, Value)> for Meta {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        JsonObject::from_iter(members).into()
    }
}

impl PartialEq for Meta {
    fn eq(&self, other: &Self) -> bool {
        self.members() == other.members()
    }
}

impl fmt::Debug for Meta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Meta").field(self.members()).finish()
    }
}

impl Serialize for Meta {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.text.as_deref().map(serde_json::from_str::<&RawValue>) {
            Some(Ok(text)) => text.serialize(serializer),
            Some(Err(_)) | None => self.members().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Meta {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = RawJson::deserialize(deserializer)?;
        if !text.is_object() {
            return Err(serde::de::Error::custom("`_meta` must be an object"));
        }
        Ok(Self::from_object(String::from(text)))
    }
}

/// Why a `_meta` key or an extension identifier is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadKey {
    /// The prefix is not a series of dot-separated labels, each beginning with a letter and ending with a letter or digit.
    Prefix,
    /// The name does not begin and end with a letter or digit, or has characters other than those and `-`, `_`, `.`.
    Name,
    /// The prefix belongs to the protocol.
    Reserved,
    /// An extension identifier needs a prefix.
    NoPrefix,
}

impl fmt::Display for BadKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prefix => {
                "prefix is not dot-separated labels that begin with a letter and end with a letter or digit"
            }
            Self::Name => "name must begin and end with a letter or digit and may hold `-`, `_`, `.` in between",
            Self::Reserved => "prefix is reserved for the protocol",
            Self::NoPrefix => "an extension identifier needs a prefix such as `com.example/`",
        })
    }
}

impl std::error::Error for BadKey {}

/// Checks the form of a `_meta` key: an optional prefix and a name.
///
/// # Errors
///
/// Says which part breaks the rule.
pub fn check_key(key: &str) -> Result<(), BadKey> {
    let (prefix, name) = split(key);
    if prefix.is_some_and(|prefix| !prefix.split('.').all(is_label)) {
        return Err(BadKey::Prefix);
    }
    if name.is_empty() || is_name(name) { Ok(()) } else { Err(BadKey::Name) }
}

/// Checks a key that is about to be used for one's own purposes: also refuses prefixes that `revision` reserves.
///
/// # Errors
///
/// Says which part breaks the rule.
pub fn check_own_key(key: &str, revision: Revision) -> Result<(), BadKey> {
    check_key(key)?;
    if is_reserved(key, revision) { Err(BadKey::Reserved) } else { Ok(()) }
}

/// Checks an extension identifier: a `_meta` key whose prefix is mandatory and whose name is not empty.
///
/// # Errors
///
/// Says which part breaks the rule.
pub fn check_extension_id(id: &str) -> Result<(), BadKey> {
    check_key(id)?;
    match split(id) {
        (None, _) => Err(BadKey::NoPrefix),
        (_, "") => Err(BadKey::Name),
        _ => Ok(()),
    }
}

/// Whether the key's prefix belongs to the protocol.
///
/// Since 2025-11-25 it does if its second label is `modelcontextprotocol` or `mcp`; before, if any label is one of these.
#[must_use]
pub fn is_reserved(key: &str, revision: Revision) -> bool {
    let Some(prefix) = split(key).0 else { return false };
    let ours = |label: &str| matches!(label, "modelcontextprotocol" | "mcp");
    if revision.reserves_second_label() {
        return prefix.split('.').nth(1).is_some_and(ours);
    }
    prefix.split('.').any(ours)
}

fn split(key: &str) -> (Option<&str>, &str) {
    match key.split_once('/') {
        Some((prefix, name)) => (Some(prefix), name),
        None => (None, key),
    }
}

fn is_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
}

fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_received_is_passed_on_as_it_was_until_it_is_changed() {
        let text = r#"{"b":1.50,"a":{"c":[]}}"#;
        let mut meta: Meta = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&meta).unwrap(), text);
        assert_eq!(meta.get("b"), Some(&Value::from(1.5)));
        assert_eq!(serde_json::to_string(&meta).unwrap(), text);
        meta.insert("d".to_owned(), true.into());
        let changed: Value = serde_json::from_str(&serde_json::to_string(&meta).unwrap()).unwrap();
        assert_eq!(changed, serde_json::json!({"a": {"c": []}, "b": 1.5, "d": true}));
        assert_eq!(meta, Meta::from_iter(meta.clone()));
    }

    #[test]
    fn only_an_object_is_meta() {
        for text in ["[]", "1", "null", "\"{}\""] {
            assert!(serde_json::from_str::<Meta>(text).is_err(), "{text}");
        }
        let unreadable: Meta = serde_json::from_str(r#"{"a":1e999}"#).unwrap();
        assert!(unreadable.is_empty());
        assert_eq!(serde_json::to_string(&unreadable).unwrap(), r#"{"a":1e999}"#);
    }
}
