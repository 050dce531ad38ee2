//! A server without macros: definitions as data, handlers as functions of raw requests.

use jackfield::Server;
use jackfield::middleware::{Incoming, Reply};
use jackfield::protocol::{CallToolResult, ErrorObject, ListToolsResult, Outcome, Schema, Tool};
use serde_json::json;

async fn list_tools(_: Incoming) -> Reply {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let schema = Schema::new(&schema).map_err(|error| ErrorObject::internal(error.to_string()))?;
    let tool = Tool::new("shout", schema).with_description("Say it louder.");
    Ok(Outcome::Complete(ListToolsResult::new(vec![tool]).into()))
}

async fn call_tool(incoming: Incoming) -> Reply {
    let name = incoming.params.string("name")?;
    if name != "shout" {
        return Err(ErrorObject::invalid_params(format!("unknown tool: {name}")));
    }
    let arguments: serde_json::Value = incoming.params.member("arguments")?.unwrap_or_default();
    let result = match arguments["text"].as_str() {
        Some(text) => CallToolResult::text(text.to_uppercase()),
        None => CallToolResult::failure("argument `text` must be a string"),
    };
    Ok(Outcome::Complete(result.into()))
}

#[tokio::main]
async fn main() -> jackfield::Result {
    Server::new("low-level").method("tools/list", list_tools).method("tools/call", call_tool).run_cli().await
}
