//! Prompts: messages that a server prepares for a person to use.

use std::collections::BTreeMap;

use crate::{ContentBlock, Icon, InputResponses, Meta, Role};

open_model! {
    /// A prompt as it is listed.
    Prompt {
        /// Its name, for programs.
        name: String,
        ;
        /// Its name, for people; since 2025-06-18.
        title: String,
        /// What it is for.
        description: String,
        /// What can be filled in.
        arguments: Vec<PromptArgument>,
        /// Images for it; since 2025-11-25.
        icons: Vec<Icon>,
        /// Anything else; since 2025-06-18.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(Prompt {
    with_title => title: String,
    with_description => description: String,
    with_arguments => arguments: Vec<PromptArgument>,
    with_icons => icons: Vec<Icon>,
    with_meta => meta: Meta,
});

open_model! {
    /// Something to fill in.
    PromptArgument {
        /// Its name, for programs.
        name: String,
        ;
        /// Its name, for people; since 2025-06-18.
        title: String,
        /// What it means.
        description: String,
        /// Whether it must be given.
        required: bool,
    }
}

setters!(PromptArgument {
    with_title => title: String,
    with_description => description: String,
    with_required => required: bool,
});

open_model! {
    /// One message of a prompt.
    PromptMessage {
        /// Who says it.
        role: Role,
        /// What is said.
        content: ContentBlock,
    }
}

impl PromptMessage {
    /// Makes a message of the person.
    pub fn user(content: impl Into<ContentBlock>) -> Self {
        Self::new(Role::User, content)
    }

    /// Makes a message of the model.
    pub fn assistant(content: impl Into<ContentBlock>) -> Self {
        Self::new(Role::Assistant, content)
    }
}

model! {
    /// The parameters of `prompts/get`.
    GetPromptParams {
        /// The prompt's name.
        name: String,
        ;
        /// What was filled in.
        arguments: BTreeMap<String, String>,
        /// Answers to the questions of an earlier `input_required` result; since 2026-07-28.
        input_responses: InputResponses,
        /// The state of that result, unchanged; since 2026-07-28.
        request_state: String,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(GetPromptParams { with_arguments => arguments: BTreeMap<String, String>, with_meta => meta: Meta, });

open_model! {
    /// The answer to `prompts/get`.
    GetPromptResult {
        /// The messages.
        messages: Vec<PromptMessage>,
        ;
        /// What the prompt is for.
        description: String,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(GetPromptResult { with_description => description: String, with_meta => meta: Meta, });
