//! Between 2025-06-18 and 2025-11-25: icons, tasks, sampling with tools, pages and richer forms in elicitation.

use serde_json::Value;

use super::{Step, text};
use crate::*;

/// What a value of 2025-11-25 becomes for a peer of 2025-06-18.
pub(super) struct Older;

impl Step for Older {
    const OLDER_THAN: Option<Revision> = Some(Revision::V2025_11_25);

    fn implementation(&self, implementation: &mut Implementation) {
        implementation.icons = None;
        implementation.description = None;
        implementation.website_url = None;
    }

    fn client_capabilities(&self, capabilities: &mut ClientCapabilities) {
        capabilities.tasks = None;
        if let Some(sampling) = &mut capabilities.sampling {
            *sampling = SamplingCapability::default();
        }
        // There are only forms; who has none has no elicitation.
        capabilities.elicitation = capabilities
            .elicitation
            .take()
            .filter(ElicitationCapability::has_forms)
            .map(|_| ElicitationCapability::default());
    }

    fn server_capabilities(&self, capabilities: &mut ServerCapabilities) {
        capabilities.tasks = None;
    }

    fn task_request(&self, task: &mut Option<TaskMetadata>) {
        *task = None;
    }

    fn tool(&self, tool: &mut Tool) {
        tool.icons = None;
        tool.execution = None;
    }

    fn resource(&self, resource: &mut Resource) {
        resource.icons = None;
    }

    fn resource_template(&self, template: &mut ResourceTemplate) {
        template.icons = None;
    }

    fn prompt(&self, prompt: &mut Prompt) {
        prompt.icons = None;
    }

    fn create_message_params(&self, params: &mut CreateMessageParams) {
        params.tools = None;
        params.tool_choice = None;
        if params.messages.iter().any(|message| matches!(message.content, SamplingContent::Many(_))) {
            params.messages = std::mem::take(&mut params.messages).into_iter().flat_map(one_block_each).collect();
        }
    }

    fn sampling_message(&self, message: &mut SamplingMessage) {
        message.meta = None;
    }

    fn create_message_result(&self, result: &mut CreateMessageResult) {
        if let SamplingContent::Many(blocks) = &mut result.content {
            let mut blocks = std::mem::take(blocks);
            blocks.iter_mut().for_each(|block| self.sampling_block(block));
            result.content = SamplingContent::One(text::joined(blocks));
        }
    }

    fn sampling_block(&self, block: &mut SamplingContentBlock) {
        match block {
            SamplingContentBlock::ToolUse(tool_use) => *block = text::of_tool_use(tool_use).into(),
            SamplingContentBlock::ToolResult(result) => *block = text::of_tool_result(result).into(),
            _ => {}
        }
    }

    fn elicit_params(&self, params: &mut ElicitParams) {
        if let ElicitParams::Form(form) = params {
            form.mode = None;
            form.requested_schema.dialect = None;
            form.requested_schema.properties.iter_mut().for_each(|(_, field)| older_field(field));
        }
    }

    fn elicit_result(&self, result: &mut ElicitResult) {
        for value in result.content.iter_mut().flat_map(JsonObject::values_mut) {
            if let Value::Array(items) = value {
                let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                *value = items.join(", ").into();
            }
        }
    }
}

/// A message has one block there: several become several messages of the same role.
fn one_block_each(message: SamplingMessage) -> Vec<SamplingMessage> {
    match message.content {
        SamplingContent::One(_) => vec![message],
        SamplingContent::Many(blocks) => {
            blocks.into_iter().map(|block| SamplingMessage::new(message.role, block)).collect()
        }
    }
}

/// Only a field for yes or no has a default there; text has no pattern; names of choices have another form; and there is no choice of several
/// values, so the person is asked to type them, separated by commas. [`ElicitSchema::read_back`] understands the answer.
fn older_field(field: &mut PrimitiveSchema) {
    match field {
        PrimitiveSchema::String(f) => (f.default, f.pattern) = (None, None),
        PrimitiveSchema::Number(f) => f.default = None,
        PrimitiveSchema::Boolean(_) => {}
        PrimitiveSchema::SingleSelect(f) => {
            f.default = None;
            if let Choices::Titled(choices) = &mut f.choices {
                f.choices = {
                    let pairs = std::mem::take(choices).into_iter().map(|choice| (choice.r#const, choice.title));
                    let (values, names) = pairs.unzip();
                    Choices::Named(values, names)
                };
            }
        }
        PrimitiveSchema::MultiSelect(f) => {
            let values: Vec<&str> = f.choices.values().collect();
            let hint = format!("any of these, separated by commas: {}", values.join(", "));
            let description = match f.description.take() {
                Some(description) => format!("{description} ({hint})"),
                None => hint,
            };
            let mut words = StringSchema::default().with_description(description);
            words.title = f.title.take();
            *field = words.into();
        }
    }
}
