//! Who the two sides are, what they can do, and what every message may carry.

use jackfield_protocol::LoggingLevel;
use jackfield_protocol::Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

use super::content::{ICONS, TITLE};
use super::kind::Kind::{Any, Boolean, Id, Integer, List, Map, Object, Of, Text, Words};
use super::kind::{CACHE_SCOPE, Member, NOTICE_META, REQUEST_META, RESULT_META, RESULT_TYPE, Shape, TTL_MS, may, must};

pub(super) fn levels() -> Vec<&'static str> {
    LoggingLevel::ALL.iter().map(|level| level.as_str()).collect()
}

const EXPERIMENTAL: Member = may("experimental", Map(&Object), "features outside the specification");
const EXTENSIONS: Member = may("extensions", Map(&Object), "extensions by identifier").since(V2026_07_28);
const LIST_CHANGED: Member = may("listChanged", Boolean, "it tells when the list changes");
const INSTRUCTIONS: Member = may("instructions", Text, "how to use the server, for a model");

pub(super) const SHAPES: &[Shape] = &[
    Shape::new(
        "Implementation",
        "the name and version of a client or server",
        &[
            must("name", Text, "its name, for programs"),
            must("version", Text, "its version"),
            TITLE,
            may("description", Text, "what it is").since(V2025_11_25),
            may("websiteUrl", Text, "its home page").since(V2025_11_25),
            ICONS,
        ],
    ),
    Shape::new(
        "ClientCapabilities",
        "what a client can do",
        &[
            EXPERIMENTAL,
            may("roots", Of("RootsCapability"), "it has roots"),
            may("sampling", Of("SamplingCapability"), "it lets servers ask its model"),
            may("elicitation", Of("ElicitationCapability"), "it lets servers ask the person").since(V2025_06_18),
            may("tasks", Of("ClientTasksCapability"), "it runs requests as tasks").only(V2025_11_25),
            EXTENSIONS,
        ],
    ),
    Shape::new("RootsCapability", "how a client has roots", &[LIST_CHANGED.until(V2025_11_25)]),
    Shape::new(
        "SamplingCapability",
        "how a client lets servers ask its model",
        &[
            may("context", Object, "it can add context of servers").since(V2025_11_25),
            may("tools", Object, "it lets the model use the server's tools").since(V2025_11_25),
        ],
    ),
    Shape::new(
        "ElicitationCapability",
        "how a client lets servers ask the person",
        &[
            may("form", Object, "by forms").since(V2025_11_25),
            may("url", Object, "by pages to visit").since(V2025_11_25),
        ],
    )
    .since(V2025_06_18),
    Shape::new(
        "ServerCapabilities",
        "what a server can do",
        &[
            EXPERIMENTAL,
            may("logging", Object, "it sends log messages"),
            may("completions", Object, "it completes arguments").since(V2025_03_26),
            may("prompts", Of("PromptsCapability"), "it has prompts"),
            may("resources", Of("ResourcesCapability"), "it has resources"),
            may("tools", Of("ToolsCapability"), "it has tools"),
            may("tasks", Of("ServerTasksCapability"), "it runs requests as tasks").only(V2025_11_25),
            EXTENSIONS,
        ],
    ),
    Shape::new("PromptsCapability", "how a server has prompts", &[LIST_CHANGED]),
    Shape::new(
        "ResourcesCapability",
        "how a server has resources",
        &[may("subscribe", Boolean, "it tells when a resource changes"), LIST_CHANGED],
    ),
    Shape::new("ToolsCapability", "how a server has tools", &[LIST_CHANGED]),
    Shape::new(
        "InitializeParams",
        "the parameters of initialize",
        &[
            must("protocolVersion", Text, "the newest revision that the client speaks"),
            must("capabilities", Of("ClientCapabilities"), "what the client can do"),
            must("clientInfo", Of("Implementation"), "who the client is"),
            REQUEST_META,
        ],
    )
    .until(V2025_11_25),
    Shape::new(
        "InitializeResult",
        "the answer to initialize",
        &[
            must("protocolVersion", Text, "the revision of this connection"),
            must("capabilities", Of("ServerCapabilities"), "what the server can do"),
            must("serverInfo", Of("Implementation"), "who the server is"),
            INSTRUCTIONS,
            RESULT_META,
        ],
    )
    .until(V2025_11_25),
    Shape::new(
        "DiscoverResult",
        "the answer to server/discover",
        &[
            RESULT_TYPE,
            must("supportedVersions", List(&Text), "the revisions that the server speaks"),
            must("capabilities", Of("ServerCapabilities"), "what the server can do"),
            INSTRUCTIONS,
            TTL_MS,
            CACHE_SCOPE,
            RESULT_META,
        ],
    )
    .since(V2026_07_28),
    Shape::new("EmptyParams", "the parameters of a message that has none of its own", &[REQUEST_META]),
    Shape::new("NoticeParams", "the parameters of a notification that has none of its own", &[NOTICE_META]),
    Shape::new("EmptyResult", "a result that says only that the request succeeded", &[RESULT_TYPE, RESULT_META]),
    Shape::new(
        "RequestMeta",
        "what is attached to a request",
        &[
            may("progressToken", Id, "the token under which progress notifications are wanted"),
            may("io.modelcontextprotocol/protocolVersion", Text, "the revision of the request").since(V2026_07_28),
            may("io.modelcontextprotocol/clientInfo", Of("Implementation"), "who asks").since(V2026_07_28),
            may(
                "io.modelcontextprotocol/clientCapabilities",
                Of("ClientCapabilities"),
                "what the asking client can do",
            )
            .since(V2026_07_28),
            may("io.modelcontextprotocol/logLevel", Words(levels), "the least level of log messages wanted")
                .since(V2026_07_28),
            may("io.modelcontextprotocol/related-task", Any, "the task that the message belongs to").only(V2025_11_25),
        ],
    )
    .open(),
    Shape::new(
        "NotificationMeta",
        "what is attached to a notification",
        &[
            may("io.modelcontextprotocol/subscriptionId", Id, "the listen request that a notification belongs to")
                .since(V2026_07_28),
            may("io.modelcontextprotocol/related-task", Any, "the task that the message belongs to").only(V2025_11_25),
        ],
    )
    .open(),
    Shape::new(
        "ResultMeta",
        "what is attached to a result",
        &[may("io.modelcontextprotocol/serverInfo", Of("Implementation"), "who answers").since(V2026_07_28)],
    )
    .open(),
    Shape::new(
        "Error",
        "why a request failed",
        &[
            must("code", Integer, "what kind of error"),
            must("message", Text, "what happened, for a person"),
            may("data", Any, "further facts"),
        ],
    ),
    Shape::new(
        "LoggingMessageParams",
        "the parameters of notifications/message",
        &[
            must("level", Words(levels), "how severe it is"),
            must("data", Any, "what is said"),
            may("logger", Text, "which part says it"),
            NOTICE_META,
        ],
    ),
    Shape::new(
        "SetLevelParams",
        "the parameters of logging/setLevel",
        &[must("level", Words(levels), "the least level that is wanted"), REQUEST_META],
    )
    .until(V2025_11_25),
];
