//! The modern era: each request speaks for itself.

use jackfield_protocol::Revision;
use serde_json::json;

use crate::client::{Ask, Client, MODERN};
use crate::fixture::Fixture;

/// HTTP-006, HTTP-020: a plain answer is one JSON text, and the connection serves on.
#[tokio::test]
async fn a_call_is_answered_with_json() {
    let fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    for _ in 0..3 {
        let answer = client.ask(&Ask::tool("echo", json!({ "text": "hello" }))).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
        assert_eq!(answer.text(), "hello");
        assert_eq!(answer.header("mcp-session-id"), None);
    }
}

/// HTTP-020, HTTP-028, HTTP-029: the first notification turns the answer into a stream; the answer ends it.
#[tokio::test]
async fn a_notification_turns_the_answer_into_a_stream() {
    let fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    let head = client.open(&Ask::tool("count", json!({ "to": 3 }))).await;
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(head.header("x-accel-buffering"), Some("no"));
    let mut events = Vec::new();
    while let Some(event) = client.event().await {
        assert_eq!((event.id.as_str(), event.event.as_str()), ("", ""));
        events.push(serde_json::from_str::<serde_json::Value>(&event.data).unwrap());
    }
    assert_eq!(events.len(), 4);
    assert!((0..3).all(|i| events[i]["params"]["progress"] == i + 1));
    assert_eq!(events[3]["result"]["content"][0]["text"], "counted");
}

/// A client that takes no stream still gets its answer; one that takes nothing else gets a stream.
#[tokio::test]
async fn accept_is_honoured() {
    let fixture = Fixture::start().await;
    let answer = fixture.ask(&Ask::tool("count", json!({})).with("accept", "application/json")).await;
    assert_eq!((answer.status, answer.text().as_str()), (200, "counted"));
    let answer = fixture.ask(&Ask::tool("echo", json!({})).with("accept", "text/event-stream")).await;
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert!(String::from_utf8_lossy(&answer.body).starts_with("data: {"));
    let answer = fixture.ask(&Ask::tool("echo", json!({})).with("accept", "text/html")).await;
    assert_eq!(answer.status, 406);
    let answer = fixture.ask(&Ask::modern("subscriptions/listen", json!({})).with("accept", "application/json")).await;
    assert_eq!(answer.status, 406);
}

/// BASE-057, BASE-061, HTTP-064, HTTP-065, HTTP-066: each refusal has its status and code, and echoes the id.
#[tokio::test]
async fn refusals_have_status_code_and_id() {
    let fixture = Fixture::start().await;
    let bare = |method: &str, meta: serde_json::Value, version: &str| {
        Ask::post(json!({ "jsonrpc": "2.0", "id": "x", "method": method, "params": { "_meta": meta } }))
            .with("mcp-method", method)
            .with("mcp-protocol-version", version)
    };
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    let cases = [
        ("no meta", bare("server/discover", json!({}), MODERN), 400, -32602),
        ("no version", bare("server/discover", json!({ capabilities: {} }), MODERN), 400, -32602),
        ("no capabilities", bare("server/discover", json!({ version: MODERN }), MODERN), 400, -32602),
        ("unknown version", bare("server/discover", json!({ version: "v9", capabilities: {} }), "v9"), 400, -32022),
        (
            "other version in the header",
            bare("server/discover", json!({ version: "v9", capabilities: {} }), MODERN),
            400,
            -32020,
        ),
        (
            "legacy version in the header",
            bare("server/discover", json!({ version: MODERN, capabilities: {} }), "2025-11-25"),
            400,
            -32020,
        ),
        ("initialize", bare("initialize", json!({ version: MODERN, capabilities: {} }), MODERN), 404, -32601),
        ("ping", bare("ping", json!({ version: MODERN, capabilities: {} }), MODERN), 404, -32601),
        ("ping without meta", bare("ping", json!({}), MODERN), 404, -32601),
        ("unknown", bare("unknown/method", json!({ version: MODERN, capabilities: {} }), MODERN), 404, -32601),
        ("a method for clients", bare("roots/list", json!({ version: MODERN, capabilities: {} }), MODERN), 404, -32601),
    ];
    for (name, ask, status, code) in cases {
        let answer = fixture.ask(&ask).await;
        assert_eq!((answer.status, answer.code()), (status, code), "{name}");
        assert_eq!(answer.json()["id"], "x", "{name}");
    }
    let answer = fixture.ask(&bare("server/discover", json!({ version: "v9", capabilities: {} }), "v9")).await;
    assert_eq!(answer.json()["error"]["data"], json!({ "requested": "v9", "supported": [MODERN] }));
    let answer = fixture.ask(&bare("server/discover", json!({ version: MODERN, capabilities: {} }), MODERN)).await;
    assert_eq!(answer.status, 200);
}

/// BASE-061: what a handler refuses for want of a capability has status 400; other errors of handlers have 200.
#[tokio::test]
async fn errors_of_handlers_have_their_status() {
    let fixture = Fixture::start().await;
    let answer = fixture.ask(&Ask::tool("missing", json!({}))).await;
    assert_eq!((answer.status, answer.code()), (400, -32021));
    assert_eq!(answer.json()["error"]["data"]["requiredCapabilities"], json!({ "sampling": {} }));
    let answer = fixture.ask(&Ask::tool("no such tool", json!({}))).await;
    assert_eq!((answer.status, answer.code()), (200, -32602));
    for name in ["panic", "panic_later"] {
        let answer = fixture.ask(&Ask::tool(name, json!({}))).await;
        assert_eq!((answer.status, answer.code()), (200, -32603), "T-009");
    }
}

/// HTTP-018, HTTP-016, HTTP-019: a notification gets 202 without a body; answers and batches are refused.
#[tokio::test]
async fn notifications_are_accepted_and_answers_refused() {
    let fixture = Fixture::start().await;
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let answer = fixture.ask(&Ask::post(notification).with("mcp-protocol-version", MODERN)).await;
    assert_eq!((answer.status, answer.body.len()), (202, 0));
    for body in
        [json!({ "jsonrpc": "2.0", "id": 1, "result": {} }), json!([{ "jsonrpc": "2.0", "id": 1, "method": "ping" }])]
    {
        let answer = fixture.ask(&Ask::post(body).with("mcp-protocol-version", MODERN)).await;
        assert_eq!((answer.status, answer.code()), (400, -32600));
    }
}

/// HTTP-068, HTTP-069, PAT-014, T-030: a client that goes takes its request with it, before the head and in mid-stream.
#[tokio::test]
async fn a_disconnect_cancels() {
    let mut fixture = Fixture::start().await;
    for tool in ["wait", "wait_after_notice"] {
        let mut client = Client::connect(fixture.address).await;
        client.send(Ask::tool(tool, json!({})).bytes()).await;
        fixture.see("waiting 1").await;
        if tool == "wait_after_notice" {
            client.head().await.unwrap();
            client.event().await.unwrap();
        }
        drop(client);
        fixture.see("dropped").await;
    }
}

/// HTTP-030, T-055, PAT-014: a listen stream begins with its acknowledgement, carries notices, and ends with the client.
#[tokio::test]
async fn a_listen_stream_carries_notices_until_the_client_goes() {
    let mut fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    let head = client.open(&Ask::modern("subscriptions/listen", json!({ "notifications": {} }))).await;
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    assert_eq!(client.message().await.unwrap()["method"], "notifications/subscriptions/acknowledged");
    fixture.see("listening").await;
    fixture.tools.notices.send(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" })).unwrap();
    assert_eq!(client.message().await.unwrap()["method"], "notifications/tools/list_changed");
    drop(client);
    fixture.see("dropped").await;
}

/// HTTP-026: a modern stream never carries a request of the server.
#[tokio::test]
async fn the_server_can_not_ask_on_a_modern_stream() {
    let fixture = Fixture::start().await;
    let answer = fixture.ask(&Ask::tool("ask", json!({}))).await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert!(answer.text().starts_with("failed"));
}

/// HTTP facts reach handlers.
#[tokio::test]
async fn handlers_see_the_request() {
    let fixture = Fixture::start().await;
    let answer = fixture.ask(&Ask::tool("headers", json!({})).with("x-mine", "1").path("/mcp?a=b")).await;
    assert!(answer.text().starts_with("/mcp?a=b ") && answer.text().contains("x-mine"));
}

/// HTTP-112, HTTP-113, HTTP-114, HTTP-067: a server of the modern era alone knows nothing of sessions.
#[tokio::test]
async fn a_modern_only_server_has_no_sessions() {
    let fixture = Fixture::of(&[Revision::LATEST]).await;
    for verb in ["GET", "DELETE", "PUT"] {
        let answer = fixture.ask(&Ask::get().verb(verb).with("mcp-session-id", "x").with("last-event-id", "x")).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")));
    }
    let answer =
        fixture.ask(&Ask::tool("echo", json!({})).with("mcp-session-id", "x").with("last-event-id", "x")).await;
    assert_eq!((answer.status, answer.header("mcp-session-id")), (200, None));
    let answer = fixture.ask(&crate::client::initialize("2025-11-25")).await;
    assert_eq!((answer.status, answer.code()), (400, -32020));
    assert_eq!(fixture.ask(&Ask::new("GET", "/sse")).await.status, 404);
}

/// BASE-023, BASE-024, BASE-026, BASE-027: the codes of the protocol are used for what they mean and for nothing else, and
/// no other code of the range that is reserved.
#[tokio::test]
async fn errors_have_the_codes_of_the_specification() {
    let fixture = Fixture::start().await;
    let list = || Ask::modern("tools/list", json!({}));
    let unversioned = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2099-01-01", "io.modelcontextprotocol/clientCapabilities": {} } } });
    let cases = [
        (list().with("mcp-method", "prompts/list"), Some(-32020)),
        (Ask::tool("echo", json!({})).without("mcp-name"), Some(-32020)),
        (Ask::tool("missing", json!({})), Some(-32021)),
        (
            Ask::post(unversioned).with("mcp-protocol-version", "2099-01-01").with("mcp-method", "tools/list"),
            Some(-32022),
        ),
        (Ask::post("{"), None),
        (Ask::post("[]"), None),
        (Ask::post(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#), None),
        (Ask::modern("no/method", json!({})), None),
        (Ask::modern("ping", json!({})), None),
        (Ask::tool("nothing", json!({})), None),
        (Ask::tool("panic", json!({})), None),
        (list().with("content-type", "text/plain"), None),
        (list().with("host", "evil.example.com"), None),
        (list().path("/nowhere"), None),
        (list().verb("PUT"), None),
    ];
    for (ask, own) in cases {
        let code = fixture.ask(&ask).await.code();
        match own {
            Some(own) => assert_eq!(code, own, "{ask:?}"),
            None => assert!([-32700, -32600, -32601, -32602, -32603].contains(&code), "{code} {ask:?}"),
        }
    }
}
