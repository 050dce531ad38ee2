//! Tools for the rules of the stateless protocol: missing capabilities, no unwanted messages, notices of change.

use jackfield::server::QuestionError;
use jackfield::{Cx, Form, JsonSchema, Server, tool, tools};
use serde::Deserialize;

use crate::questions::question;

pub(crate) fn add(server: Server) -> Server {
    server.tools(tools![
        test_missing_capability,
        test_streaming_elicitation,
        test_logging_tool,
        test_trigger_tool_change,
        test_trigger_prompt_change
    ])
}

/// Needs the client's model, whether it has one or not.
#[tool]
async fn test_missing_capability(cx: &Cx) -> Result<String, QuestionError> {
    let answer = cx.sample("needed", question("Are you there?")).await?;
    Ok(format!("Model: {}", answer.model))
}

#[derive(Deserialize, JsonSchema, Form)]
struct Confirmation {
    confirmed: bool,
}

/// Says something, then asks the person.
#[tool]
async fn test_streaming_elicitation(cx: &Cx) -> Result<String, QuestionError> {
    cx.progress(0, 1.0, Some("asking"));
    let answer = cx.elicit::<Confirmation>("confirmation", "Shall it go on?").await?;
    Ok(format!("Confirmed: {}", answer.accepted().is_some_and(|answer| answer.confirmed)))
}

/// Logs at every level, to clients that want it.
#[tool]
fn test_logging_tool(cx: &Cx) -> &'static str {
    cx.debug("a detail");
    cx.info("something ordinary");
    cx.error("something that failed");
    "Logged three messages"
}

/// Tells clients that the list of tools changed.
#[tool]
fn test_trigger_tool_change(cx: &Cx) -> &'static str {
    cx.notify_tools_changed();
    "Tool change triggered"
}

/// Tells clients that the list of prompts changed.
#[tool]
fn test_trigger_prompt_change(cx: &Cx) -> &'static str {
    cx.notify_prompts_changed();
    "Prompt change triggered"
}
