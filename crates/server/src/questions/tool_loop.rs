//! A conversation in which the client's model uses tools that the handler runs.

use std::future::Future;

use jackfield_protocol::{
    CallToolResult, ContentBlock, CreateMessageParams, CreateMessageResult, Role, SamplingContentBlock,
    SamplingMessage, Tool, ToolChoice, ToolChoiceMode, ToolResultContent, ToolUseContent,
};

use super::{QuestionError, round};
use crate::{Cx, validation};

impl Cx {
    /// Asks the client's model, runs the tools it wants to use, and asks again with their results, until it has an answer.
    ///
    /// `run` does the work of one use. After so many `rounds` of tools the model is asked for its answer without them, so the
    /// conversation has an end; a choice of `required` holds for the first round. Structured content that does not fit the tool's
    /// output schema is not sent: the model is told that the tool failed. What the tools did is kept like a [step](Self::step), so
    /// that nothing is run twice in the modern era; their results should be small.
    ///
    /// ```
    /// # use jackfield_server::{Cx, QuestionError};
    /// # use jackfield_protocol::{CallToolResult, CreateMessageParams};
    /// # async fn weather(cx: Cx, question: CreateMessageParams) -> Result<(), QuestionError> {
    /// let answer = cx.sample_with_tools("weather", question, 5, |used| async move {
    ///     CallToolResult::text(format!("{} says: rain", used.name))
    /// }).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// The model could not be asked, did not answer, or uses tools that it must not use.
    pub async fn sample_with_tools<F, A>(
        &self,
        key: &str,
        mut params: CreateMessageParams,
        rounds: usize,
        run: F,
    ) -> Result<CreateMessageResult, QuestionError>
    where
        F: Fn(ToolUseContent) -> A,
        A: Future<Output = CallToolResult>,
    {
        let mut done = 0;
        loop {
            let is_last = done >= rounds;
            if is_last {
                let mut choice = ToolChoice::default();
                choice.mode = Some(ToolChoiceMode::None);
                params.tool_choice = Some(choice);
            }
            let said = self.sample(&format!("{key}#{done}"), params.clone()).await?;
            let uses: Vec<ToolUseContent> = said.tool_uses().cloned().collect();
            if uses.is_empty() {
                return Ok(said);
            }
            if is_last {
                return round::bad_answer(self, key, "the model uses tools without end".to_owned()).await;
            }
            let tools = params.tools.as_deref().unwrap_or_default();
            let results = self.step(&format!("{key}#{done} tools"), run_all(uses, tools, &run)).await;
            params.messages.push(SamplingMessage::new(said.role, said.content));
            let results: Vec<SamplingContentBlock> = results.into_iter().map(SamplingContentBlock::from).collect();
            params.messages.push(SamplingMessage::new(Role::User, results));
            params.tool_choice = None;
            done += 1;
        }
    }
}

/// Runs each tool that is used, one after the other, and returns one result for each.
async fn run_all<F, A>(uses: Vec<ToolUseContent>, tools: &[Tool], run: &F) -> Vec<ToolResultContent>
where
    F: Fn(ToolUseContent) -> A,
    A: Future<Output = CallToolResult>,
{
    let mut results = Vec::with_capacity(uses.len());
    for one in uses {
        let id = one.id.clone();
        let tool = tools.iter().find(|tool| tool.name == one.name);
        let result = fitting(run(one).await, tool);
        let mut content = ToolResultContent::new(id, result.content);
        content.structured_content = result.structured_content;
        content.is_error = result.is_error;
        results.push(content);
    }
    results
}

/// The result, or a failure if its structured content does not fit the tool's output schema.
fn fitting(mut result: CallToolResult, tool: Option<&Tool>) -> CallToolResult {
    let schema = tool.and_then(|tool| tool.output_schema.as_ref()).filter(|_| !result.is_failure());
    let Some(schema) = schema else { return result };
    let check = |output: &str| match validation::compile(schema) {
        Ok(Some(validator)) => validator.check(output.as_bytes()),
        Ok(None) => Ok(()),
        Err(problem) => Err(format!("the output schema {problem}")),
    };
    let problem = match &result.structured_content {
        Some(output) => check(output.get()).err(),
        None => Some("it has no structured content".to_owned()),
    };
    if let Some(problem) = problem {
        return CallToolResult::failure(format!("the result of the tool does not fit its output schema: {problem}"));
    }
    if let (true, Some(output)) = (result.content.is_empty(), &result.structured_content) {
        result.content.push(ContentBlock::text(output.get().to_owned()));
    }
    result
}
