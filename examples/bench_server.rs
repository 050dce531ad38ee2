//! The server that `cargo xtask bench` measures: fifty tools and a resource of ten kilobytes.

use std::sync::LazyLock;

use jackfield::protocol::{Schema, Tool};
use jackfield::server::Call;
use jackfield::{Cx, Json, Server, resource, resources, tool, tools};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// Answer with the same text.
#[tool]
fn echo(message: String) -> String {
    message
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Add two integers.
#[tool]
fn add(a: i64, b: i64) -> Json<Sum> {
    Json(Sum { sum: a + b })
}

/// 10,240 bytes of text.
static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
    let mut text = String::new();
    for line in 0.. {
        text.push_str(&format!("The quick brown fox jumps over the lazy dog, line {line:04} of it.\n"));
        if text.len() >= 10_240 {
            break;
        }
    }
    text.truncate(10_240);
    text
});

/// A document to read.
#[resource("bench://doc", mime_type = "text/plain")]
fn document() -> &'static str {
    &DOCUMENT
}

/// The other tools, `tool_02` to `tool_49`, all alike.
fn with_more_tools(server: Server) -> jackfield::Result<Server> {
    for number in 2..50 {
        let schema = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for."},
                "limit": {"type": "integer", "description": "How many results at most."},
                "tags": {"type": "array", "items": {"type": "string"}, "description": "Only results with these tags."},
            },
            "required": ["query"],
        });
        let tool = Tool::new(format!("tool_{number:02}"), Schema::new(&schema)?)
            .with_description(format!("Look something up in collection {number}."));
        let handle = server.registry().tools().insert(tool, |call: Call, _cx: Cx| async move {
            format!("nothing found, {} bytes of arguments", call.arguments.len())
        })?;
        handle.keep();
    }
    Ok(server)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> jackfield::Result {
    let server = Server::new("bench").tools(tools![echo, add]).resources(resources![document]);
    with_more_tools(server)?.run_cli().await
}
