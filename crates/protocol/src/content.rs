//! Content blocks: what tools and prompts consist of.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::raw::Text;
use crate::{Annotations, Meta, RawJson, Resource, ResourceContents, Revision};

/// One piece of content in a tool result or a prompt.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    #[serde(rename = "text")]
    Text(TextContent),
    /// An image.
    #[serde(rename = "image")]
    Image(ImageContent),
    /// Sound; since 2025-03-26.
    #[serde(rename = "audio")]
    Audio(AudioContent),
    /// A resource by its URI; since 2025-06-18.
    #[serde(rename = "resource_link")]
    ResourceLink(Box<Resource>),
    /// A resource's contents.
    #[serde(rename = "resource")]
    Resource(EmbeddedResource),
    /// A block of a kind that this library does not know.
    #[serde(untagged)]
    Other(OtherContent),
}

/// A link to a resource has the members of the resource.
pub type ResourceLink = Resource;

open_model! {
    /// Text for a person or a model.
    TextContent [kind] {
        /// The text.
        text: Text,
        ;
        /// Hints for whoever uses it.
        annotations: Annotations,
        /// Anything else; since 2025-06-18.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

open_model! {
    /// An image.
    ImageContent [kind] {
        /// The image in base64.
        data: Text,
        /// The image's MIME type.
        mime_type: String,
        ;
        /// Hints for whoever uses it.
        annotations: Annotations,
        /// Anything else; since 2025-06-18.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

open_model! {
    /// Sound; since 2025-03-26.
    AudioContent [kind] {
        /// The sound in base64.
        data: Text,
        /// The sound's MIME type.
        mime_type: String,
        ;
        /// Hints for whoever uses it.
        annotations: Annotations,
        /// Anything else; since 2025-06-18.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

open_model! {
    /// A resource's contents, carried inside a message.
    EmbeddedResource [kind] {
        /// The contents.
        resource: ResourceContents,
        ;
        /// Hints for whoever uses it.
        annotations: Annotations,
        /// Anything else; since 2025-06-18.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

impl ContentBlock {
    /// Makes a block of text.
    pub fn text(text: impl Into<Text>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// Makes an image of base64 data.
    pub fn image(data: impl Into<Text>, mime_type: impl Into<String>) -> Self {
        Self::Image(ImageContent::new(data, mime_type))
    }

    /// Makes a sound of base64 data.
    pub fn audio(data: impl Into<Text>, mime_type: impl Into<String>) -> Self {
        Self::Audio(AudioContent::new(data, mime_type))
    }

    /// Makes a link to a resource.
    #[must_use]
    pub fn link(resource: Resource) -> Self {
        Self::ResourceLink(Box::new(resource))
    }

    /// Makes a block of a resource's contents.
    pub fn resource(contents: impl Into<ResourceContents>) -> Self {
        Self::Resource(EmbeddedResource::new(contents))
    }

    /// Returns the text, if the block is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            _ => None,
        }
    }

    /// Returns the block's annotations.
    #[must_use]
    pub fn annotations(&self) -> Option<&Annotations> {
        match self {
            Self::Text(c) => c.annotations.as_ref(),
            Self::Image(c) => c.annotations.as_ref(),
            Self::Audio(c) => c.annotations.as_ref(),
            Self::ResourceLink(c) => c.annotations.as_ref(),
            Self::Resource(c) => c.annotations.as_ref(),
            Self::Other(_) => None,
        }
    }
}

macro_rules! blocks_from {
    ($( $type:ty => $variant:ident, )+) => { $(
        impl From<$type> for ContentBlock {
            fn from(content: $type) -> Self {
                Self::$variant(content.into())
            }
        }
    )+ };
}

blocks_from! {
    TextContent => Text,
    ImageContent => Image,
    AudioContent => Audio,
    Resource => ResourceLink,
    EmbeddedResource => Resource,
}

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<&'static str> for ContentBlock {
    fn from(text: &'static str) -> Self {
        Self::text(text)
    }
}

/// A block of a kind that this library does not know.
///
/// It is written again as it came to peers whose revision is not older than that of its sender; an older peer gets a text that names the
/// kind.
#[derive(Clone, Debug, PartialEq)]
pub struct OtherContent {
    kind: String,
    json: RawJson,
    /// The revision that the sender speaks; the newest one as long as nobody said so.
    pub(crate) sender: Revision,
}

impl OtherContent {
    /// Returns the kind, which is the block's `type`.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the whole block.
    #[must_use]
    pub fn json(&self) -> &RawJson {
        &self.json
    }

    pub(crate) fn read(kind: String, text: &str) -> Result<Self, serde_json::Error> {
        Ok(Self { kind, json: RawJson::from_text(text)?, sender: Revision::LATEST })
    }
}

impl Serialize for OtherContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json.serialize(serializer)
    }
}

/// Takes a member that another one requires.
pub(crate) fn need<T, E: serde::de::Error>(member: Option<T>, name: &'static str) -> Result<T, E> {
    member.ok_or_else(|| E::missing_field(name))
}

/// Reads the `type` of a block.
pub(crate) fn kind_of(text: &str) -> Result<Cow<'_, str>, serde_json::Error> {
    #[derive(Deserialize)]
    struct Tag<'a> {
        #[serde(borrow)]
        r#type: Cow<'a, str>,
    }

    serde_json::from_str::<Tag<'_>>(text).map(|tag| tag.r#type)
}

impl ContentBlock {
    /// Reads a block from its JSON text.
    pub(crate) fn read(text: &str) -> Result<Self, serde_json::Error> {
        match &*kind_of(text)? {
            "text" => serde_json::from_str(text).map(Self::Text),
            "image" => serde_json::from_str(text).map(Self::Image),
            "audio" => serde_json::from_str(text).map(Self::Audio),
            "resource_link" => serde_json::from_str(text).map(|mut link: Resource| {
                link.other.remove("type");
                Self::link(link)
            }),
            "resource" => serde_json::from_str(text).map(Self::Resource),
            other => OtherContent::read(other.to_owned(), text).map(Self::Other),
        }
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The type of the members depends on one of them, which may stand last.
        let raw = RawJson::deserialize(deserializer)?;
        Self::read(raw.get()).map_err(serde::de::Error::custom)
    }
}
