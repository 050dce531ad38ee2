//! Sampling: a server asks the client's model.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::content::{AnyBlock, need};
use crate::{
    AudioContent, ContentBlock, ImageContent, JsonObject, Meta, RawJson, Role, TaskMetadata, TextContent, Tool,
};

/// The parameters of `sampling/createMessage`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageParams {
    /// The conversation so far.
    pub messages: Vec<SamplingMessage>,
    /// The most tokens that the model may produce.
    #[serde(deserialize_with = "crate::number::count")]
    pub max_tokens: u64,
    /// Which model to prefer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// The system prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Which servers' context to add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_context: Option<IncludeContext>,
    /// The temperature.
    #[serde(default, with = "crate::number::optional_fraction", skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Texts that end the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_sequences: Option<Vec<String>>,
    /// What only the model's provider understands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<JsonObject>,
    /// The tools that the model may use; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Tool>>,
    /// Whether the model must use them; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// Asks for a task; only 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskMetadata>,
    /// Anything else; until 2025-11-25.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl CreateMessageParams {
    /// Asks the model to continue `messages` with at most `max_tokens` tokens.
    pub fn new(messages: impl Into<Vec<SamplingMessage>>, max_tokens: u64) -> Self {
        Self {
            messages: messages.into(),
            max_tokens,
            model_preferences: None,
            system_prompt: None,
            include_context: None,
            temperature: None,
            stop_sequences: None,
            metadata: None,
            tools: None,
            tool_choice: None,
            task: None,
            meta: None,
        }
    }
}

setters!(CreateMessageParams {
    with_model_preferences => model_preferences: ModelPreferences,
    with_system_prompt => system_prompt: String,
    with_include_context => include_context: IncludeContext,
    with_temperature => temperature: f64,
    with_stop_sequences => stop_sequences: Vec<String>,
    with_metadata => metadata: JsonObject,
    with_tools => tools: Vec<Tool>,
    with_tool_choice => tool_choice: ToolChoice,
});

words! {
    /// Which servers' context the client should add.
    IncludeContext {
        /// None.
        None = "none",
        /// That of the asking server.
        ThisServer = "thisServer",
        /// That of all servers.
        AllServers = "allServers",
    }
}

options! {
    /// Which model a server prefers. The priorities go from 0 to 1.
    ModelPreferences {
        /// Names or parts of names of models, best first.
        hints: Vec<ModelHint>,
        /// How much cost matters.
        #[serde(with = "crate::number::optional_fraction")]
        cost_priority: f64,
        /// How much speed matters.
        #[serde(with = "crate::number::optional_fraction")]
        speed_priority: f64,
        /// How much intelligence matters.
        #[serde(with = "crate::number::optional_fraction")]
        intelligence_priority: f64,
    }
}

options! {
    /// A hint at a model.
    ModelHint {
        /// A model's name or a part of it.
        name: String,
    }
}

options! {
    /// Whether the model must use tools; since 2025-11-25.
    ToolChoice {
        /// Whether it must; `auto` if absent.
        mode: ToolChoiceMode,
    }
}

words! {
    /// Whether the model must use tools.
    ToolChoiceMode {
        /// The model decides.
        Auto = "auto",
        /// It must use at least one.
        Required = "required",
        /// It must not.
        None = "none",
    }
}

model! {
    /// One message of the conversation.
    SamplingMessage {
        /// Who says it.
        role: Role,
        /// What is said.
        content: SamplingContent,
        ;
        /// Anything else; since 2025-11-25.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

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
}

model! {
    /// The model wants to use a tool.
    ToolUseContent {
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

model! {
    /// What a tool said.
    ToolResultContent {
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
        let any = AnyBlock::deserialize(deserializer)?;
        match any.r#type.as_str() {
            "text" => any.text().map(Self::Text),
            "image" => any.image().map(Self::Image),
            "audio" => any.audio().map(Self::Audio),
            "tool_use" => Ok(Self::ToolUse(ToolUseContent {
                id: need(any.id, "id")?,
                name: need(any.name, "name")?,
                input: need(any.input, "input")?,
                meta: any.meta,
            })),
            "tool_result" => Ok(Self::ToolResult(ToolResultContent {
                tool_use_id: need(any.tool_use_id, "toolUseId")?,
                content: need(any.content, "content")?,
                structured_content: any.structured_content,
                is_error: any.is_error,
                meta: any.meta,
            })),
            other => {
                Err(serde::de::Error::unknown_variant(other, &["text", "image", "audio", "tool_use", "tool_result"]))
            }
        }
    }
}

model! {
    /// The answer to `sampling/createMessage`: the model's message.
    CreateMessageResult {
        /// Who says it, usually the model.
        role: Role,
        /// What is said.
        content: SamplingContent,
        /// The model that said it.
        model: String,
        ;
        /// Why it ended: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or the provider's own word.
        stop_reason: String,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(CreateMessageResult { with_stop_reason => stop_reason: String, with_meta => meta: Meta, });
