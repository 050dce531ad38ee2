//! What is said in a conversation with the client's model.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::content::kind_of;
use crate::{AudioContent, ContentBlock, ImageContent, Meta, OtherContent, RawJson, TextContent};

/// One block or several; the specification allows both shapes since 2025-11-25, and each is written as it was read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SamplingContent {
    /// A single block, not in an array.
    One(SamplingContentBlock),
    /// An array of blocks.
    Many(Vec<SamplingContentBlock>),
}

impl SamplingContent {
    /// Returns the blocks of either shape.
    #[must_use]
    pub fn blocks(&self) -> &[SamplingContentBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks,
        }
    }

    /// Returns the blocks of either shape for changing them.
    pub fn blocks_mut(&mut self) -> &mut [SamplingContentBlock] {
        match self {
            Self::One(block) => std::slice::from_mut(block),
            Self::Many(blocks) => blocks,
        }
    }
}

impl<T: Into<SamplingContentBlock>> From<T> for SamplingContent {
    fn from(block: T) -> Self {
        Self::One(block.into())
    }
}

impl From<Vec<SamplingContentBlock>> for SamplingContent {
    fn from(blocks: Vec<SamplingContentBlock>) -> Self {
        Self::Many(blocks)
    }
}

impl Serialize for SamplingContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(block) => block.serialize(serializer),
            Self::Many(blocks) => blocks.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let read = if raw.get().starts_with('[') { raw.read().map(Self::Many) } else { raw.read().map(Self::One) };
        read.map_err(serde::de::Error::custom)
    }
}

/// One piece of content in a conversation with the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum SamplingContentBlock {
    /// Text.
    #[serde(rename = "text")]
    Text(TextContent),
    /// An image.
    #[serde(rename = "image")]
    Image(ImageContent),
    /// Sound; since 2025-03-26.
    #[serde(rename = "audio")]
    Audio(AudioContent),
    /// The model wants to use a tool; since 2025-11-25.
    #[serde(rename = "tool_use")]
    ToolUse(ToolUseContent),
    /// What the tool said; since 2025-11-25.
    #[serde(rename = "tool_result")]
    ToolResult(ToolResultContent),
    /// A block of a kind that this library does not know.
    #[serde(untagged)]
    Other(OtherContent),
}

open_model! {
    /// The model wants to use a tool.
    ToolUseContent [kind] {
        /// Names this use.
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments: an object.
        input: RawJson,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

open_model! {
    /// What a tool said.
    ToolResultContent [kind] {
        /// The use that this answers.
        tool_use_id: String,
        /// What it said.
        content: Vec<ContentBlock>,
        ;
        /// What it said, as data.
        #[serde(deserialize_with = "crate::raw::present")]
        structured_content: RawJson,
        /// The tool failed.
        is_error: bool,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

impl SamplingContentBlock {
    /// Makes a block of text.
    pub fn text(text: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::Text(TextContent::new(text))
    }
}

impl From<TextContent> for SamplingContentBlock {
    fn from(content: TextContent) -> Self {
        Self::Text(content)
    }
}

impl From<ImageContent> for SamplingContentBlock {
    fn from(content: ImageContent) -> Self {
        Self::Image(content)
    }
}

impl From<AudioContent> for SamplingContentBlock {
    fn from(content: AudioContent) -> Self {
        Self::Audio(content)
    }
}

impl From<ToolUseContent> for SamplingContentBlock {
    fn from(content: ToolUseContent) -> Self {
        Self::ToolUse(content)
    }
}

impl From<ToolResultContent> for SamplingContentBlock {
    fn from(content: ToolResultContent) -> Self {
        Self::ToolResult(content)
    }
}

impl<'de> Deserialize<'de> for SamplingContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let text = raw.get();
        let read = || match &*kind_of(text)? {
            "text" => raw.read().map(Self::Text),
            "image" => raw.read().map(Self::Image),
            "audio" => raw.read().map(Self::Audio),
            "tool_use" => raw.read().map(Self::ToolUse),
            "tool_result" => raw.read().map(Self::ToolResult),
            other => OtherContent::read(other.to_owned(), text).map(Self::Other),
        };
        read().map_err(serde::de::Error::custom)
    }
}
