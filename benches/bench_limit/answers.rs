//! The answers of `bench_server`, made beforehand.

use std::io;

use serde_json::value::RawValue;
use serde_json::{json, value};

use crate::ideal::{Contents, ReadResult};

/// What does not change between requests.
pub(crate) struct Answers {
    pub(crate) initialize: Box<RawValue>,
    pub(crate) list: Box<RawValue>,
    pub(crate) echo: &'static str,
    pub(crate) echo_tagged: &'static str,
    pub(crate) add: &'static str,
    pub(crate) read: String,
    pub(crate) document: String,
}

impl Answers {
    pub(crate) fn new() -> io::Result<Self> {
        let info = json!({"name": "bench-limit", "version": "0.1.0"});
        let capabilities = json!({"tools": {}, "resources": {}});
        let initialize = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info});
        let document = document();
        let contents = [Contents { uri: "bench://doc", mime_type: "text/plain", text: &document }];
        Ok(Self {
            initialize: value::to_raw_value(&initialize)?,
            list: value::to_raw_value(&json!({"tools": tools()}))?,
            echo: r#"{"content":[{"type":"text","text":"The quick brown fox"}]}"#,
            echo_tagged: r#"{"resultType":"complete","content":[{"type":"text","text":"The quick brown fox"}]}"#,
            add: r#"{"content":[{"type":"text","text":"{\"sum\":42}"}],"structuredContent":{"sum":42}}"#,
            read: serde_json::to_string(&ReadResult { contents })?,
            document,
        })
    }
}

fn document() -> String {
    let lines = (0..).map(|number| format!("The quick brown fox jumps over the lazy dog, line {number:04} of it.\n"));
    let mut text: String = lines.take(200).collect();
    text.truncate(10_240);
    text
}

/// The list of `bench_server`, member by member: a shorter one would be no comparison.
fn tools() -> Vec<serde_json::Value> {
    let tool = |name: &str, description: &str, properties: serde_json::Value, required: &[&str]| {
        let schema = json!({"type": "object", "properties": properties, "required": required});
        json!({"name": name, "description": description, "inputSchema": schema})
    };
    let integer = json!({"type": "integer"});
    let mut add = tool("add", "Add two integers.", json!({"a": integer, "b": integer}), &["a", "b"]);
    add["outputSchema"] =
        json!({"type": "object", "title": "Sum", "properties": {"sum": integer}, "required": ["sum"]});
    let message = json!({"message": {"type": "string"}});
    let mut tools = vec![tool("echo", "Answer with the same text.", message, &["message"]), add];
    tools.extend((2..50).map(|number| {
        let properties = json!({
            "query": {"type": "string", "description": "What to look for."},
            "limit": {"type": "integer", "description": "How many results at most."},
            "tags": {"type": "array", "items": {"type": "string"}, "description": "Only results with these tags."},
        });
        let description = format!("Look something up in collection {number}.");
        tool(&format!("tool_{number:02}"), &description, properties, &["query"])
    }));
    tools
}
