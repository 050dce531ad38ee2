//! Completion of prompt and template arguments while a person types.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::Meta;

model! {
    /// The parameters of `completion/complete`.
    CompleteParams {
        /// What the argument belongs to.
        r#ref: Reference,
        /// The argument as far as it was typed.
        argument: CompletionArgument,
        ;
        /// What is known already; since 2025-06-18.
        context: CompletionContext,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

model! {
    /// An argument as far as it was typed.
    CompletionArgument {
        /// Its name.
        name: String,
        /// Its value so far.
        value: String,
    }
}

options! {
    /// What is known already while an argument is completed.
    CompletionContext {
        /// The other arguments that have been filled in.
        arguments: BTreeMap<String, String>,
    }
}

/// What an argument belongs to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum Reference {
    /// A prompt.
    #[serde(rename = "ref/prompt")]
    Prompt(PromptReference),
    /// A resource template; before 2025-06-18 the specification calls it a resource.
    #[serde(rename = "ref/resource")]
    Resource(ResourceTemplateReference),
}

model! {
    /// Names a prompt.
    PromptReference {
        /// The prompt's name.
        name: String,
        ;
        /// The prompt's name, for people; since 2025-06-18.
        title: String,
    }
}

model! {
    /// Names a resource template, or a resource, by its URI.
    ResourceTemplateReference {
        /// The template or URI.
        uri: String,
    }
}

impl Reference {
    /// Refers to a prompt.
    pub fn prompt(name: impl Into<String>) -> Self {
        Self::Prompt(PromptReference::new(name))
    }

    /// Refers to a resource template.
    pub fn resource(uri: impl Into<String>) -> Self {
        Self::Resource(ResourceTemplateReference::new(uri))
    }
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Any {
            r#type: String,
            name: Option<String>,
            title: Option<String>,
            uri: Option<String>,
        }

        use crate::content::need;
        let any = Any::deserialize(deserializer)?;
        match any.r#type.as_str() {
            "ref/prompt" => Ok(Self::Prompt(PromptReference { name: need(any.name, "name")?, title: any.title })),
            "ref/resource" => Ok(Self::resource(need(any.uri, "uri")?)),
            other => Err(serde::de::Error::unknown_variant(other, &["ref/prompt", "ref/resource"])),
        }
    }
}

open_model! {
    /// The answer to `completion/complete`.
    CompleteResult {
        /// The proposals.
        completion: Completion,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

model! {
    /// Proposals for an argument.
    Completion {
        /// The proposals, at most 100, best first.
        values: Vec<String>,
        ;
        /// How many there are in all.
        #[serde(deserialize_with = "crate::number::optional_count")]
        total: u64,
        /// There are more than these.
        has_more: bool,
    }
}

impl Completion {
    /// The most values one answer may carry.
    pub const MAX_VALUES: usize = 100;
}
