//! Elicitation: a server asks the person through the client.

use serde::{Deserialize, Deserializer, Serialize};

use crate::content::need;
use crate::{ElicitSchema, JsonObject, Meta, TaskMetadata};

/// The parameters of `elicitation/create`: a form to fill in, or a page to visit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ElicitParams {
    /// A form.
    Form(ElicitFormParams),
    /// A page; since 2025-11-25.
    Url(ElicitUrlParams),
}

model! {
    /// Asks the person to fill in a form.
    ElicitFormParams {
        /// What to tell the person.
        message: String,
        /// The fields.
        requested_schema: ElicitSchema,
        ;
        /// Says that it is a form; since 2025-11-25, and assumed if absent.
        mode: FormMode,
        /// Asks for a task; only 2025-11-25.
        task: TaskMetadata,
        /// Anything else; until 2025-11-25.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

words! {
    /// The `mode` of a form.
    FormMode {
        /// A form.
        Form = "form",
    }
}

model! {
    /// Asks the person to visit a page, for what must not pass through the client.
    ElicitUrlParams {
        /// Says that it is a page.
        mode: UrlMode,
        /// What to tell the person.
        message: String,
        /// The page.
        url: String,
        ;
        /// Names this question in the notice of its completion; only 2025-11-25, where it is required.
        elicitation_id: String,
        /// Asks for a task; only 2025-11-25.
        task: TaskMetadata,
        /// Anything else; until 2025-11-25.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

words! {
    /// The `mode` of a page.
    UrlMode {
        /// A page.
        Url = "url",
    }
}

impl ElicitParams {
    /// Asks the person to fill in a form.
    pub fn form(message: impl Into<String>, requested_schema: ElicitSchema) -> Self {
        let mut form = ElicitFormParams::new(message, requested_schema);
        form.mode = Some(FormMode::Form);
        Self::Form(form)
    }

    /// Asks the person to visit a page.
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self::Url(ElicitUrlParams::new(UrlMode::Url, message, url))
    }

    /// Returns what to tell the person.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Form(form) => &form.message,
            Self::Url(page) => &page.message,
        }
    }

    /// Returns `_meta`.
    pub fn meta_mut(&mut self) -> &mut Option<Meta> {
        match self {
            Self::Form(form) => &mut form.meta,
            Self::Url(page) => &mut page.meta,
        }
    }

    /// Returns the wish for a task; only 2025-11-25.
    pub fn task_mut(&mut self) -> &mut Option<TaskMetadata> {
        match self {
            Self::Form(form) => &mut form.task,
            Self::Url(page) => &mut page.task,
        }
    }
}

impl<'de> Deserialize<'de> for ElicitParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Any {
            mode: Option<String>,
            message: String,
            requested_schema: Option<ElicitSchema>,
            url: Option<String>,
            elicitation_id: Option<String>,
            task: Option<TaskMetadata>,
            #[serde(rename = "_meta")]
            meta: Option<Meta>,
        }

        let Any { mode, message, requested_schema, url, elicitation_id, task, meta } = Any::deserialize(deserializer)?;
        match mode.as_deref() {
            None | Some("form") => Ok(Self::Form(ElicitFormParams {
                message,
                requested_schema: need(requested_schema, "requestedSchema")?,
                mode: mode.map(|_| FormMode::Form),
                task,
                meta,
            })),
            Some("url") => {
                let url = need(url, "url")?;
                Ok(Self::Url(ElicitUrlParams { mode: UrlMode::Url, message, url, elicitation_id, task, meta }))
            }
            Some(other) => Err(serde::de::Error::unknown_variant(other, &["form", "url"])),
        }
    }
}

words! {
    /// What the person did.
    ElicitAction {
        /// Answered.
        Accept = "accept",
        /// Said no.
        Decline = "decline",
        /// Went away without deciding.
        Cancel = "cancel",
    }
}

model! {
    /// The answer to `elicitation/create`.
    ElicitResult {
        /// What the person did.
        action: ElicitAction,
        ;
        /// What was filled in; only for an accepted form. Values are strings, numbers, booleans or arrays of strings.
        content: JsonObject,
        /// Anything else; until 2025-11-25.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(ElicitResult { with_content => content: JsonObject, });

model! {
    /// The parameters of `notifications/elicitation/complete`; only 2025-11-25.
    ElicitationCompleteParams {
        /// The question that is complete.
        elicitation_id: String,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}
