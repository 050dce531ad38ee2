//! Lists in pages, and how long they may be kept.

use crate::{Meta, Prompt, Resource, ResourceTemplate, Tool};

words! {
    /// Who may share a cached result; since 2026-07-28.
    CacheScope {
        /// Everyone gets the same result.
        Public = "public",
        /// The result is for this caller only.
        Private = "private",
    }
}

options! {
    /// The parameters of every list request.
    ListParams {
        /// Where the page begins: the `nextCursor` of the page before.
        cursor: String,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

/// The parameters of `tools/list`.
pub type ListToolsParams = ListParams;
/// The parameters of `resources/list`.
pub type ListResourcesParams = ListParams;
/// The parameters of `resources/templates/list`.
pub type ListResourceTemplatesParams = ListParams;
/// The parameters of `prompts/list`.
pub type ListPromptsParams = ListParams;
/// The parameters of `tasks/list`; only 2025-11-25.
pub type ListTasksParams = ListParams;

macro_rules! list_result {
    ($method:literal, $name:ident, $items:ident : $item:ty) => {
        model! {
            #[doc = concat!("The answer to `", $method, "`: one page.")]
            $name {
                /// The items of this page.
                $items: Vec<$item>,
                ;
                /// Where the next page begins; absent on the last one.
                next_cursor: String,
                /// How many milliseconds the page stays fresh; since 2026-07-28.
                #[serde(deserialize_with = "crate::number::optional_count")]
                ttl_ms: u64,
                /// Who may share the page; since 2026-07-28.
                cache_scope: CacheScope,
                /// Anything else.
                #[serde(rename = "_meta")]
                meta: Meta,
            }
        }
    };
}

list_result!("tools/list", ListToolsResult, tools: Tool);
list_result!("resources/list", ListResourcesResult, resources: Resource);
list_result!("resources/templates/list", ListResourceTemplatesResult, resource_templates: ResourceTemplate);
list_result!("prompts/list", ListPromptsResult, prompts: Prompt);
