//! Saying in words what an older revision has no type for.

use crate::{
    AudioContent, ContentBlock, OtherContent, RawJson, Resource, SamplingContentBlock, TextContent, ToolResultContent,
    ToolUseContent,
};

/// The text that stands for sound.
pub(super) fn of_audio(audio: &mut AudioContent) -> TextContent {
    let bytes = audio.data.len() / 4 * 3;
    let mut text = TextContent::new(format!("[audio: {}, about {bytes} bytes]", audio.mime_type));
    text.annotations = audio.annotations.take();
    text
}

/// The text that stands for a link: name, URI and description.
pub(super) fn of_link(link: &mut Resource) -> TextContent {
    let name = link.title.as_ref().unwrap_or(&link.name);
    let mut words = format!("{name}: {}", link.uri);
    if let Some(description) = &link.description {
        words.push('\n');
        words.push_str(description);
    }
    let mut text = TextContent::new(words);
    text.annotations = link.annotations.take();
    text
}

/// The text that stands for a block of an unknown kind.
pub(super) fn of_other(content: &OtherContent) -> TextContent {
    let kind: String = content.kind().chars().take(100).collect();
    TextContent::new(format!("[content of the kind {kind:?}]"))
}

/// The text that stands for a model's wish to use a tool.
pub(super) fn of_tool_use(tool_use: &ToolUseContent) -> TextContent {
    TextContent::new(format!("[use of tool {}: {}]", tool_use.name, tool_use.input.get()))
}

/// The text that stands for what a tool said.
pub(super) fn of_tool_result(result: &ToolResultContent) -> TextContent {
    let texts: Vec<&str> = result.content.iter().filter_map(ContentBlock::as_text).collect();
    let said = match (&result.structured_content, texts.is_empty()) {
        (Some(data), true) => data.get().to_owned(),
        _ => texts.join("\n"),
    };
    let failed = if result.is_error == Some(true) { "failed with" } else { "said" };
    TextContent::new(format!("[the tool {failed}: {said}]"))
}

/// Puts data that cannot travel as data into the content, unless the content says something already.
pub(super) fn instead_of_data(data: RawJson, content: &mut Vec<ContentBlock>) {
    if content.is_empty() {
        content.push(ContentBlock::text(data.get().to_owned()));
    }
}

/// Joins the blocks of an answer into one, for revisions in which it has only one: all texts, or else the first block.
pub(super) fn joined(mut blocks: Vec<SamplingContentBlock>) -> SamplingContentBlock {
    if blocks.len() == 1 || !blocks.iter().any(|block| matches!(block, SamplingContentBlock::Text(_))) {
        return if blocks.is_empty() { SamplingContentBlock::text("") } else { blocks.swap_remove(0) };
    }
    let mut texts = blocks.into_iter().filter_map(|block| match block {
        SamplingContentBlock::Text(text) => Some(text),
        _ => None,
    });
    let mut all = texts.next().unwrap_or_else(|| TextContent::new(""));
    for text in texts {
        let words = all.text.to_mut();
        words.push('\n');
        words.push_str(&text.text);
    }
    all.into()
}
