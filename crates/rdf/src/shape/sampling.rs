//! Sampling and roots: what a server asks of a client.

use jackfield_protocol::Revision::V2025_11_25;
use jackfield_protocol::{IncludeContext, ToolChoiceMode};

use super::content::roles;
use super::kind::Kind::{Any, Boolean, Count, List, Number, Object, Of, OneOrList, Text, Word, Words};
use super::kind::{META, REQUEST_META, RESULT_META, Shape, may, must};

fn contexts() -> Vec<&'static str> {
    IncludeContext::ALL.iter().map(|context| context.as_str()).collect()
}

fn modes() -> Vec<&'static str> {
    ToolChoiceMode::ALL.iter().map(|mode| mode.as_str()).collect()
}

pub(super) const SHAPES: &[Shape] = &[
    Shape::new(
        "CreateMessageParams",
        "the parameters of sampling/createMessage",
        &[
            must("messages", List(&Of("SamplingMessage")), "the conversation so far"),
            must("maxTokens", Count, "the most tokens that the model may produce"),
            may("modelPreferences", Of("ModelPreferences"), "which model to prefer"),
            may("systemPrompt", Text, "the system prompt"),
            may("includeContext", Words(contexts), "which servers' context to add"),
            may("temperature", Number, "the temperature"),
            may("stopSequences", List(&Text), "texts that end the answer"),
            may("metadata", Object, "what only the model's provider understands"),
            may("tools", List(&Of("Tool")), "the tools that the model may use").since(V2025_11_25),
            may("toolChoice", Of("ToolChoice"), "whether the model must use them").since(V2025_11_25),
            may("task", Of("TaskMetadata"), "asks for a task").only(V2025_11_25),
            REQUEST_META.until(V2025_11_25),
        ],
    ),
    Shape::new(
        "ModelPreferences",
        "which model a server prefers",
        &[
            may("hints", List(&Of("ModelHint")), "names or parts of names of models, best first"),
            may("costPriority", Number, "how much cost matters"),
            may("speedPriority", Number, "how much speed matters"),
            may("intelligencePriority", Number, "how much intelligence matters"),
        ],
    ),
    Shape::new("ModelHint", "a hint at a model", &[may("name", Text, "a model's name or a part of it")]),
    Shape::new("ToolChoice", "whether the model must use tools", &[may("mode", Words(modes), "whether it must")])
        .since(V2025_11_25),
    Shape::new(
        "SamplingMessage",
        "one message of a conversation",
        &[
            must("role", Words(roles), "who says it"),
            must("content", OneOrList(&Of("SamplingContentBlock")), "what is said"),
            may("_meta", Object, "anything else").since(V2025_11_25),
        ],
    ),
    Shape::choice(
        "SamplingContentBlock",
        "one piece of content in a conversation",
        &["TextContent", "ImageContent", "AudioContent", "ToolUseContent", "ToolResultContent"],
    ),
    Shape::new(
        "ToolUseContent",
        "the model wants to use a tool",
        &[
            must("type", Word("tool_use"), "says that it is the use of a tool"),
            must("id", Text, "names this use"),
            must("name", Text, "the tool's name"),
            must("input", Object, "the arguments"),
            META,
        ],
    )
    .since(V2025_11_25),
    Shape::new(
        "ToolResultContent",
        "what a tool said",
        &[
            must("type", Word("tool_result"), "says that it is a tool's answer"),
            must("toolUseId", Text, "the use that this answers"),
            must("content", List(&Of("ContentBlock")), "what it said"),
            may("structuredContent", Any, "what it said, as data"),
            may("isError", Boolean, "the tool failed"),
            META,
        ],
    )
    .since(V2025_11_25),
    Shape::new(
        "CreateMessageResult",
        "the model's message",
        &[
            must("role", Words(roles), "who says it"),
            must("content", OneOrList(&Of("SamplingContentBlock")), "what is said"),
            must("model", Text, "the model that said it"),
            may("stopReason", Text, "why it ended"),
            RESULT_META,
        ],
    ),
    Shape::new(
        "Root",
        "a folder or file that a server may work in",
        &[must("uri", Text, "its URI"), may("name", Text, "its name, for people"), META],
    ),
    Shape::new(
        "ListRootsResult",
        "the roots of a client",
        &[must("roots", List(&Of("Root")), "the roots"), RESULT_META.until(V2025_11_25)],
    ),
];
