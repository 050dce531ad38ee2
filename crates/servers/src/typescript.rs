//! How servers of the TypeScript family answer: clients see these texts, so a drop-in server keeps them.

mod check;

use std::sync::Arc;

use jackfield::protocol::envelope::MethodName;
use jackfield::protocol::error::code;
use jackfield::protocol::{CallToolResult, Method, Outcome, Schema, TaskSupport, ToolExecution};
use jackfield::{Incoming, IntoTool, Next, Reply, ToolEntry, Validation};
use serde_json::Value;

/// Gives a tool the family's listing and its texts about bad arguments.
pub(crate) fn tool(tool: impl IntoTool) -> ToolEntry {
    let mut entry = tool.into_tool();
    let mut execution = ToolExecution::default();
    execution.task_support = Some(TaskSupport::Forbidden);
    entry.definition.execution.get_or_insert(execution);
    name_dialect(&mut entry.definition.input_schema);
    if let Some(schema) = &mut entry.definition.output_schema {
        name_dialect(schema);
    }
    // Our own check comes first, and covers what the schema says.
    entry.validation = Validation::Off;
    let name: Arc<str> = entry.definition.name.as_str().into();
    let schema: Arc<Value> = entry.definition.input_schema.to_value().into();
    entry.with_middleware(move |arguments, cx, next| {
        let (name, schema) = (name.clone(), schema.clone());
        async move {
            let given: Value = serde_json::from_slice(&arguments).unwrap_or_default();
            let problems = check::problems(&schema, &given);
            if problems.is_empty() {
                return next.run(arguments, cx).await;
            }
            let text = format!("Input validation error: Invalid arguments for tool {name}: {}", problems.join("\n"));
            Ok(Outcome::Complete(failure(&text)))
        }
    })
}

/// Says first which dialect a schema is written in. The family names draft 7, whose rules the schemas here keep to.
fn name_dialect(schema: &mut Schema) {
    if schema.to_value().get("$schema").is_some() {
        return;
    }
    let Some(members) = schema.get().trim_start().strip_prefix('{') else { return };
    let comma = if members.trim_start().starts_with('}') { "" } else { "," };
    let named = format!(r#"{{"$schema":"http://json-schema.org/draft-07/schema#"{comma}{members}"#);
    if let Ok(named) = serde_json::from_str(&named) {
        *schema = named;
    }
}

/// Answers a call of an unknown tool with a failure, as the family does in the legacy era. The newest revision wants an error.
pub(crate) async fn unknown_tools(incoming: Incoming, next: Next) -> Reply {
    let is_call =
        matches!(incoming.method, MethodName::Known(Method::CallTool)) && incoming.caller.revision.has_handshake();
    let name = if is_call { incoming.params.string("name").ok().map(|name| shortened(&name)) } else { None };
    match (next.run(incoming).await, name) {
        (Err(error), Some(name)) if error.code == code::INVALID_PARAMS => {
            Ok(Outcome::Complete(failure(&format!("Tool {name} not found")).into()))
        }
        (reply, _) => reply,
    }
}

fn failure(text: &str) -> CallToolResult {
    CallToolResult::failure(format!("MCP error -32602: {text}"))
}

fn shortened(name: &str) -> String {
    name.chars().take(128).collect()
}
