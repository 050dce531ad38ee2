//! What is wrong is answered with the right code, and the connection lives on.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::script::{Client, legacy, modern};

/// T-010, BASE-008, BASE-011: each readable id is answered, and the connection lives on.
#[tokio::test]
async fn every_kind_of_bad_message_is_answered_and_survived() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    for (text, id, code) in [
        ("nonsense", None, -32700),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"#, Some(json!(1)), -32700),
        (r#"{"jsonrpc":"2.0","id":2}"#, Some(json!(2)), -32600),
        (r#"{"jsonrpc":"1.0","id":"three","method":"x"}"#, Some(json!("three")), -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, None, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, None, -32600),
        (r#"{"jsonrpc":"2.0","id":5,"method":"no/such/method"}"#, Some(json!(5)), -32601),
        (r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":[]}"#, Some(json!(6)), -32602),
        (r#"[]"#, None, -32600),
        (r#"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#, None, -32600),
        (r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"no"}"#, Some(json!(u64::MAX)), -32601),
    ] {
        client.send(text).await;
        let answer = client.receive().await;
        assert_eq!((answer.get("id").cloned(), &answer["error"]["code"]), (id, &json!(code)), "{text}");
        assert!(answer["error"]["message"].is_string());
    }
    assert_eq!(client.request(100, "x").await["result"]["method"], "tools/call");
}

/// BASE-011: where the revision wants an id in every error, an unreadable one is null.
#[tokio::test]
async fn an_unreadable_id_is_null_where_the_revision_wants_an_id() {
    let mut client = Client::new();
    client.initialize("2025-06-18").await;
    client.send("nonsense").await;
    assert_eq!(client.receive().await["id"], Value::Null);
}

/// BASE-016, T-007: notifications and answers are never answered, whatever they say.
#[tokio::test]
async fn notifications_and_stray_answers_are_never_answered() {
    let mut client = Client::new();
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    client.initialize("2025-11-25").await;
    client.send(r#"{"jsonrpc":"2.0","method":"no/such"}"#).await;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#).await;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#).await;
    client.send(r#"{"jsonrpc":"2.0","id":77,"result":{}}"#).await;
    client.send(r#"{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}"#).await;
    client.send("").await;
    client.send("  \r").await;
    assert_eq!(client.request(1, "x").await["id"], 1);
    assert!(client.script.notes.load(Ordering::SeqCst) >= 2);
    assert_eq!(client.finish().await, Vec::<Value>::new());
}

/// T-009: a panic is an error for its own caller only, and keeps its words to itself.
#[tokio::test]
async fn a_panicking_handler_is_an_internal_error() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    for what in ["panic", "panic-later"] {
        let answer = client.request(1, what).await;
        assert_eq!(answer["error"]["code"], -32603);
        assert!(!answer.to_string().contains("as asked"));
    }
    assert_eq!(client.request(2, "later").await["result"]["late"], true);
}

/// T-007: both get an answer, and the first call is not disturbed.
#[tokio::test]
async fn an_id_in_use_is_refused_and_the_first_call_completes() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    client.send(legacy("\u{61}", "ask")).await;
    let question = client.receive().await;
    client.send(legacy("a", "x").replace("\"a\"", "\"\\u0061\"")).await;
    assert_eq!(client.receive().await["error"]["code"], -32600);
    client.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": []}}).to_string()).await;
    let answer = client.receive().await;
    assert_eq!((&answer["id"], &answer["result"]["answer"]), (&json!("a"), &json!({"roots": []})));
    assert_eq!(client.request("a", "x").await["result"]["method"], "tools/call");
}

/// BASE-017, LIFE-005, T-008: batches only where the revision has them.
#[tokio::test]
async fn batches_are_served_where_the_revision_has_them() {
    for version in ["2024-11-05", "2025-03-26"] {
        let mut client = Client::new();
        client.initialize(version).await;
        let batch = [
            legacy(1, "x"),
            legacy(2, "later"),
            r#"{"jsonrpc":"2.0","method":"notifications/x"}"#.into(),
            legacy(3, "panic-later"),
            "5".into(),
            r#"{"jsonrpc":"2.0","id":4,"method":"initialize","params":{}}"#.into(),
            "[]".into(),
        ];
        client.send(format!("[{}]", batch.join(","))).await;
        let answers = client.receive().await;
        let mut found: Vec<_> = answers
            .as_array()
            .unwrap()
            .iter()
            .map(|answer| (answer["id"].as_i64().unwrap_or(0), answer["error"]["code"].as_i64().unwrap_or(0)))
            .collect();
        found.sort_unstable();
        assert_eq!(found, [(0, -32600), (0, -32600), (1, 0), (2, 0), (3, -32603), (4, -32600)], "{answers}");
        client.send(r#"[{"jsonrpc":"2.0","method":"notifications/x"}]"#).await;
        assert_eq!(client.request(9, "x").await["id"], 9);
    }
}

/// BASE-018, T-008
#[tokio::test]
async fn batches_are_refused_elsewhere() {
    for version in [None, Some("2025-06-18"), Some("2025-11-25")] {
        let mut client = Client::new();
        if let Some(version) = version {
            client.initialize(version).await;
        }
        client.send(format!("[{}]", modern(1, "x"))).await;
        assert_eq!(client.receive().await["error"]["code"], -32600);
        client.send(modern(2, "x")).await;
        assert_eq!(client.receive().await["id"], 2);
    }
}

/// STDIO-003: text that a handler encoded itself still stands on one line.
#[tokio::test]
async fn a_message_never_spans_lines() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    assert_eq!(client.request(1, "newline").await["result"], json!({"a": 1}));
}
