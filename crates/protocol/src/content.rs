//! Content blocks: what tools and prompts consist of.

use serde::{Deserialize, Deserializer, Serialize};

use crate::raw::Text;
use crate::{Annotations, Icon, Meta, RawJson, Resource, ResourceContents};

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
}

/// A link to a resource has the members of the resource.
pub type ResourceLink = Resource;

model! {
    /// Text for a person or a model.
    TextContent {
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

model! {
    /// An image.
    ImageContent {
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

model! {
    /// Sound; since 2025-03-26.
    AudioContent {
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

model! {
    /// A resource's contents, carried inside a message.
    EmbeddedResource {
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

/// The members of every kind of block. Reading all kinds into this and then choosing by `type` takes one pass over the
/// text and no buffer, wherever in the object `type` stands.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnyBlock {
    pub(crate) r#type: String,
    text: Option<Text>,
    data: Option<Text>,
    mime_type: Option<String>,
    resource: Option<ResourceContents>,
    uri: Option<String>,
    pub(crate) name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    icons: Option<Vec<Icon>>,
    #[serde(default, deserialize_with = "crate::number::optional_count")]
    size: Option<u64>,
    annotations: Option<Annotations>,
    #[serde(rename = "_meta")]
    pub(crate) meta: Option<Meta>,
    pub(crate) id: Option<String>,
    pub(crate) input: Option<RawJson>,
    pub(crate) tool_use_id: Option<String>,
    pub(crate) content: Option<Vec<ContentBlock>>,
    #[serde(default, deserialize_with = "crate::raw::present")]
    pub(crate) structured_content: Option<RawJson>,
    pub(crate) is_error: Option<bool>,
}

/// Takes a member that the block's `type` requires.
pub(crate) fn need<T, E: serde::de::Error>(member: Option<T>, name: &'static str) -> Result<T, E> {
    member.ok_or_else(|| E::missing_field(name))
}

impl AnyBlock {
    pub(crate) fn text<E: serde::de::Error>(self) -> Result<TextContent, E> {
        Ok(TextContent { text: need(self.text, "text")?, annotations: self.annotations, meta: self.meta })
    }

    pub(crate) fn image<E: serde::de::Error>(self) -> Result<ImageContent, E> {
        let (data, mime_type) = (need(self.data, "data")?, need(self.mime_type, "mimeType")?);
        Ok(ImageContent { data, mime_type, annotations: self.annotations, meta: self.meta })
    }

    pub(crate) fn audio<E: serde::de::Error>(self) -> Result<AudioContent, E> {
        let (data, mime_type) = (need(self.data, "data")?, need(self.mime_type, "mimeType")?);
        Ok(AudioContent { data, mime_type, annotations: self.annotations, meta: self.meta })
    }

    fn link<E: serde::de::Error>(self) -> Result<Resource, E> {
        let mut link = Resource::new(need(self.uri, "uri")?, need(self.name, "name")?);
        link.title = self.title;
        link.description = self.description;
        link.mime_type = self.mime_type;
        link.icons = self.icons;
        link.size = self.size;
        link.annotations = self.annotations;
        link.meta = self.meta;
        Ok(link)
    }

    fn embedded<E: serde::de::Error>(self) -> Result<EmbeddedResource, E> {
        let resource = need(self.resource, "resource")?;
        Ok(EmbeddedResource { resource, annotations: self.annotations, meta: self.meta })
    }
}

impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let any = AnyBlock::deserialize(deserializer)?;
        match any.r#type.as_str() {
            "text" => any.text().map(Self::Text),
            "image" => any.image().map(Self::Image),
            "audio" => any.audio().map(Self::Audio),
            "resource_link" => any.link().map(Self::from),
            "resource" => any.embedded().map(Self::Resource),
            other => {
                Err(serde::de::Error::unknown_variant(other, &["text", "image", "audio", "resource_link", "resource"]))
            }
        }
    }
}
