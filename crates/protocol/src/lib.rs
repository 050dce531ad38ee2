//! The Model Context Protocol as data: every message of every released revision, JSON-RPC, and the steps between
//! neighbouring revisions. This crate performs no I/O.

#[macro_use]
mod model;

pub mod envelope;
pub mod error;
mod id;
pub mod json;
mod method;
mod revision;

mod number;
mod other_members;
mod raw;

mod annotations;
mod capabilities;
mod completion;
mod content;
mod elicitation;
mod elicitation_check;
mod elicitation_format;
mod elicitation_schema;
mod elicitation_wire;
mod icon;
mod input;
mod lifecycle;
mod list;
mod logging;
pub mod meta;
mod progress;
mod prompt;
mod resource;
mod roots;
mod sampling;
mod sampling_content;
mod sampling_rules;
mod skill;
mod subscription;
mod task;
mod task_extension;
mod tool;
mod trace;
pub mod uri;
mod x_mcp_header;

mod by_hand;
mod dialect;
mod encode;
mod notification;
mod outcome;
mod request;
mod result;
mod write_result;

pub use error::ErrorObject;
pub use id::{ProgressToken, RequestId};
pub use method::{Direction, Kind, Method, Row};
pub use revision::{Revision, UnknownRevision};

pub use annotations::{Annotations, Role};
pub use capabilities::{
    ClientCapabilities, ClientTaskRequests, ClientTasksCapability, ElicitationCapability, ElicitationTaskRequests,
    PromptsCapability, ResourcesCapability, RootsCapability, SamplingCapability, SamplingTaskRequests,
    ServerCapabilities, ServerTaskRequests, ServerTasksCapability, Settings, ToolTaskRequests, ToolsCapability,
};
pub use completion::{
    CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionContext, PromptReference, Reference,
    ResourceTemplateReference,
};
pub use content::{
    AudioContent, ContentBlock, EmbeddedResource, ImageContent, OtherContent, ResourceLink, TextContent,
};
pub use dialect::{Adapt, adapt, note_sender};
pub use elicitation::{
    ElicitAction, ElicitFormParams, ElicitParams, ElicitResult, ElicitUrlParams, ElicitationCompleteParams, FormMode,
    UrlMode,
};
pub use elicitation_check::FormProblem;
pub use elicitation_schema::{
    BooleanSchema, Choice, Choices, ElicitSchema, MultiSelectSchema, NumberSchema, PrimitiveSchema, SingleSelectSchema,
    StringFormat, StringSchema,
};
pub use encode::{CallerMeta, NotInRevision};
pub use icon::{Icon, IconTheme};
pub use input::{InputRequest, InputRequests, InputRequired, InputResponse, InputResponses};
pub use lifecycle::{
    DiscoverParams, DiscoverResult, EmptyParams, EmptyResult, Implementation, InitializeParams, InitializeResult,
    ListRootsParams, PingParams,
};
pub use list::{
    CacheScope, ListParams, ListPromptsParams, ListPromptsResult, ListResourceTemplatesParams,
    ListResourceTemplatesResult, ListResourcesParams, ListResourcesResult, ListTasksParams, ListToolsParams,
    ListToolsResult,
};
pub use logging::{LoggingLevel, LoggingMessageParams, SetLevelParams};
pub use meta::{JsonObject, Meta};
pub use notification::{Notification, write_notification};
pub use other_members::OtherMembers;
pub use outcome::{Outcome, ReadError};
pub use progress::{CancelledParams, ProgressParams};
pub use prompt::{GetPromptParams, GetPromptResult, Prompt, PromptArgument, PromptMessage};
pub use raw::{RawJson, Schema};
pub use request::{ClientRequest, CustomMessage, ServerRequest, write_request, write_server_request};
pub use resource::{
    BlobResourceContents, ReadResourceParams, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
    ResourceUpdatedParams, SubscribeParams, TextResourceContents, UnsubscribeParams,
};
pub use result::{AnyResult, ResultBody};
pub use roots::{ListRootsResult, Root};
pub use sampling::{
    CreateMessageParams, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences, SamplingMessage, ToolChoice,
    ToolChoiceMode,
};
pub use sampling_content::{SamplingContent, SamplingContentBlock, ToolResultContent, ToolUseContent};
pub use skill::{
    DIRECTORY_MIME_TYPE, GET_SKILL, GetSkillParams, GetSkillResult, LIST_SKILLS, ListSkillsParams, ListSkillsResult,
    READ_DIRECTORY, ReadDirectoryParams, ReadDirectoryResult, SKILLS_EXTENSION, SkillEntry, SkillFile, SkillResources,
};
pub use subscription::{ListenParams, ListenResult, SubscriptionFilter, SubscriptionsAcknowledgedParams};
pub use task::{
    CancelTaskParams, CancelTaskResult, CreateTaskResult, GetTaskParams, GetTaskResult, ListTasksResult, Task,
    TaskMetadata, TaskParams, TaskPayload, TaskResultParams, TaskStatus, TaskStatusParams,
};
pub use task_extension::{DetailedTask, TASKS_EXTENSION, TaskHandle, TaskState, UpdateTaskParams};
pub use tool::{
    BadToolName, CallToolParams, CallToolResult, TaskSupport, Tool, ToolAnnotations, ToolExecution, check_tool_name,
};
pub use trace::{TraceContext, TraceParent};
pub use write_result::{ClientResult, write_client_result, write_result};
pub use x_mcp_header::{
    BadParamHeader, HEADER_PREFIX, ParamHeader, ParamKind, X_MCP_HEADER, decode_header, encode_header, param_headers,
};
