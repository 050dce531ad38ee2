//! Which shapes the parameters and results of each method have.

use jackfield_protocol::{Method, Revision};

/// The shapes of a method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    pub(crate) params: &'static str,
    /// The parameters may be left out.
    pub(crate) optional: bool,
    /// The result of a request; `None` if it may be any object.
    pub(crate) result: Option<&'static str>,
}

const fn new(params: &'static str, result: &'static str) -> Body {
    Body { params, optional: false, result: Some(result) }
}

const fn optional(params: &'static str, result: &'static str) -> Body {
    Body { optional: true, ..new(params, result) }
}

const fn notice(params: &'static str) -> Body {
    Body { params, optional: false, result: None }
}

const EMPTY_NOTICE: Body = Body { params: "NoticeParams", optional: true, result: None };

/// Returns the shapes of a method in a revision.
pub(crate) fn body(method: Method, revision: Revision) -> Body {
    match method {
        Method::Initialize => new("InitializeParams", "InitializeResult"),
        Method::Discover => optional("EmptyParams", "DiscoverResult"),
        Method::CallTool => new("CallToolParams", "CallToolResult"),
        Method::ListTools => optional("ListParams", "ListToolsResult"),
        Method::ListResources => optional("ListParams", "ListResourcesResult"),
        Method::ListResourceTemplates => optional("ListParams", "ListResourceTemplatesResult"),
        Method::ReadResource => new("ReadResourceParams", "ReadResourceResult"),
        Method::Subscribe | Method::Unsubscribe => new("ResourceParams", "EmptyResult"),
        Method::ListPrompts => optional("ListParams", "ListPromptsResult"),
        Method::GetPrompt => new("GetPromptParams", "GetPromptResult"),
        Method::Complete => new("CompleteParams", "CompleteResult"),
        Method::SetLevel => new("SetLevelParams", "EmptyResult"),
        Method::Listen => new("ListenParams", "EmptyResult"),
        Method::CreateMessage => new("CreateMessageParams", "CreateMessageResult"),
        Method::ListRoots => optional("EmptyParams", "ListRootsResult"),
        Method::Elicit => new("ElicitParams", "ElicitResult"),
        Method::GetTask if revision.has_core_tasks() => new("TaskParams", "Task"),
        Method::GetTask => new("TaskParams", "DetailedTask"),
        Method::TaskResult => notice("TaskParams"),
        Method::ListTasks => optional("ListParams", "ListTasksResult"),
        Method::CancelTask if revision.has_core_tasks() => new("TaskParams", "Task"),
        Method::CancelTask => new("TaskParams", "EmptyResult"),
        Method::UpdateTask => new("UpdateTaskParams", "EmptyResult"),
        Method::Cancelled => notice("CancelledParams"),
        Method::Progress => notice("ProgressParams"),
        Method::LogMessage => notice("LoggingMessageParams"),
        Method::ResourceUpdated => notice("ResourceUpdatedParams"),
        Method::SubscriptionsAcknowledged => notice("SubscriptionsAcknowledgedParams"),
        Method::ElicitationComplete => notice("ElicitationCompleteParams"),
        Method::TaskStatus => notice("Task"),
        Method::TaskChanged => notice("DetailedTask"),
        Method::Ping => optional("EmptyParams", "EmptyResult"),
        // Initialized, and the notices that a list changed; methods that come later are written here when they come.
        _ => EMPTY_NOTICE,
    }
}
