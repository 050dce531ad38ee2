//! The rules of a conversation with the client's model, for both sides: what a server may ask, and what it may be answered.

use std::collections::BTreeSet;

use crate::{
    CreateMessageParams, CreateMessageResult, Role, SamplingContentBlock, SamplingMessage, ToolChoiceMode,
    ToolUseContent,
};

impl CreateMessageParams {
    /// Whether the request lets the model use tools, which a client must have declared.
    #[must_use]
    pub fn has_tools(&self) -> bool {
        self.tools.is_some() || self.tool_choice.is_some()
    }

    /// Checks the conversation: the model uses tools, each use is answered by a result in the next message, a message of results
    /// has nothing else, and binary content is base64.
    ///
    /// # Errors
    /// Says what is wrong, to be sent with -32602.
    pub fn check(&self) -> Result<(), &'static str> {
        let mut open: BTreeSet<&str> = BTreeSet::new();
        for message in &self.messages {
            check_blocks(message.content.blocks())?;
            let results = results(message)?;
            if results != open {
                return Err("each tool use must be answered by a result in the next message, and nothing else");
            }
            open = uses(message)?;
        }
        if open.is_empty() { Ok(()) } else { Err("the last message uses a tool whose result is missing") }
    }
}

impl CreateMessageResult {
    /// Returns the tools that the model wants to use.
    pub fn tool_uses(&self) -> impl Iterator<Item = &ToolUseContent> {
        self.content.blocks().iter().filter_map(tool_use)
    }

    /// Checks that the model used only tools that it was given, under different ids.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn check(&self, asked: &CreateMessageParams) -> Result<(), &'static str> {
        check_blocks(self.content.blocks())?;
        let mut ids = BTreeSet::new();
        for tool_use in self.tool_uses() {
            if !asked.tools.iter().flatten().any(|tool| tool.name == tool_use.name) {
                return Err("the model uses a tool that it was not given");
            }
            if !ids.insert(tool_use.id.as_str()) {
                return Err("the model uses two tools under one id");
            }
        }
        Ok(())
    }

    /// Checks what [`check`](Self::check) does, and that the model did as the choice of tools says: with `required` it uses one at
    /// least, with `none` it uses none.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn check_choice(&self, asked: &CreateMessageParams) -> Result<(), &'static str> {
        self.check(asked)?;
        let uses_some = self.tool_uses().next().is_some();
        match asked.tool_choice.as_ref().and_then(|choice| choice.mode) {
            Some(ToolChoiceMode::Required) if !uses_some => Err("the model must use a tool, but used none"),
            Some(ToolChoiceMode::None) if uses_some => Err("the model must not use tools, but used one"),
            _ => Ok(()),
        }
    }
}

/// The uses that a message answers.
fn results(message: &SamplingMessage) -> Result<BTreeSet<&str>, &'static str> {
    let blocks = message.content.blocks();
    let answered: Vec<&str> = blocks.iter().filter_map(answered).collect();
    if !answered.is_empty() && (answered.len() != blocks.len() || message.role != Role::User) {
        return Err("a message with tool results is the user's and has nothing else");
    }
    let (count, answered) = (answered.len(), BTreeSet::from_iter(answered));
    if answered.len() == count { Ok(answered) } else { Err("a tool use has two results") }
}

/// The uses of a message.
fn uses(message: &SamplingMessage) -> Result<BTreeSet<&str>, &'static str> {
    let uses: BTreeSet<&str> =
        message.content.blocks().iter().filter_map(tool_use).map(|one| one.id.as_str()).collect();
    if uses.is_empty() || message.role == Role::Assistant { Ok(uses) } else { Err("only the model uses tools") }
}

fn check_blocks(blocks: &[SamplingContentBlock]) -> Result<(), &'static str> {
    // Either alphabet, with or without padding: who only passes content on need not be stricter than who shows it.
    let is_base64 = |data: &str| data.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/-_=".contains(&b));
    let fits = blocks.iter().all(|block| match block {
        SamplingContentBlock::Image(image) => is_base64(&image.data),
        SamplingContentBlock::Audio(audio) => is_base64(&audio.data),
        SamplingContentBlock::ToolUse(one) => one.input.get().starts_with('{'),
        _ => true,
    });
    if fits { Ok(()) } else { Err("images and sound must be base64, and the input of a tool an object") }
}

fn tool_use(block: &SamplingContentBlock) -> Option<&ToolUseContent> {
    match block {
        SamplingContentBlock::ToolUse(tool_use) => Some(tool_use),
        _ => None,
    }
}

fn answered(block: &SamplingContentBlock) -> Option<&str> {
    match block {
        SamplingContentBlock::ToolResult(result) => Some(&result.tool_use_id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImageContent, RawJson, Schema, Tool, ToolChoice, ToolResultContent};
    use serde_json::json;

    fn using(id: &str) -> SamplingContentBlock {
        SamplingContentBlock::from(ToolUseContent::new(id, "t", RawJson::from(json!({}))))
    }

    fn result(id: &str) -> SamplingContentBlock {
        SamplingContentBlock::from(ToolResultContent::new(id, vec![]))
    }

    fn check(messages: &[(Role, Vec<SamplingContentBlock>)]) -> Result<(), &'static str> {
        let messages = messages.iter().map(|(role, blocks)| SamplingMessage::new(*role, blocks.clone()));
        CreateMessageParams::new(messages.collect::<Vec<_>>(), 5).check()
    }

    /// CLI-020, CLI-021, CLI-022: uses and results of tools come in pairs.
    #[test]
    fn tool_uses_and_results_come_in_pairs() {
        let (user, model) = (Role::User, Role::Assistant);
        let ask = (user, vec![SamplingContentBlock::text("?")]);
        let used = (model, vec![using("1"), using("2")]);
        let both = (user, vec![result("2"), result("1")]);
        assert_eq!(check(&[ask.clone(), used.clone(), both.clone()]), Ok(()));
        assert_eq!(check(&[ask.clone(), used.clone(), both.clone(), ask.clone()]), Ok(()));
        for bad in [
            vec![ask.clone(), used.clone()],
            vec![ask.clone(), used.clone(), ask.clone(), both.clone()],
            vec![ask.clone(), used.clone(), (user, vec![result("1")])],
            vec![ask.clone(), used.clone(), (user, vec![result("1"), result("3")])],
            vec![ask.clone(), used.clone(), (user, vec![result("1"), result("2"), result("2")])],
            vec![ask.clone(), used.clone(), (model, both.1.clone())],
            vec![ask.clone(), used, (user, vec![result("1"), result("2"), SamplingContentBlock::text("and")])],
            vec![both],
            vec![ask, (user, vec![using("1")]), (user, vec![result("1")])],
        ] {
            assert!(check(&bad).is_err(), "{bad:?}");
        }
    }

    /// CLI-034: content that its type forbids is refused, on both sides.
    #[test]
    fn content_is_what_its_type_says() {
        let image = |data: &'static str| (Role::User, vec![ImageContent::new(data, "image/png").into()]);
        assert_eq!(check(&[image("AAAA")]), Ok(()));
        assert!(check(&[image("not base64")]).is_err());
        let text = ToolUseContent::new("1", "t", RawJson::from(json!("text")));
        assert!(check(&[(Role::Assistant, vec![text.into()]), (Role::User, vec![result("1")])]).is_err());
    }

    /// CLI-024: `required` is at least one tool, `none` is none; and the model uses only what it was given.
    #[test]
    fn the_model_keeps_to_its_tools() {
        let tool = Tool::new("t", Schema::new(&json!({"type": "object"})).unwrap());
        let asked = |mode: Option<ToolChoiceMode>| {
            let mut asked = CreateMessageParams::new([SamplingMessage::user("?")], 5).with_tools(vec![tool.clone()]);
            asked.tool_choice = mode.map(|mode| ToolChoice { mode: Some(mode) });
            asked
        };
        let said = |blocks: Vec<SamplingContentBlock>| CreateMessageResult::new(Role::Assistant, blocks, "m");
        let (text, used) = (said(vec![SamplingContentBlock::text("!")]), said(vec![using("1")]));
        for (mode, text_fits, use_fits) in [
            (None, true, true),
            (Some(ToolChoiceMode::Auto), true, true),
            (Some(ToolChoiceMode::Required), false, true),
            (Some(ToolChoiceMode::None), true, false),
        ] {
            assert_eq!(text.check_choice(&asked(mode)).is_ok(), text_fits, "{mode:?}");
            assert_eq!(used.check_choice(&asked(mode)).is_ok(), use_fits, "{mode:?}");
            assert_eq!(used.check(&asked(mode)), Ok(()), "{mode:?}");
        }
        assert!(said(vec![using("1"), using("1")]).check(&asked(None)).is_err());
        let unknown = ToolUseContent::new("1", "other", RawJson::from(json!({})));
        assert!(said(vec![unknown.into()]).check(&asked(None)).is_err());
        assert!(used.check(&CreateMessageParams::new([], 5)).is_err());
    }
}
