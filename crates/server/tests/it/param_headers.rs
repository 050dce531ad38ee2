//! Arguments that clients also send as HTTP headers.

use jackfield_peer::Handler;
use jackfield_protocol::{CallToolResult, Outcome, Schema, Tool};
use jackfield_server::{Server, ToolEntry, Work};
use serde_json::{Value, json};

fn server(header: &Value) -> Server {
    let schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": header},
        "query": {"type": "string"},
    }});
    Server::new("x").tool(ToolEntry::new(Tool::new("search", Schema::new(&schema).unwrap()), |_, _| {
        Work::Ready(Ok(Outcome::Complete(CallToolResult::text("found"))))
    }))
}

/// T-050: a transport learns which headers to compare with which arguments.
#[test]
fn the_headers_of_a_tool_are_known_to_the_transport() {
    let built = crate::talk::started(server(&json!("Region")));
    let headers = built.param_headers("search").unwrap();
    assert_eq!(headers.len(), 1);
    assert!(built.param_headers("no such tool").is_none());
}

/// T-051: an annotation that breaks the rules is found when the server is built, never during a call.
#[test]
fn a_bad_annotation_fails_the_build() {
    for bad in [json!(""), json!("two words"), json!("line\r\nbreak"), json!(5)] {
        let error = server(&bad).build().unwrap_err().to_string();
        assert!(error.contains("search"), "{bad}: {error}");
    }
}
