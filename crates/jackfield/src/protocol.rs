//! Messages of the protocol. The newest revision is the native form of every type; peers of older revisions read and write what theirs has.

pub use jackfield_protocol::error::code;
pub use jackfield_protocol::meta::key as meta_key;
pub use jackfield_protocol::{AnyResult, ErrorObject, Method, ProgressToken, RequestId, Revision, UnknownRevision};

pub use jackfield_protocol::{
    Annotations, AudioContent, BlobResourceContents, ContentBlock, EmbeddedResource, Icon, IconTheme, ImageContent,
    JsonObject, Meta, OtherContent, OtherMembers, RawJson, ResourceContents, ResourceLink, Role, Schema, TextContent,
    TextResourceContents,
};
pub use jackfield_protocol::{
    BadToolName, CallToolParams, CallToolResult, ListToolsResult, TaskSupport, Tool, ToolAnnotations, ToolExecution,
};
pub use jackfield_protocol::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams, ReadResourceResult, Resource,
    ResourceTemplate, ResourceUpdatedParams, SubscribeParams,
};

pub use jackfield_protocol::{
    GetPromptParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage,
};

pub use jackfield_protocol::{
    CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionContext, PromptReference, Reference,
    ResourceTemplateReference,
};

pub use jackfield_protocol::{
    BooleanSchema, Choice, Choices, ElicitAction, ElicitFormParams, ElicitParams, ElicitResult, ElicitSchema,
    ElicitUrlParams, ElicitationCompleteParams, FormMode, FormProblem, MultiSelectSchema, NumberSchema,
    PrimitiveSchema, SingleSelectSchema, StringFormat, StringSchema, UrlMode,
};
pub use jackfield_protocol::{
    CreateMessageParams, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences, SamplingContent,
    SamplingContentBlock, SamplingMessage, ToolChoice, ToolChoiceMode, ToolResultContent, ToolUseContent,
};
pub use jackfield_protocol::{
    InputRequest, InputRequests, InputRequired, InputResponse, InputResponses, ListRootsParams, ListRootsResult,
    Outcome, Root,
};

pub use jackfield_protocol::{
    CancelTaskResult, CreateTaskResult, DetailedTask, GetTaskResult, ListTasksResult, Task, TaskHandle, TaskMetadata,
    TaskPayload, TaskState, TaskStatus, TaskStatusParams,
};

pub use jackfield_protocol::{
    CacheScope, ClientCapabilities, ClientTaskRequests, ClientTasksCapability, DiscoverResult, ElicitationCapability,
    ElicitationTaskRequests, Implementation, InitializeParams, InitializeResult, PromptsCapability,
    ResourcesCapability, RootsCapability, SKILLS_EXTENSION, SamplingCapability, SamplingTaskRequests,
    ServerCapabilities, ServerTaskRequests, ServerTasksCapability, Settings, TASKS_EXTENSION, ToolTaskRequests,
    ToolsCapability,
};
pub use jackfield_protocol::{
    CancelledParams, CustomMessage, ListenParams, LoggingLevel, LoggingMessageParams, ProgressParams,
    SubscriptionFilter, TraceContext, TraceParent,
};
