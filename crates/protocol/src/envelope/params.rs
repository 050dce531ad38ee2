//! The parameters of a request or notification, as they stand in the received text.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::members::{MetaMembers, ParamMembers, Span};
use super::object::Object;
use crate::ErrorObject;

/// The parameters of a message: an object whose members have been found but not yet decoded.
///
/// They are handed from one to the other on their way to a handler, so that what was found lies elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Params(Option<Box<Found>>);

/// Where parameters and their members stand in a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// Empty as long as they are looked for.
    text: Bytes,
    pub(super) span: Span,
    pub(super) members: ParamMembers,
    pub(super) meta: Option<MetaMembers>,
    /// Where the arguments of a tool stand, if they are an object, and their members.
    pub(super) arguments: Option<(Span, ParamMembers)>,
}

impl Params {
    pub(super) fn new(mut found: Box<Found>, text: &Bytes) -> Self {
        found.text = text.clone();
        Self(Some(found))
    }

    fn find(&self, name: &str) -> Option<(&Bytes, Span)> {
        let found = self.0.as_ref()?;
        Some((&found.text, found.members.find(&found.text, name)?))
    }

    /// Makes parameters from a value that serialises to an object.
    ///
    /// # Errors
    /// The value cannot be serialised, or not to an object.
    pub fn from_value<T: serde::Serialize>(value: &T) -> Result<Self, ErrorObject> {
        let json = serde_json::to_vec(value).map_err(|e| ErrorObject::internal(format!("parameters: {e}")))?;
        Self::from_json(json.into())
    }

    /// Makes parameters from JSON text.
    ///
    /// # Errors
    /// The text is not a JSON object, or has a member twice.
    pub fn from_json(text: Bytes) -> Result<Self, ErrorObject> {
        super::message::read_params(&text).map_err(|rejected| rejected.error)
    }

    /// Copies the text, so that the buffer it was received in can be given back: for what is kept for long.
    pub fn detach(&mut self) {
        if let Some(found) = &mut self.0 {
            found.text = Bytes::copy_from_slice(&found.text);
        }
    }

    /// Returns the whole object as JSON text; `{}` if the message has no parameters.
    #[must_use]
    pub fn as_json(&self) -> &[u8] {
        self.0.as_ref().map_or(b"{}", |found| found.span.of(&found.text))
    }

    /// Returns the JSON text of a member.
    #[must_use]
    #[inline]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.find(name).map(|(text, span)| span.of(text))
    }

    /// Returns the JSON text of a member as a shared slice of the received buffer.
    #[must_use]
    pub fn get_bytes(&self, name: &str) -> Option<Bytes> {
        self.find(name).map(|(text, span)| text.slice(span.range()))
    }

    /// Returns `arguments`, whose members were found with those of the parameters, if `json` is where they stand.
    #[must_use]
    pub fn arguments(&self, json: &Bytes) -> Option<Object> {
        let found = self.0.as_ref()?;
        let (span, members) = found.arguments.as_ref()?;
        let is_same = std::ptr::eq(span.of(&found.text), json.as_ref());
        // A name that stands twice is told by whoever reads them again.
        (is_same && members.duplicate(&found.text).is_none()).then(|| Object::new(found.text.clone(), members.clone()))
    }

    /// Returns the JSON text of a member of `_meta`.
    #[must_use]
    #[inline]
    pub fn meta(&self, name: &str) -> Option<&[u8]> {
        let found = self.0.as_ref()?;
        found.meta.as_ref()?.find(&found.text, name).map(|span| span.of(&found.text))
    }

    /// Whether there is a `_meta` that is an object.
    #[must_use]
    pub fn has_meta(&self) -> bool {
        self.0.as_ref().is_some_and(|found| found.meta.is_some())
    }

    /// Returns the JSON text of `_meta`, if it is an object.
    #[must_use]
    pub fn meta_json(&self) -> Option<&[u8]> {
        self.has_meta().then(|| self.get("_meta"))?
    }

    /// Returns the names of all members, in order.
    pub fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.0.iter().flat_map(|found| found.members.iter().map(|member| member.name(&found.text)))
    }

    /// Decodes a required string member.
    ///
    /// # Errors
    /// -32602 when the member is missing or is not a string.
    #[inline]
    pub fn string(&self, name: &'static str) -> Result<Cow<'_, str>, ErrorObject> {
        self.optional_string(name)?.ok_or_else(|| ErrorObject::invalid_params(format!("missing parameter `{name}`")))
    }

    /// Decodes an optional string member.
    ///
    /// # Errors
    /// -32602 when the member is not a string.
    #[inline]
    pub fn optional_string(&self, name: &'static str) -> Result<Option<Cow<'_, str>>, ErrorObject> {
        let Some(json) = self.get(name) else { return Ok(None) };
        match decode_str(json) {
            Some(text) => Ok(Some(text)),
            None => Err(ErrorObject::invalid_params(format!("parameter `{name}` must be a string"))),
        }
    }

    /// Decodes one member.
    ///
    /// # Errors
    /// -32602 when the member does not fit the type.
    pub fn member<'a, T: Deserialize<'a>>(&'a self, name: &'static str) -> Result<Option<T>, ErrorObject> {
        let Some(json) = self.get(name) else { return Ok(None) };
        serde_json::from_slice(json)
            .map(Some)
            .map_err(|e| ErrorObject::invalid_params(format!("parameter `{name}`: {e}")))
    }

    /// Decodes the whole object.
    ///
    /// # Errors
    /// -32602 when the parameters do not fit the type.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, ErrorObject> {
        serde_json::from_slice(self.as_json())
            .map_err(|e| ErrorObject::invalid_params(format!("invalid parameters: {e}")))
    }
}

/// Decodes the JSON text of a string, borrowing when it has no escapes. The text has been checked before.
#[inline]
pub(crate) fn decode_str(json: &[u8]) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    // Names are short, and not worth the call of a search that is made for long texts.
    if inner.contains(&b'\\') {
        serde_json::from_slice(json).ok().map(Cow::Owned)
    } else {
        std::str::from_utf8(inner).ok().map(Cow::Borrowed)
    }
}
