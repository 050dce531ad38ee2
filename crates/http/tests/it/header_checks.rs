//! T-050: a header that says one thing while the body says another.

use serde_json::{Value, json};

use crate::client::Ask;
use crate::fixture::Fixture;

/// T-050, HTTP-072, HTTP-091, HTTP-103, HTTP-104, HTTP-106: `Mcp-Method` and `Mcp-Name` equal the body, header names in any case;
/// the markers of encoded values in none but their own. T-050, XTSK-029: so do those of requests about a task.
#[tokio::test]
async fn method_and_name_equal_the_body() {
    let fixture = Fixture::start().await;
    let list = || Ask::modern("tools/list", json!({}));
    let echo = || Ask::tool("echo", json!({}));
    let read = |uri: &str| Ask::modern("resources/read", json!({ "uri": uri }));
    let task = |method: &str| Ask::modern(method, json!({ "taskId": "t1" }));
    let refused = [
        list().with("mcp-method", "prompts/list"),
        list().with("mcp-method", "TOOLS/LIST"),
        list().without("mcp-method"),
        list().with("mcp-method", ""),
        list().and("Mcp-Method", "prompts/list"),
        echo().with("mcp-name", "other"),
        echo().with("mcp-name", "Echo"),
        echo().without("mcp-name"),
        echo().and("mcp-name", "other"),
        echo().with("mcp-name", "=?base64?b3RoZXI=?="),
        echo().with("mcp-name", "=?base64?ZWNobw?="),
        echo().with("mcp-name", "=?base64?ZWNo!w==?="),
        echo().with("mcp-name", "=?BASE64?ZWNobw==?="),
        echo().with("mcp-name", "=?base64?ZWNobw==?=x"),
        read("file:///a%20b").with("mcp-name", "file:///a b"),
        read("file:///a").without("mcp-name"),
        // A proxy sends requests about a task to the node that works on it.
        task("tasks/get").with("mcp-name", "other"),
        task("tasks/update").with("mcp-name", "other"),
        task("tasks/cancel").with("mcp-name", "=?base64?b3RoZXI=?="),
        list().without("mcp-protocol-version"),
        list().and("MCP-Protocol-Version", "2025-11-25"),
    ];
    for ask in refused {
        let answer = fixture.ask(&ask).await;
        assert_eq!((answer.status, answer.code()), (400, -32020), "{ask:?}");
        assert_eq!(answer.json()["id"], 1);
    }
    let accepted = [
        list(),
        list().without("mcp-method").with("MCP-METHOD", "tools/list"),
        list().and("mcp-method", "tools/list"),
        echo().with("mcp-name", "   echo \t"),
        echo().with("mcp-name", "=?base64?ZWNobw==?="),
        read("file:///a%20b?x#y"),
        read("=?base64?x").with("mcp-name", "=?base64?x"),
        read("grüße").with("mcp-name", "=?base64?Z3LDvMOfZQ==?="),
    ];
    for ask in accepted {
        assert_eq!(fixture.ask(&ask).await.status, 200, "{ask:?}");
    }
}

/// T-050, HTTP-092, HTTP-097, HTTP-098, HTTP-099, HTTP-100, HTTP-101, HTTP-102, HTTP-105, HTTP-107: `Mcp-Param-*` equals the marked argument after decoding.
#[tokio::test]
async fn marked_arguments_equal_their_headers() {
    let fixture = Fixture::start().await;
    let case = |arguments: Value, headers: &[(&str, &str)]| {
        headers.iter().fold(Ask::tool("routed", arguments), |ask, (name, value)| ask.with(name, value))
    };
    let accepted = [
        case(json!({}), &[]),
        case(json!({ "region": null }), &[]),
        case(json!({ "text": "not marked" }), &[("mcp-param-text", "anything")]),
        case(json!({ "region": "Hello" }), &[("mcp-param-region", "Hello")]),
        case(json!({ "region": "Hello" }), &[("mcp-param-region", "=?base64?SGVsbG8=?=")]),
        case(json!({ "region": "SGVsbG8=" }), &[("mcp-param-region", "SGVsbG8=")]),
        case(json!({ "region": "=?base64?SGVsbG8=" }), &[("mcp-param-region", "=?base64?SGVsbG8=")]),
        case(json!({ "region": "" }), &[("mcp-param-region", "")]),
        case(json!({ "region": " padded " }), &[("mcp-param-region", "=?base64?IHBhZGRlZCA=?=")]),
        case(json!({ "count": 42 }), &[("mcp-param-count", "42")]),
        case(json!({ "count": 42.0 }), &[("mcp-param-count", "42")]),
        case(json!({ "count": 42 }), &[("mcp-param-count", "42.0")]),
        case(json!({ "deep": { "flag": true } }), &[("mcp-param-flag", "true")]),
    ];
    for ask in accepted {
        assert_eq!(fixture.ask(&ask).await.status, 200, "{ask:?}");
    }
    let refused = [
        case(json!({ "region": "Hello" }), &[]),
        case(json!({ "region": "Hello" }), &[("mcp-param-region", "hello")]),
        case(json!({ "region": "Hello" }), &[("mcp-param-region", "=?base64?SGVsbG8?=")]),
        case(json!({ "region": "Hello" }), &[("mcp-param-region", "=?base64?SGVs!!!bG8=?=")]),
        case(json!({ "region": "Hello" }), &[("mcp-param-region", "=?base64?SGVsbG9=?=")]),
        case(json!({ "region": "Hellö" }), &[("mcp-param-region", "Hellö")]),
        case(json!({}), &[("mcp-param-region", "Hello")]),
        case(json!({ "count": 42 }), &[("mcp-param-count", "43")]),
        case(json!({ "deep": { "flag": true } }), &[("mcp-param-flag", "false")]),
        case(json!({ "region": "a" }), &[("mcp-param-region", "a")]).and("mcp-param-region", "b"),
    ];
    for ask in refused {
        let answer = fixture.ask(&ask).await;
        assert_eq!((answer.status, answer.code()), (400, -32020), "{ask:?}");
    }
}

/// Headers of the modern era mean nothing in the legacy era.
#[tokio::test]
async fn legacy_requests_are_not_checked_against_headers() {
    let fixture = Fixture::start().await;
    let session = crate::client::Session::open(fixture.address, "2025-11-25").await;
    let answer = session
        .ask(&session.tool(1, "echo", json!({ "text": "x" })).with("mcp-method", "x").with("mcp-name", "y"))
        .await;
    assert_eq!((answer.status, answer.text().as_str()), (200, "x"));
}
