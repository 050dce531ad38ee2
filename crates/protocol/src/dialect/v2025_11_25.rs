//! Between 2025-11-25 and 2026-07-28: the protocol becomes stateless, questions become results, tasks an extension.

use super::{Step, schema, text};
use crate::*;

/// What a value of 2026-07-28 becomes for a peer of 2025-11-25.
pub(super) struct Older;

impl Step for Older {
    const OLDER_THAN: Option<Revision> = Some(Revision::V2026_07_28);

    // The older `tasks/get` tells the state only; the result is asked for with `tasks/result`.
    fn any_result(&self, result: &mut AnyResult) {
        if let AnyResult::DetailedTask(task) = result {
            *result = AnyResult::from(Task::from(TaskHandle::from((**task).clone())));
        }
    }

    fn client_capabilities(&self, capabilities: &mut ClientCapabilities) {
        capabilities.extensions = None;
    }

    fn server_capabilities(&self, capabilities: &mut ServerCapabilities) {
        capabilities.extensions = None;
    }

    fn cache(&self, ttl_ms: &mut Option<u64>, scope: &mut Option<CacheScope>) {
        *ttl_ms = None;
        *scope = None;
    }

    fn inputs(&self, responses: &mut Option<InputResponses>, state: &mut Option<String>) {
        *responses = None;
        *state = None;
    }

    fn tool(&self, tool: &mut Tool) {
        schema::without_boolean_properties(&mut tool.input_schema);
        tool.output_schema = tool.output_schema.take().filter(schema::is_object);
        if let Some(output) = &mut tool.output_schema {
            schema::without_boolean_properties(output);
        }
    }

    fn call_tool_result(&self, result: &mut CallToolResult) {
        if let Some(data) = result.structured_content.take_if(|data| !data.is_object()) {
            text::instead_of_data(data, &mut result.content);
        }
    }

    fn sampling_block(&self, block: &mut SamplingContentBlock) {
        if let SamplingContentBlock::ToolResult(result) = block
            && let Some(data) = result.structured_content.take_if(|data| !data.is_object())
        {
            text::instead_of_data(data, &mut result.content);
        }
    }
}

/// What a value of 2025-11-25 becomes for a peer of 2026-07-28.
pub(super) struct Newer;

impl Step for Newer {
    fn any_result(&self, result: &mut AnyResult) {
        let AnyResult::Task(task) = result else { return };
        let state = match task.status {
            TaskStatus::Working => TaskState::Working,
            TaskStatus::Cancelled => TaskState::Cancelled,
            // The older task does not carry what these states bring.
            TaskStatus::InputRequired | TaskStatus::Completed | TaskStatus::Failed => return,
        };
        *result = AnyResult::from(DetailedTask::new((**task).clone().into(), state));
    }

    fn client_capabilities(&self, capabilities: &mut ClientCapabilities) {
        capabilities.tasks = None;
        if let Some(roots) = &mut capabilities.roots {
            roots.list_changed = None;
        }
    }

    fn server_capabilities(&self, capabilities: &mut ServerCapabilities) {
        capabilities.tasks = None;
    }

    // Both are required there. Without a word of the author nothing may be kept.
    fn cache(&self, ttl_ms: &mut Option<u64>, scope: &mut Option<CacheScope>) {
        ttl_ms.get_or_insert(0);
        scope.get_or_insert(CacheScope::Private);
    }

    fn task_request(&self, task: &mut Option<TaskMetadata>) {
        *task = None;
    }

    fn tool(&self, tool: &mut Tool) {
        tool.execution = None;
    }

    // Questions are parts of a result there, and neither they nor most answers have `_meta`.
    fn create_message_params(&self, params: &mut CreateMessageParams) {
        params.meta = None;
    }

    fn elicit_params(&self, params: &mut ElicitParams) {
        *params.meta_mut() = None;
        if let ElicitParams::Url(page) = params {
            page.elicitation_id = None;
        }
    }

    fn elicit_result(&self, result: &mut ElicitResult) {
        result.meta = None;
    }

    fn list_roots_result(&self, result: &mut ListRootsResult) {
        result.meta = None;
    }
}
