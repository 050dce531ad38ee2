//! Resources: what a server lets others read.

use serde::{Deserialize, Deserializer, Serialize};

use crate::other_members::capture;
use crate::raw::Text;
use crate::{Annotations, CacheScope, Icon, InputResponses, Meta, OtherMembers};

open_model! {
    /// Something that can be read by its URI.
    Resource {
        /// Its URI.
        uri: String,
        /// Its name, for programs.
        name: String,
        ;
        /// Its name, for people; since 2025-06-18.
        title: String,
        /// What it is, for a model.
        description: String,
        /// Its MIME type.
        mime_type: String,
        /// Images for it; since 2025-11-25.
        icons: Vec<Icon>,
        /// Its size in bytes before any encoding.
        #[serde(deserialize_with = "crate::number::optional_count")]
        size: u64,
        /// Hints for whoever uses it.
        annotations: Annotations,
        /// Anything else; since 2025-06-18.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(Resource {
    with_title => title: String,
    with_description => description: String,
    with_mime_type => mime_type: String,
    with_icons => icons: Vec<Icon>,
    with_size => size: u64,
    with_annotations => annotations: Annotations,
    with_meta => meta: Meta,
});

open_model! {
    /// A family of resources: a URI template (RFC 6570).
    ResourceTemplate {
        /// The template.
        uri_template: String,
        /// Its name, for programs.
        name: String,
        ;
        /// Its name, for people; since 2025-06-18.
        title: String,
        /// What its resources are, for a model.
        description: String,
        /// The MIME type that all its resources have.
        mime_type: String,
        /// Images for it; since 2025-11-25.
        icons: Vec<Icon>,
        /// Hints for whoever uses it.
        annotations: Annotations,
        /// Anything else; since 2025-06-18.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(ResourceTemplate {
    with_title => title: String,
    with_description => description: String,
    with_mime_type => mime_type: String,
    with_icons => icons: Vec<Icon>,
    with_annotations => annotations: Annotations,
    with_meta => meta: Meta,
});

/// What a resource holds: text, or bytes in base64.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum ResourceContents {
    /// Text.
    Text(TextResourceContents),
    /// Bytes.
    Blob(BlobResourceContents),
}

open_model! {
    /// A resource's contents as text.
    TextResourceContents {
        /// The resource's URI.
        uri: String,
        /// The text.
        text: Text,
        ;
        /// The MIME type.
        mime_type: String,
        /// Anything else; since 2025-06-18.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(TextResourceContents { with_mime_type => mime_type: String, with_meta => meta: Meta, });

open_model! {
    /// A resource's contents as bytes.
    BlobResourceContents {
        /// The resource's URI.
        uri: String,
        /// The bytes in base64.
        blob: Text,
        ;
        /// The MIME type.
        mime_type: String,
        /// Anything else; since 2025-06-18.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

setters!(BlobResourceContents { with_mime_type => mime_type: String, with_meta => meta: Meta, });

impl ResourceContents {
    /// Makes contents of text.
    pub fn text(uri: impl Into<String>, text: impl Into<Text>) -> Self {
        Self::Text(TextResourceContents::new(uri, text))
    }

    /// Makes contents of base64 data.
    pub fn blob(uri: impl Into<String>, blob: impl Into<Text>) -> Self {
        Self::Blob(BlobResourceContents::new(uri, blob))
    }

    /// Returns the resource's URI.
    #[must_use]
    pub fn uri(&self) -> &str {
        match self {
            Self::Text(contents) => &contents.uri,
            Self::Blob(contents) => &contents.uri,
        }
    }

    /// Returns the text, if the contents are one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(contents) => Some(&contents.text),
            Self::Blob(_) => None,
        }
    }

    /// Returns the MIME type.
    #[must_use]
    pub fn mime_type(&self) -> Option<&str> {
        match self {
            Self::Text(contents) => contents.mime_type.as_deref(),
            Self::Blob(contents) => contents.mime_type.as_deref(),
        }
    }

    /// Gives the contents a MIME type.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        match &mut self {
            Self::Text(contents) => contents.mime_type = Some(mime_type.into()),
            Self::Blob(contents) => contents.mime_type = Some(mime_type.into()),
        }
        self
    }

    /// Returns the `_meta` member.
    #[must_use]
    pub fn meta(&self) -> Option<&Meta> {
        match self {
            Self::Text(contents) => contents.meta.as_ref(),
            Self::Blob(contents) => contents.meta.as_ref(),
        }
    }

    pub(crate) fn other(&self) -> &OtherMembers {
        match self {
            Self::Text(contents) => &contents.other,
            Self::Blob(contents) => &contents.other,
        }
    }

    pub(crate) fn other_mut(&mut self) -> &mut OtherMembers {
        match self {
            Self::Text(contents) => &mut contents.other,
            Self::Blob(contents) => &mut contents.other,
        }
    }

    pub(crate) fn meta_mut(&mut self) -> &mut Option<Meta> {
        match self {
            Self::Text(contents) => &mut contents.meta,
            Self::Blob(contents) => &mut contents.meta,
        }
    }
}

impl From<TextResourceContents> for ResourceContents {
    fn from(contents: TextResourceContents) -> Self {
        Self::Text(contents)
    }
}

impl From<BlobResourceContents> for ResourceContents {
    fn from(contents: BlobResourceContents) -> Self {
        Self::Blob(contents)
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Any {
            uri: String,
            mime_type: Option<String>,
            text: Option<Text>,
            blob: Option<Text>,
            #[serde(rename = "_meta")]
            meta: Option<Meta>,
        }

        let (Any { uri, mime_type, text, blob, meta }, other) = capture(deserializer)?;
        match (text, blob) {
            (Some(text), _) => Ok(Self::Text(TextResourceContents { uri, text, mime_type, meta, other })),
            (None, Some(blob)) => Ok(Self::Blob(BlobResourceContents { uri, blob, mime_type, meta, other })),
            (None, None) => Err(serde::de::Error::custom("resource contents need `text` or `blob`")),
        }
    }
}

model! {
    /// The parameters of `resources/read`.
    ReadResourceParams {
        /// The resource's URI.
        uri: String,
        ;
        /// Answers to the questions of an earlier `input_required` result; since 2026-07-28.
        input_responses: InputResponses,
        /// The state of that result, unchanged; since 2026-07-28.
        request_state: String,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

open_model! {
    /// The answer to `resources/read`.
    ReadResourceResult {
        /// The resource's contents, or those of the resources in it.
        contents: Vec<ResourceContents>,
        ;
        /// How many milliseconds it stays fresh; since 2026-07-28.
        #[serde(deserialize_with = "crate::number::optional_count")]
        ttl_ms: u64,
        /// Who may share it; since 2026-07-28.
        cache_scope: CacheScope,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

model! {
    /// The parameters of `resources/subscribe`; until 2025-11-25.
    SubscribeParams {
        /// The resource's URI.
        uri: String,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

model! {
    /// The parameters of `resources/unsubscribe`; until 2025-11-25.
    UnsubscribeParams {
        /// The resource's URI.
        uri: String,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

model! {
    /// The parameters of `notifications/resources/updated`.
    ResourceUpdatedParams {
        /// The URI of the resource that changed, or of one within it.
        uri: String,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}
