//! Sampling: a server asks the client's model.

use serde::{Deserialize, Serialize};

use crate::{JsonObject, Meta, Role, SamplingContent, TaskMetadata, Tool};

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

impl SamplingMessage {
    /// Makes a text of the person.
    pub fn user(text: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::new(Role::User, SamplingContent::One(crate::SamplingContentBlock::Text(crate::TextContent::new(text))))
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
