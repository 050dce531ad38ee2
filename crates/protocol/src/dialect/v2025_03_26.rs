//! Between 2025-03-26 and 2025-06-18: structured output, resource links, titles, elicitation, `_meta` on parts.

use super::{Step, text};
use crate::*;

/// What a value of 2025-06-18 becomes for a peer of 2025-03-26.
pub(super) struct Older;

impl Step for Older {
    const OLDER_THAN: Option<Revision> = Some(Revision::V2025_06_18);

    fn implementation(&self, implementation: &mut Implementation) {
        implementation.title = None;
    }

    fn client_capabilities(&self, capabilities: &mut ClientCapabilities) {
        capabilities.elicitation = None;
    }

    fn tool(&self, tool: &mut Tool) {
        tool.meta = None;
        tool.output_schema = None;
        if let Some(title) = tool.title.take() {
            tool.annotations.get_or_insert_default().title.get_or_insert(title);
        }
    }

    fn call_tool_result(&self, result: &mut CallToolResult) {
        if let Some(data) = result.structured_content.take() {
            text::instead_of_data(data, &mut result.content);
        }
    }

    fn resource(&self, resource: &mut Resource) {
        resource.meta = None;
        title_as_description(&mut resource.title, &mut resource.description);
    }

    fn resource_template(&self, template: &mut ResourceTemplate) {
        template.meta = None;
        title_as_description(&mut template.title, &mut template.description);
    }

    fn resource_contents(&self, contents: &mut ResourceContents) {
        *contents.meta_mut() = None;
    }

    fn prompt(&self, prompt: &mut Prompt) {
        prompt.meta = None;
        title_as_description(&mut prompt.title, &mut prompt.description);
    }

    fn prompt_argument(&self, argument: &mut PromptArgument) {
        title_as_description(&mut argument.title, &mut argument.description);
    }

    fn complete_params(&self, params: &mut CompleteParams) {
        params.context = None;
        if let Reference::Prompt(prompt) = &mut params.r#ref {
            prompt.title = None;
        }
    }

    fn content(&self, content: &mut ContentBlock) {
        match content {
            ContentBlock::Text(content) => content.meta = None,
            ContentBlock::Image(content) => content.meta = None,
            ContentBlock::Audio(content) => content.meta = None,
            ContentBlock::Resource(content) => content.meta = None,
            ContentBlock::ResourceLink(link) => *content = text::of_link(link).into(),
            // It became a text at the first border that it could not cross.
            ContentBlock::Other(_) => {}
        }
    }

    fn sampling_block(&self, block: &mut SamplingContentBlock) {
        match block {
            SamplingContentBlock::Text(content) => content.meta = None,
            SamplingContentBlock::Image(content) => content.meta = None,
            SamplingContentBlock::Audio(content) => content.meta = None,
            // These have become texts at the border before.
            SamplingContentBlock::ToolUse(_) | SamplingContentBlock::ToolResult(_) | SamplingContentBlock::Other(_) => {
            }
        }
    }

    fn annotations(&self, annotations: &mut Annotations) {
        annotations.last_modified = None;
    }

    fn root(&self, root: &mut Root) {
        root.meta = None;
    }
}

/// A title has no place there; it serves as the description where there is none.
fn title_as_description(title: &mut Option<String>, description: &mut Option<String>) {
    if let Some(title) = title.take() {
        description.get_or_insert(title);
    }
}
