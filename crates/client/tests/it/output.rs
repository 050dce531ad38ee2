//! Structured output, checked against the tool's schema.

#![cfg(feature = "validation")]

use jackfield_client::Client;
use serde_json::{Value, json};

use crate::script::{check, check_with};

fn conversation(schema: &Value, result: &Value, wanted: &str) -> String {
    let tools =
        json!({"result": {"tools": [{"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema}]}});
    let result = json!({"result": result});
    format!("modern\n@ list = ok\n> tools/list\n< {tools}\n@ call = {wanted}\n> tools/call\n< {result}")
}

/// T-103, SRV-024, SRV-034: output that breaks its schema is refused; failures of the tool are not checked.
#[test]
fn output_is_checked() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let cases = [
        (json!({"content": [], "structuredContent": {"n": 1}}), "ok"),
        (json!({"content": [], "structuredContent": {"n": "x"}}), "bad output"),
        (json!({"content": [], "structuredContent": {}}), "bad output"),
        (json!({"content": [], "structuredContent": null}), "bad output"),
        (json!({"content": []}), "bad output"),
        (json!({"content": [], "isError": true}), "ok"),
    ];
    for (result, wanted) in cases {
        check(&conversation(&schema, &result, wanted));
    }
    let wrong = json!({"content": [], "structuredContent": 5});
    check_with(Client::builder().without_output_check(), &conversation(&schema, &wrong, "ok"));
    check(&conversation(&json!({"type": "integer"}), &wrong, "ok"));
}

/// T-103: the tools are listed when output comes for a tool that is not known yet, and only once.
#[test]
fn unknown_tools_are_looked_up_once() {
    check(
        r#"
        modern
        @ call = bad output
        > tools/call
        < {"result":{"content":[],"structuredContent":{}}}
        > tools/list
        < {"result":{"tools":[{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}]}}
        @ call = ok
        > tools/call
        < {"result":{"content":[],"structuredContent":[]}}
        "#,
    );
}

/// T-100, T-101, T-102, BASE-042, BASE-043, BASE-049: bad schemas and schema bombs end the call with an error, at once.
#[test]
fn schema_bombs_are_refused() {
    let good =
        json!({"content": [], "structuredContent": {"a": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}});
    let remote = json!({"$ref": "https://example.com/schema"});
    let unknown_dialect = json!({"$schema": "https://example.com/dialect", "type": "object"});
    let no_schema = json!({"type": "nonsense"});
    let deep = (0..100).fold(json!({}), |inner, _| json!({"not": inner}));
    let long = json!({"description": "x".repeat(300 << 10)});
    let lookaround = json!({"properties": {"a": {"pattern": "(?=a)b"}}});
    for schema in [remote, unknown_dialect, no_schema, deep, long, lookaround] {
        check(&conversation(&schema, &good, "bad output"));
    }
    // A pattern that takes for ever elsewhere is matched in linear time here.
    let slow = json!({"properties": {"a": {"pattern": "^(a+)+$"}}});
    check(&conversation(&slow, &good, "bad output"));
}
