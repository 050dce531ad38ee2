//! Bytes that are not HTTP, not quite HTTP, or HTTP in bad faith.

use serde_json::json;

use crate::client::{Ask, Client};
use crate::fixture::Fixture;

const BODY: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

/// T-025, T-027: each gets one answer of the right kind, or a closed connection; then the next client is served.
#[tokio::test]
async fn bad_http_is_answered_or_closed() {
    let fixture = Fixture::start().await;
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let length = BODY.len();
    let long = |count: usize| "x".repeat(count);
    let cases: Vec<(&str, String, &[u16])> = vec![
        ("no HTTP at all", "\x16\x03\x01 hello\r\n\r\n".into(), &[400]),
        ("a version that never was", "GET /mcp HTTP/3.7\r\nhost: localhost\r\n\r\n".into(), &[400, 505]),
        ("a blank before a colon", format!("{head}x-a : b\r\n\r\n"), &[400]),
        ("a folded header", format!("{head}x-a: b\r\n c\r\n\r\n"), &[400]),
        ("NUL in a header", format!("{head}x-a: \0\r\n\r\n"), &[400]),
        ("no name", format!("{head}: b\r\n\r\n"), &[400]),
        ("two lengths", format!("{head}content-length: {length}\r\ncontent-length: 3\r\n\r\n{BODY}"), &[400]),
        ("a list of lengths", format!("{head}content-length: {length}, 3\r\n\r\n{BODY}"), &[400]),
        ("a negative length", format!("{head}content-length: -1\r\n\r\n{BODY}"), &[400]),
        ("a length with a sign", format!("{head}content-length: +{length}\r\n\r\n{BODY}"), &[400]),
        ("a length beyond numbers", format!("{head}content-length: 99999999999999999999999\r\n\r\n{BODY}"), &[400]),
        ("an unknown encoding", format!("{head}transfer-encoding: gzip\r\n\r\n{BODY}"), &[400]),
        ("chunked is not the last", format!("{head}transfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n"), &[400]),
        ("a bad chunk size", format!("{head}transfer-encoding: chunked\r\n\r\nzz\r\n{BODY}\r\n0\r\n\r\n"), &[400]),
        ("a huge chunk size", format!("{head}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\nx"), &[400]),
        ("a chunk without an end", format!("{head}transfer-encoding: chunked\r\n\r\n2\r\n{{}}x0\r\n\r\n"), &[400]),
        ("a header of a megabyte", format!("{head}x-a: {}\r\n\r\n", long(1 << 20)), &[431]),
        ("two thousand headers", format!("{head}{}\r\n", "a: b\r\n".repeat(2000)), &[431]),
        (
            "a target of a quarter megabyte",
            format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", long(1 << 18)),
            &[414, 431],
        ),
        (
            "a session id of 16 KiB",
            format!(
                "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: {}\r\n\r\n",
                long(1 << 14)
            ),
            &[404],
        ),
        (
            "a session id of odd bytes",
            "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: \u{e9}\r\n\r\n"
                .into(),
            &[400],
        ),
    ];
    for (name, bytes, statuses) in cases {
        let mut client = Client::connect(fixture.address).await;
        let sent = client.try_send(&bytes).await;
        if let Some(answer) = client.try_answer().await {
            assert!(statuses.contains(&answer.status), "{name}: {answer:?}");
            // One request, one answer.
            assert!(answer.status < 500 || answer.status == 505, "{name}");
        } else {
            // A client that is still writing may lose the answer with the connection.
            assert!(
                !sent || bytes.len() > 1 << 16 || name.contains("chunk") || name.contains("never was"),
                "{name}: closed without an answer"
            );
        }
        assert_eq!(fixture.ask(&Ask::tool("echo", json!({}))).await.status, 200, "after {name}");
    }
}

/// T-025: length and chunks together are never two requests.
#[tokio::test]
async fn smuggled_requests_are_not_served() {
    let fixture = Fixture::start().await;
    let inner = String::from_utf8(Ask::tool("echo", json!({ "text": "smuggled" })).bytes()).unwrap();
    let outer = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{inner}",
        inner.len() + 5
    );
    let mut client = Client::connect(fixture.address).await;
    client.send(outer).await;
    let answer = client.try_answer().await;
    assert!(answer.is_none_or(|answer| answer.status == 400));
    // Whatever comes next is not the answer to what was hidden.
    if let Some(answer) = client.try_answer().await {
        assert!(!String::from_utf8_lossy(&answer.body).contains("smuggled"), "{answer:?}");
    }
}

/// T-001, T-002, T-005, T-006, HTTP-019: what is not one message gets 400 and the right code; readable ids are echoed.
#[tokio::test]
async fn bodies_that_are_no_message() {
    let fixture = Fixture::start().await;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{}1{}}}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let cases: Vec<(&str, i64)> = vec![
        ("", -32700),
        ("{", -32700),
        ("null", -32600),
        ("\u{feff}{}", -32700),
        (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
        (&deep, -32700),
    ];
    for (body, code) in cases {
        let answer = fixture.ask(&Ask::post(body)).await;
        let shown = &body[..body.len().min(60)];
        assert_eq!((answer.status, answer.code()), (400, code), "{shown}");
        if body.contains(r#""id":1,"#) && body.len() < 100 {
            assert_eq!(answer.json()["id"], 1, "{shown}");
        }
    }
    let mut client = Client::connect(fixture.address).await;
    let mut bytes = Ask::post(BODY).bytes();
    let at = bytes.len() - 3;
    bytes[at] = 0xff;
    client.send(bytes).await;
    assert_eq!(client.answer().await.code(), -32700, "not UTF-8");
}

/// Requests in one write are answered in order, each once.
#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    let texts: Vec<_> = (0..20).map(|n| n.to_string()).collect();
    let all: Vec<u8> = texts.iter().flat_map(|text| Ask::tool("echo", json!({ "text": text })).bytes()).collect();
    client.send(all).await;
    for text in texts {
        assert_eq!(client.answer().await.text(), text);
    }
}

/// T-030: clients that vanish in the middle of a body leave nothing behind.
#[tokio::test]
async fn resets_in_the_middle_of_a_body() {
    let fixture = Fixture::start().await;
    for cut in 0..200 {
        let bytes = Ask::tool("echo", json!({})).bytes();
        let mut client = Client::connect(fixture.address).await;
        client.send(&bytes[..bytes.len() * cut / 200]).await;
    }
    assert_eq!(fixture.ask(&Ask::tool("echo", json!({}))).await.status, 200);
    assert_eq!(fixture.tools.running.load(std::sync::atomic::Ordering::SeqCst), 0);
}
