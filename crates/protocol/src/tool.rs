//! Tools: what a server lets a model do.

use crate::{ContentBlock, Icon, InputResponses, Meta, RawJson, Schema, TaskMetadata};

open_model! {
    /// A tool as it is listed.
    Tool {
        /// Its name, for programs.
        name: String,
        /// What it takes: a JSON Schema whose root is an object.
        input_schema: Schema,
        ;
        /// Its name, for people; since 2025-06-18.
        title: String,
        /// What it does, for a model.
        description: String,
        /// What its structured output looks like; since 2025-06-18, any type since 2026-07-28.
        output_schema: Schema,
        /// Hints about its behaviour; since 2025-03-26.
        annotations: ToolAnnotations,
        /// Images for it; since 2025-11-25.
        icons: Vec<Icon>,
        /// Whether it runs as a task; only 2025-11-25.
        execution: ToolExecution,
        /// Anything else; since 2025-06-18.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(Tool {
    with_title => title: String,
    with_description => description: String,
    with_output_schema => output_schema: Schema,
    with_annotations => annotations: ToolAnnotations,
    with_icons => icons: Vec<Icon>,
    with_execution => execution: ToolExecution,
    with_meta => meta: Meta,
});

open_options! {
    /// Hints about a tool's behaviour. They may be wrong: trust them as far as the server is trusted.
    ToolAnnotations {
        /// Its name, for people.
        title: String,
        /// It changes nothing.
        read_only_hint: bool,
        /// It may destroy something; assumed if absent.
        destructive_hint: bool,
        /// Calling it twice with the same arguments does no more than calling it once.
        idempotent_hint: bool,
        /// It deals with the world outside; assumed if absent.
        open_world_hint: bool,
    }
}

setters!(ToolAnnotations {
    with_title => title: String,
    with_read_only => read_only_hint: bool,
    with_destructive => destructive_hint: bool,
    with_idempotent => idempotent_hint: bool,
    with_open_world => open_world_hint: bool,
});

open_options! {
    /// How a tool runs; only 2025-11-25.
    ToolExecution {
        /// Whether it may or must be called as a task.
        task_support: TaskSupport,
    }
}

words! {
    /// Whether a tool may or must be called as a task; only 2025-11-25.
    TaskSupport {
        /// It cannot; assumed if nothing is said.
        Forbidden = "forbidden",
        /// It may.
        Optional = "optional",
        /// It must.
        Required = "required",
    }
}

model! {
    /// The parameters of `tools/call`.
    CallToolParams {
        /// The tool's name.
        name: String,
        ;
        /// The arguments: an object.
        #[serde(deserialize_with = "crate::raw::optional_object")]
        arguments: RawJson,
        /// Asks for a task; only 2025-11-25.
        task: TaskMetadata,
        /// Answers to the questions of an earlier `input_required` result; since 2026-07-28.
        input_responses: InputResponses,
        /// The state of that result, unchanged; since 2026-07-28.
        request_state: String,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(CallToolParams { with_arguments => arguments: RawJson, with_meta => meta: Meta, });

open_model! {
    /// The answer to `tools/call`.
    CallToolResult {
        /// What the tool says.
        content: Vec<ContentBlock>,
        ;
        /// What the tool says, as data; since 2025-06-18 an object, since 2026-07-28 any value.
        #[serde(deserialize_with = "crate::raw::present")]
        structured_content: RawJson,
        /// The tool failed; the content says how.
        is_error: bool,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(CallToolResult { with_structured => structured_content: RawJson, with_meta => meta: Meta, });

impl CallToolResult {
    /// Makes a result of one text.
    pub fn text(text: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self::new(vec![ContentBlock::text(text)])
    }

    /// Makes a failure that the model can read.
    pub fn failure(text: impl Into<std::borrow::Cow<'static, str>>) -> Self {
        Self { is_error: Some(true), ..Self::text(text) }
    }

    /// Whether the tool failed.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        self.is_error == Some(true)
    }
}

/// Why a tool name is not a good one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadToolName {
    /// It is empty.
    Empty,
    /// It has more than 128 characters.
    TooLong,
    /// It has a character other than letters and digits of ASCII, `_`, `-` and `.`.
    Character(char),
}

impl std::fmt::Display for BadToolName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => f.write_str("a tool name must not be empty"),
            Self::TooLong => f.write_str("a tool name has at most 128 characters"),
            Self::Character(c) => write!(f, "a tool name must not contain {c:?}; allowed are A-Z a-z 0-9 _ - ."),
        }
    }
}

impl std::error::Error for BadToolName {}

/// Checks a tool name against the rule that names should follow since 2025-11-25.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn check_tool_name(name: &str) -> Result<(), BadToolName> {
    if name.is_empty() {
        return Err(BadToolName::Empty);
    }
    if let Some(c) = name.chars().find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.')) {
        return Err(BadToolName::Character(c));
    }
    if name.len() > 128 { Err(BadToolName::TooLong) } else { Ok(()) }
}
