//! Requests for a model's answer. There is no model here: the person answers, or refuses.

use std::io;

use jackfield::protocol::code;
use jackfield::protocol::{
    CreateMessageParams, CreateMessageResult, ErrorObject, Role, SamplingContentBlock, TextContent,
};

use super::dialogue::{Dialogue, Typed};
use crate::show::one_line;

/// Shows the request and lets the person type the model's answer.
pub(crate) fn answer(
    dialogue: &mut Dialogue<'_>,
    who: &str,
    request: &CreateMessageParams,
) -> io::Result<Result<CreateMessageResult, ErrorObject>> {
    let heading = format!("\n{} asks for a model's answer (at most {} tokens):", one_line(who), request.max_tokens);
    dialogue.say(&dialogue.style.heading(&heading))?;
    if let Some(system) = &request.system_prompt {
        dialogue.say("system:")?;
        dialogue.quote(system)?;
    }
    for message in &request.messages {
        dialogue.say(&format!("{}:", message.role))?;
        for block in message.content.blocks() {
            dialogue.quote(&shown(block))?;
        }
    }
    dialogue.say(&dialogue.style.aside("Type the answer and end it with an empty line. An empty answer refuses."))?;
    let mut lines = Vec::new();
    while let Typed::Line(line) = dialogue.ask("> ")? {
        if line.is_empty() {
            break;
        }
        lines.push(line);
    }
    Ok(if lines.is_empty() { Err(refusal()) } else { Ok(reply(lines.join("\n"))) })
}

/// Makes an answer of a text.
pub(crate) fn reply(text: String) -> CreateMessageResult {
    CreateMessageResult::new(Role::Assistant, TextContent::new(text), "human").with_stop_reason("endTurn")
}

/// What the server is told when the person refuses.
pub(crate) fn refusal() -> ErrorObject {
    ErrorObject::new(code::USER_REJECTED, "the user rejected the sampling request")
}

fn shown(block: &SamplingContentBlock) -> String {
    match block {
        SamplingContentBlock::Text(text) => text.text.to_string(),
        SamplingContentBlock::Image(image) => format!("[image {}]", image.mime_type),
        SamplingContentBlock::Audio(audio) => format!("[audio {}]", audio.mime_type),
        SamplingContentBlock::ToolUse(usage) => format!("[uses the tool {}: {}]", usage.name, usage.input.get()),
        SamplingContentBlock::ToolResult(result) => {
            let texts = result.content.iter().filter_map(jackfield::protocol::ContentBlock::as_text);
            format!("[result of a tool: {}]", texts.collect::<Vec<_>>().join("\n"))
        }
        _ => "[content of an unknown kind]".to_owned(),
    }
}
