//! Who is calling, in both eras.

use jackfield_protocol::Revision;
use serde_json::{Value, json};

use crate::script::{Client, legacy, modern, modern_as};

/// LIFE-010, LIFE-016, LIFE-018: a known version is served as asked.
#[tokio::test]
async fn each_legacy_revision_is_served_as_asked() {
    for revision in Revision::ALL.into_iter().filter(|r| r.has_handshake()) {
        let mut client = Client::new();
        let answer = client.initialize(revision.as_str()).await;
        assert_eq!(answer["result"]["revision"], revision.as_str());
        let answer = client.request(1, "caller").await;
        assert_eq!(answer["result"], json!({"revision": revision, "client": "test", "session": true, "roots": true}));
    }
}

/// LIFE-011, LIFE-012: any other version is answered with the latest that has a handshake.
#[tokio::test]
async fn an_unknown_version_is_answered_with_the_latest() {
    for version in ["1999-01-01", "2026-07-28", "", "9999-99-99"] {
        let answer = Client::new().initialize(version).await;
        assert_eq!(answer["result"]["revision"], "2025-11-25", "{version}");
    }
}

/// LIFE-036, BASE-032, BASE-033, BASE-067: modern requests speak for themselves, before and beside a legacy session.
#[tokio::test]
async fn both_eras_share_one_connection() {
    let mut client = Client::new();
    client.send(modern(1, "caller")).await;
    let modern_caller = json!({"resultType": "complete", "revision": "2026-07-28", "client": "modern", "session": false, "roots": false});
    assert_eq!(client.receive().await["result"], modern_caller);
    client.initialize("2025-06-18").await;
    client.send(modern(2, "caller")).await;
    assert_eq!(client.receive().await["result"], modern_caller);
    assert_eq!(client.request(3, "caller").await["result"]["revision"], "2025-06-18");
}

/// BASE-056, BASE-055
#[tokio::test]
async fn a_modern_request_without_a_required_member_is_refused() {
    let whole = serde_json::from_str::<Value>(&modern(1, "x")).unwrap();
    for key in ["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"] {
        let mut client = Client::new();
        let mut request = whole.clone();
        request["params"]["_meta"].as_object_mut().unwrap().remove(key);
        client.send(request.to_string()).await;
        let answer = client.receive().await;
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32602), &json!(1)));
        assert!(answer["error"]["message"].as_str().unwrap().contains(key), "{answer}");
    }
    for (key, bad) in [
        ("io.modelcontextprotocol/protocolVersion", json!(5)),
        ("io.modelcontextprotocol/clientCapabilities", json!("all")),
        ("io.modelcontextprotocol/clientInfo", json!([])),
        ("io.modelcontextprotocol/logLevel", json!("loud")),
    ] {
        let mut client = Client::new();
        let mut request = whole.clone();
        request["params"]["_meta"][key] = bad;
        client.send(request.to_string()).await;
        assert_eq!(client.receive().await["error"]["code"], -32602, "{key}");
    }
}

/// LIFE-027: also for versions that are served only after a handshake.
#[tokio::test]
async fn an_unsupported_modern_version_names_the_supported_ones() {
    for version in ["v999.0.0", "2025-11-25"] {
        let mut client = Client::new();
        client.send(modern_as("a", "x", version)).await;
        let error = client.receive().await["error"].clone();
        assert_eq!(error["code"], -32022);
        assert_eq!(error["data"], json!({"supported": ["2026-07-28"], "requested": version}));
    }
}

/// LIFE-001, LIFE-006, PAT-027: before the handshake only ping is answered.
#[tokio::test]
async fn before_the_handshake_only_ping_is_answered() {
    let mut client = Client::new();
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
    assert_eq!(client.receive().await["result"]["method"], "ping");
    assert_eq!(client.request(2, "x").await["error"]["code"], -32602);
    client.send(r#"{"jsonrpc":"2.0","id":3,"method":"no/such"}"#).await;
    assert_eq!(client.receive().await["error"]["code"], -32601);
}

/// T-048
#[tokio::test]
async fn a_second_initialize_changes_nothing() {
    let mut client = Client::new();
    client.initialize("2025-06-18").await;
    client
        .send(r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"evil","version":"1"}}}"#)
        .await;
    assert_eq!(client.receive().await["error"]["code"], -32600);
    let caller = client.request(3, "caller").await;
    assert_eq!(caller["result"]["revision"], "2025-06-18");
    assert_eq!(caller["result"]["client"], "test");
}

/// T-041: an initialize that is refused leaves no session.
#[tokio::test]
async fn a_refused_initialize_leaves_nothing() {
    let mut client = Client::new();
    client.send(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#).await;
    assert_eq!(client.receive().await["error"]["code"], -32602);
    client
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"do":"fail","protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#)
        .await;
    assert_eq!(client.receive().await["error"]["code"], 7);
    assert_eq!(client.initialize("2025-03-26").await["result"]["revision"], "2025-03-26");
}

/// BASE-032: the same texts may be decoded once, other texts never reuse them.
#[tokio::test]
async fn nothing_is_carried_from_one_modern_request_to_the_next() {
    let mut client = Client::new();
    let with = |id: i64, name: &str, roots: bool| {
        let mut request = serde_json::from_str::<Value>(&modern(id, "caller")).unwrap();
        request["params"]["_meta"]["io.modelcontextprotocol/clientInfo"]["name"] = json!(name);
        request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
            if roots { json!({"roots": {}}) } else { json!({}) };
        request.to_string()
    };
    for (id, name, roots) in [(1, "a", true), (2, "a", false), (3, "b", false), (4, "b", false), (5, "a", true)] {
        client.send(with(id, name, roots)).await;
        let result = client.receive().await["result"].clone();
        assert_eq!((&result["client"], &result["roots"]), (&json!(name), &json!(roots)));
    }
}

/// Methods that a revision does not have are unknown in it.
#[tokio::test]
async fn methods_outside_their_revision_are_unknown() {
    let mut client = Client::new();
    for method in ["ping", "logging/setLevel", "resources/subscribe", "initialize", "tasks/list", "roots/list"] {
        client.send(modern(1, "x").replace("tools/call", method)).await;
        assert_eq!(client.receive().await["error"]["code"], -32601, "{method}");
    }
    client.initialize("2025-11-25").await;
    for method in ["server/discover", "subscriptions/listen", "tasks/update", "sampling/createMessage"] {
        client.send(legacy(1, "x").replace("tools/call", method)).await;
        assert_eq!(client.receive().await["error"]["code"], -32601, "{method}");
    }
}
