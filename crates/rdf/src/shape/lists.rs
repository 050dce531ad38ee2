//! Tools, prompts, resources and completion: what is listed, called, read and got.

use jackfield_protocol::CacheScope;
use jackfield_protocol::Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

use super::content::{ICONS, TITLE, roles};
use super::kind::Kind::{Any, Boolean, Count, Id, List, Map, Number, Object, Of, Text, Word, Words};
use super::kind::{
    CACHE_SCOPE, META, Member, NOTICE_META, REQUEST_META, RESULT_META, RESULT_TYPE, Shape, TTL_MS, may, must,
};

pub(super) fn cache_scopes() -> Vec<&'static str> {
    CacheScope::ALL.iter().map(|scope| scope.as_str()).collect()
}

const NAME: Member = must("name", Text, "its name, for programs");
const DESCRIPTION: Member = may("description", Text, "what it is for");
const NEXT_CURSOR: Member = may("nextCursor", Text, "where the next page begins");
const INPUT_RESPONSES: Member =
    may("inputResponses", Map(&Of("InputResponse")), "answers to the questions of an earlier result")
        .since(V2026_07_28);
const REQUEST_STATE: Member = may("requestState", Text, "the state of that result, unchanged").since(V2026_07_28);
const URI: Member = must("uri", Text, "the resource's URI");

pub(super) const SHAPES: &[Shape] = &[
    Shape::new(
        "Tool",
        "something that a server lets a model do",
        &[
            NAME,
            must("inputSchema", Object, "what it takes: a JSON Schema"),
            TITLE,
            DESCRIPTION,
            may("outputSchema", Object, "what its structured output looks like: a JSON Schema").since(V2025_06_18),
            may("annotations", Of("ToolAnnotations"), "hints about its behaviour").since(V2025_03_26),
            ICONS,
            may("execution", Of("ToolExecution"), "how it runs").only(V2025_11_25),
            META,
        ],
    ),
    Shape::new(
        "ToolAnnotations",
        "hints about a tool's behaviour",
        &[
            may("title", Text, "its name, for people"),
            may("readOnlyHint", Boolean, "it changes nothing"),
            may("destructiveHint", Boolean, "it may destroy something"),
            may("idempotentHint", Boolean, "calling it twice does no more than calling it once"),
            may("openWorldHint", Boolean, "it deals with the world outside"),
        ],
    )
    .since(V2025_03_26),
    Shape::new(
        "CallToolParams",
        "the parameters of tools/call",
        &[
            must("name", Text, "the tool's name"),
            may("arguments", Object, "the arguments"),
            may("task", Of("TaskMetadata"), "asks for a task").only(V2025_11_25),
            INPUT_RESPONSES,
            REQUEST_STATE,
            REQUEST_META,
        ],
    ),
    Shape::new(
        "CallToolResult",
        "the answer to tools/call",
        &[
            RESULT_TYPE,
            must("content", List(&Of("ContentBlock")), "what the tool says"),
            may("structuredContent", Any, "what the tool says, as data").since(V2025_06_18),
            may("isError", Boolean, "the tool failed"),
            RESULT_META,
        ],
    ),
    Shape::new(
        "ListParams",
        "the parameters of every list request",
        &[may("cursor", Text, "where the page begins"), REQUEST_META],
    ),
    Shape::new(
        "ListToolsResult",
        "a page of tools",
        &[
            RESULT_TYPE,
            must("tools", List(&Of("Tool")), "the tools of this page"),
            NEXT_CURSOR,
            TTL_MS,
            CACHE_SCOPE,
            RESULT_META,
        ],
    ),
    Shape::new(
        "ListResourcesResult",
        "a page of resources",
        &[
            RESULT_TYPE,
            must("resources", List(&Of("Resource")), "the resources of this page"),
            NEXT_CURSOR,
            TTL_MS,
            CACHE_SCOPE,
            RESULT_META,
        ],
    ),
    Shape::new(
        "ListResourceTemplatesResult",
        "a page of resource templates",
        &[
            RESULT_TYPE,
            must("resourceTemplates", List(&Of("ResourceTemplate")), "the templates of this page"),
            NEXT_CURSOR,
            TTL_MS,
            CACHE_SCOPE,
            RESULT_META,
        ],
    ),
    Shape::new(
        "ListPromptsResult",
        "a page of prompts",
        &[
            RESULT_TYPE,
            must("prompts", List(&Of("Prompt")), "the prompts of this page"),
            NEXT_CURSOR,
            TTL_MS,
            CACHE_SCOPE,
            RESULT_META,
        ],
    ),
    Shape::new(
        "ReadResourceParams",
        "the parameters of resources/read",
        &[URI, INPUT_RESPONSES, REQUEST_STATE, REQUEST_META],
    ),
    Shape::new(
        "ReadResourceResult",
        "the answer to resources/read",
        &[
            RESULT_TYPE,
            must("contents", List(&Of("ResourceContents")), "the resource's contents"),
            TTL_MS,
            CACHE_SCOPE,
            RESULT_META,
        ],
    ),
    Shape::new("ResourceParams", "the parameters of requests about one resource", &[URI, REQUEST_META])
        .until(V2025_11_25),
    Shape::new("ResourceUpdatedParams", "the parameters of notifications/resources/updated", &[URI, NOTICE_META]),
    Shape::new(
        "Prompt",
        "messages that a server prepares for a person to use",
        &[
            NAME,
            TITLE,
            DESCRIPTION,
            may("arguments", List(&Of("PromptArgument")), "what can be filled in"),
            ICONS,
            META,
        ],
    ),
    Shape::new(
        "PromptArgument",
        "something to fill in",
        &[NAME, TITLE, may("description", Text, "what it means"), may("required", Boolean, "whether it must be given")],
    ),
    Shape::new(
        "PromptMessage",
        "one message of a prompt",
        &[must("role", Words(roles), "who says it"), must("content", Of("ContentBlock"), "what is said")],
    ),
    Shape::new(
        "GetPromptParams",
        "the parameters of prompts/get",
        &[
            must("name", Text, "the prompt's name"),
            may("arguments", Map(&Text), "what was filled in"),
            INPUT_RESPONSES,
            REQUEST_STATE,
            REQUEST_META,
        ],
    ),
    Shape::new(
        "GetPromptResult",
        "the answer to prompts/get",
        &[RESULT_TYPE, must("messages", List(&Of("PromptMessage")), "the messages"), DESCRIPTION, RESULT_META],
    ),
    Shape::new(
        "CompleteParams",
        "the parameters of completion/complete",
        &[
            must("ref", Of("Reference"), "what the argument belongs to"),
            must("argument", Of("CompletionArgument"), "the argument as far as it was typed"),
            may("context", Of("CompletionContext"), "what is known already").since(V2025_06_18),
            REQUEST_META,
        ],
    ),
    Shape::choice("Reference", "what an argument belongs to", &["PromptReference", "ResourceTemplateReference"]),
    Shape::new(
        "PromptReference",
        "names a prompt",
        &[must("type", Word("ref/prompt"), "says that it is a prompt"), must("name", Text, "the prompt's name"), TITLE],
    ),
    Shape::new(
        "ResourceTemplateReference",
        "names a resource or a template",
        &[must("type", Word("ref/resource"), "says that it is a resource"), must("uri", Text, "the URI or template")],
    ),
    Shape::new(
        "CompletionArgument",
        "an argument as far as it was typed",
        &[must("name", Text, "its name"), must("value", Text, "its value so far")],
    ),
    Shape::new(
        "CompletionContext",
        "what is known already while an argument is completed",
        &[may("arguments", Map(&Text), "the other arguments that have been filled in")],
    )
    .since(V2025_06_18),
    Shape::new(
        "CompleteResult",
        "the answer to completion/complete",
        &[RESULT_TYPE, must("completion", Of("Completion"), "the proposals"), RESULT_META],
    ),
    Shape::new(
        "Completion",
        "proposals for an argument",
        &[
            must("values", List(&Text), "the proposals, best first"),
            may("total", Count, "how many there are in all"),
            may("hasMore", Boolean, "there are more than these"),
        ],
    ),
    Shape::new(
        "CancelledParams",
        "the parameters of notifications/cancelled",
        &[may("requestId", Id, "the request that is no longer wanted"), may("reason", Text, "why"), NOTICE_META],
    ),
    Shape::new(
        "ProgressParams",
        "the parameters of notifications/progress",
        &[
            must("progressToken", Id, "the request's token"),
            must("progress", Number, "how much is done"),
            may("total", Number, "how much there is to do"),
            may("message", Text, "what is going on").since(V2025_03_26),
            NOTICE_META,
        ],
    ),
    Shape::new(
        "ListenParams",
        "the parameters that open a listen stream",
        &[must("notifications", Of("SubscriptionFilter"), "which notices are wanted"), REQUEST_META],
    )
    .since(V2026_07_28),
    Shape::new(
        "SubscriptionsAcknowledgedParams",
        "the parameters of the first message of a listen stream",
        &[must("notifications", Of("SubscriptionFilter"), "which notices will be sent"), NOTICE_META],
    )
    .since(V2026_07_28),
    Shape::new(
        "SubscriptionFilter",
        "which notices are wanted",
        &[
            may("toolsListChanged", Boolean, "the list of tools changed"),
            may("promptsListChanged", Boolean, "the list of prompts changed"),
            may("resourcesListChanged", Boolean, "the list of resources changed"),
            may("resourceSubscriptions", List(&Text), "one of these resources changed"),
            may("taskIds", List(&Text), "one of these tasks changed"),
        ],
    )
    .since(V2026_07_28),
    Shape::new(
        "ToolExecution",
        "how a tool runs",
        &[may("taskSupport", Words(super::tasks::task_supports), "whether it may or must be called as a task")],
    )
    .only(V2025_11_25),
];
