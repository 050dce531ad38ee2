//! How a step between two revisions reaches every part of a message.

use super::text;
use crate::*;

/// What one step between two revisions does to each kind of part; nothing unless it says so.
///
/// A part is visited before the parts within it.
#[expect(unused_variables, reason = "the names tell what each default ignores")]
pub trait Step {
    /// The receiver is older than this revision: what only senders of it can have said is left out.
    const OLDER_THAN: Option<Revision> = None;

    fn other_members(&self, other: &mut OtherMembers) {
        if let Some(revision) = Self::OLDER_THAN {
            other.drop_since(revision);
        }
    }

    /// Returns the text that stands for a block of an unknown kind, if the receiver must not get the block.
    fn other_content(&self, content: &mut OtherContent) -> Option<TextContent> {
        Self::OLDER_THAN.filter(|revision| content.sender >= *revision).map(|_| text::of_other(content))
    }

    fn any_result(&self, result: &mut AnyResult) {}
    fn implementation(&self, implementation: &mut Implementation) {}
    fn client_capabilities(&self, capabilities: &mut ClientCapabilities) {}
    fn server_capabilities(&self, capabilities: &mut ServerCapabilities) {}
    fn cache(&self, ttl_ms: &mut Option<u64>, scope: &mut Option<CacheScope>) {}
    fn inputs(&self, responses: &mut Option<InputResponses>, state: &mut Option<String>) {}
    fn task_request(&self, task: &mut Option<TaskMetadata>) {}
    fn tool(&self, tool: &mut Tool) {}
    fn call_tool_result(&self, result: &mut CallToolResult) {}
    fn resource(&self, resource: &mut Resource) {}
    fn resource_template(&self, template: &mut ResourceTemplate) {}
    fn resource_contents(&self, contents: &mut ResourceContents) {}
    fn prompt(&self, prompt: &mut Prompt) {}
    fn prompt_argument(&self, argument: &mut PromptArgument) {}
    fn complete_params(&self, params: &mut CompleteParams) {}
    fn content(&self, content: &mut ContentBlock) {}
    fn annotations(&self, annotations: &mut Annotations) {}
    fn create_message_params(&self, params: &mut CreateMessageParams) {}
    fn sampling_message(&self, message: &mut SamplingMessage) {}
    fn create_message_result(&self, result: &mut CreateMessageResult) {}
    fn sampling_block(&self, block: &mut SamplingContentBlock) {}
    fn elicit_params(&self, params: &mut ElicitParams) {}
    fn elicit_result(&self, result: &mut ElicitResult) {}
    fn root(&self, root: &mut Root) {}
    fn list_roots_result(&self, result: &mut ListRootsResult) {}
    fn progress(&self, progress: &mut ProgressParams) {}
}

/// A message, or a part of one, that can be adapted to a revision with [`adapt`](crate::adapt).
pub trait Adapt {
    #[doc(hidden)]
    fn walk<S: Step>(&mut self, step: &S);
}

impl<T: Adapt> Adapt for Option<T> {
    #[inline]
    fn walk<S: Step>(&mut self, step: &S) {
        if let Some(value) = self {
            value.walk(step);
        }
    }
}

impl<T: Adapt> Adapt for Vec<T> {
    #[inline]
    fn walk<S: Step>(&mut self, step: &S) {
        for value in self {
            value.walk(step);
        }
    }
}

impl<T: Adapt> Adapt for Box<T> {
    #[inline]
    fn walk<S: Step>(&mut self, step: &S) {
        (**self).walk(step);
    }
}

/// Parts without a name of their own in [`Step`]: only what is within them is visited.
macro_rules! within {
    ($( $type:ty { $( $field:ident ),* } )+) => { $(
        impl Adapt for $type {
            #[inline]
            fn walk<S: Step>(&mut self, _step: &S) {
                $( self.$field.walk(_step); )*
            }
        }
    )+ };
}

/// Parts that a step knows, and what is within them.
macro_rules! visited {
    ($( $type:ty: $visit:ident { $( $field:ident ),* } )+) => { $(
        impl Adapt for $type {
            #[inline]
            fn walk<S: Step>(&mut self, step: &S) {
                step.$visit(self);
                $( self.$field.walk(step); )*
            }
        }
    )+ };
}

/// Results that may be cached, and what is within them.
macro_rules! cached {
    ($( $type:ty { $( $field:ident ),* } )+) => { $(
        impl Adapt for $type {
            fn walk<S: Step>(&mut self, step: &S) {
                step.cache(&mut self.ttl_ms, &mut self.cache_scope);
                $( self.$field.walk(step); )*
            }
        }
    )+ };
}

visited! {
    Implementation: implementation { icons }
    ClientCapabilities: client_capabilities {}
    ServerCapabilities: server_capabilities {}
    Tool: tool { annotations, icons, execution, other }
    CallToolResult: call_tool_result { content, other }
    Resource: resource { annotations, icons, other }
    ResourceTemplate: resource_template { annotations, icons, other }
    Prompt: prompt { arguments, icons, other }
    PromptArgument: prompt_argument { other }
    CompleteParams: complete_params {}
    Annotations: annotations { other }
    SamplingMessage: sampling_message { content }
    CreateMessageResult: create_message_result { content }
    ElicitResult: elicit_result {}
    Root: root {}
    ListRootsResult: list_roots_result { roots }
    ProgressParams: progress {}
}

within! {
    EmptyParams {}
    EmptyResult {}
    ListParams {}
    CompleteResult { other }
    ToolAnnotations { other }
    ToolExecution { other }
    Icon { other }
    TextContent { annotations, other }
    ImageContent { annotations, other }
    AudioContent { annotations, other }
    ListenResult {}
    Task {}
    ListTasksResult {}
    CreateTaskResult {}
    TaskHandle {}
    InitializeParams { capabilities, client_info }
    InitializeResult { capabilities, server_info }
    GetPromptResult { messages, other }
    PromptMessage { content, other }
    SubscribeParams {}
    UnsubscribeParams {}
    SetLevelParams {}
    ListenParams {}
    TaskParams {}
    UpdateTaskParams {}
    CancelledParams {}
    LoggingMessageParams {}
    ResourceUpdatedParams {}
    SubscriptionsAcknowledgedParams {}
    ElicitationCompleteParams {}
}

cached! {
    DiscoverResult { capabilities }
    ReadResourceResult { contents, other }
    ListToolsResult { tools }
    ListResourcesResult { resources }
    ListResourceTemplatesResult { resource_templates }
    ListPromptsResult { prompts }
}

impl Adapt for AnyResult {
    #[inline]
    fn walk<S: Step>(&mut self, step: &S) {
        step.any_result(self);
        match self {
            Self::CallTool(result) => result.walk(step),
            Self::GetPrompt(result) => result.walk(step),
            Self::ReadResource(result) => result.walk(step),
            Self::ListTools(result) => result.walk(step),
            Self::ListResources(result) => result.walk(step),
            Self::ListResourceTemplates(result) => result.walk(step),
            Self::ListPrompts(result) => result.walk(step),
            Self::Complete(result) => result.walk(step),
            Self::Initialize(result) => result.walk(step),
            Self::Discover(result) => result.walk(step),
            Self::DetailedTask(task) => task.walk(step),
            _ => {}
        }
    }
}

impl Adapt for OtherMembers {
    #[inline]
    fn walk<S: Step>(&mut self, step: &S) {
        if !self.is_empty() {
            step.other_members(self);
        }
    }
}

impl Adapt for ResourceContents {
    #[inline]
    fn walk<S: Step>(&mut self, step: &S) {
        step.resource_contents(self);
        self.other_mut().walk(step);
    }
}

impl Adapt for CallToolParams {
    fn walk<S: Step>(&mut self, step: &S) {
        step.task_request(&mut self.task);
        step.inputs(&mut self.input_responses, &mut self.request_state);
    }
}

impl Adapt for GetPromptParams {
    fn walk<S: Step>(&mut self, step: &S) {
        step.inputs(&mut self.input_responses, &mut self.request_state);
    }
}

impl Adapt for ReadResourceParams {
    fn walk<S: Step>(&mut self, step: &S) {
        step.inputs(&mut self.input_responses, &mut self.request_state);
    }
}

impl Adapt for ContentBlock {
    #[inline]
    fn walk<S: Step>(&mut self, step: &S) {
        step.content(self);
        match self {
            Self::Text(content) => content.walk(step),
            Self::Image(content) => content.walk(step),
            Self::Audio(content) => content.walk(step),
            Self::ResourceLink(link) => link.walk(step),
            Self::Resource(content) => {
                content.annotations.walk(step);
                content.resource.walk(step);
                content.other.walk(step);
            }
            Self::Other(content) => {
                if let Some(text) = step.other_content(content) {
                    *self = text.into();
                }
            }
        }
    }
}

impl Adapt for CreateMessageParams {
    fn walk<S: Step>(&mut self, step: &S) {
        step.create_message_params(self);
        step.task_request(&mut self.task);
        self.messages.walk(step);
        self.tools.walk(step);
    }
}

impl Adapt for SamplingContent {
    fn walk<S: Step>(&mut self, step: &S) {
        for block in self.blocks_mut() {
            block.walk(step);
        }
    }
}

impl Adapt for SamplingContentBlock {
    fn walk<S: Step>(&mut self, step: &S) {
        step.sampling_block(self);
        match self {
            Self::Text(content) => content.walk(step),
            Self::Image(content) => content.walk(step),
            Self::Audio(content) => content.walk(step),
            Self::ToolResult(result) => {
                result.content.walk(step);
                result.other.walk(step);
            }
            Self::ToolUse(content) => content.other.walk(step),
            Self::Other(content) => {
                if let Some(text) = step.other_content(content) {
                    *self = text.into();
                }
            }
        }
    }
}

impl Adapt for ElicitParams {
    fn walk<S: Step>(&mut self, step: &S) {
        step.elicit_params(self);
        step.task_request(self.task_mut());
    }
}

impl Adapt for InputRequest {
    fn walk<S: Step>(&mut self, step: &S) {
        match self {
            Self::CreateMessage(params) => params.walk(step),
            Self::ListRoots(_) => {}
            Self::Elicit(params) => params.walk(step),
        }
    }
}

impl Adapt for InputRequired {
    fn walk<S: Step>(&mut self, step: &S) {
        for request in self.input_requests.iter_mut().flat_map(|requests| requests.values_mut()) {
            request.walk(step);
        }
    }
}

impl Adapt for DetailedTask {
    fn walk<S: Step>(&mut self, step: &S) {
        if let TaskState::InputRequired(requests) = &mut self.state {
            for request in requests.values_mut() {
                request.walk(step);
            }
        }
    }
}
