//! Clients that want to do harm: memory, floods, and secrets in places where others look.

use std::sync::atomic::Ordering;

use jackfield_http::HttpConfig;
use serde_json::json;

use crate::client::{Ask, Client, Session};
use crate::fixture::{Fixture, Users};
use crate::logging::Scribe;

/// The most memory that this process has had, in KiB.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// T-003: 64 MiB, announced or in chunks, cost no memory worth speaking of.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn giant_bodies_cost_no_memory() {
    const CHUNK: usize = 64 * 1024;
    const CHUNKS: usize = 1024;
    let fixture = Fixture::start().await;
    let head = || Ask::new("POST", "/mcp").with("content-type", "application/json");
    let chunk = vec![b' '; CHUNK];
    let framed = [format!("{CHUNK:x}\r\n").as_bytes(), &chunk, b"\r\n"].concat();
    let before = peak();
    for (head, piece) in [
        (head().with("content-length", &(CHUNK * CHUNKS).to_string()), &chunk),
        (head().with("transfer-encoding", "chunked"), &framed),
    ] {
        let mut client = Client::connect(fixture.address).await;
        client.send(head.bytes()).await;
        for _ in 0..CHUNKS {
            // The server stops taking it at some point.
            if !client.try_send(piece).await {
                break;
            }
        }
        // The answer is lost if the connection is reset while the client still writes.
        if let Some(answer) = client.try_answer().await {
            assert_eq!(answer.status, 413);
        }
    }
    assert!(peak() - before < 48 * 1024, "{} KiB more", peak() - before);
    assert_eq!(fixture.ask(&Ask::tool("echo", json!({}))).await.status, 200, "others are served");
}

/// T-028: callers whom nobody authenticated have a limit too, by their address; what is over makes room.
#[tokio::test]
async fn anonymous_requests_in_flight_are_bounded() {
    let config = HttpConfig::default().with_limits(|limits| limits.requests_per_address = 2);
    let mut fixture = Fixture::with(config.with_authenticator(Users)).await;
    let mut waiting = Vec::new();
    for _ in 0..2 {
        let mut client = Client::connect(fixture.address).await;
        client.send(Ask::tool("wait", json!({})).bytes()).await;
        fixture.see("waiting 1").await;
        waiting.push(client);
    }
    let refused = fixture.ask(&Ask::tool("echo", json!({}))).await;
    assert_eq!((refused.status, refused.header("retry-after").is_some()), (429, true));
    assert_eq!((refused.code(), &refused.json()["id"]), (429, &json!(1)));
    // A user has a share of its own, and so has a session.
    assert_eq!(fixture.ask(&Ask::tool("echo", json!({})).with("user", "ann")).await.status, 200);
    let session = Session::open(fixture.address, "2025-11-25").await;
    assert_eq!(session.ask(&session.tool(1, "echo", json!({}))).await.status, 200);
    fixture.let_go(1);
    fixture.see("dropped").await;
    // The handler is dropped a moment before its request is over, for which there is no event.
    jackfield_testkit::eventually("there is room for another request", async || {
        let again = fixture.ask(&Ask::tool("echo", json!({}))).await;
        assert!([200, 429].contains(&again.status), "{}", again.status);
        again.status == 200
    })
    .await;
    drop(waiting);
}

/// T-044: the id of a session stands neither in logs and spans nor in health pages and errors; a short mark does.
#[tokio::test]
async fn session_ids_stay_secret() {
    let (scribe, _logging) = Scribe::listen();
    let fixture =
        Fixture::with(HttpConfig::default().with_limits(|limits| limits.sessions = 2).with_authenticator(Users)).await;
    let session = Session::open_as(fixture.address, "2025-11-25", Some("ann")).await;
    let other = Session::open_as(fixture.address, "2025-06-18", Some("bob")).await;
    let mut told = String::new();
    let mut asks = vec![
        session.tool(1, "echo", json!({ "text": "hi" })),
        session.tool(2, "panic", json!({})),
        session.tool(3, "unknown", json!({})),
        session.post("not json"),
        session.get().with("last-event-id", "nonsense"),
        session.tool(4, "echo", json!({})).with("user", "bob"),
        session.tool(5, "echo", json!({})).with("mcp-protocol-version", "1999-01-01"),
        Ask::new("GET", "/healthz"),
        Ask::new("GET", "/nowhere"),
    ];
    asks.push(session.get().verb("DELETE"));
    asks.push(session.tool(6, "echo", json!({})));
    for ask in &asks {
        let answer = Client::connect(fixture.address).await.ask(ask).await;
        told += &format!("{:?} {}", answer.headers, String::from_utf8_lossy(&answer.body));
    }
    // One more than there is room for: an idle one makes room, which is logged.
    Session::open_as(fixture.address, "2025-06-18", Some("cleo")).await;
    Session::open_as(fixture.address, "2025-06-18", Some("dora")).await;
    let logged = scribe.text();
    assert!(logged.contains("mcp.session.id=") && logged.contains("made room"), "{logged}");
    for secret in [&session.id, &other.id] {
        assert!(!logged.contains(secret.as_str()), "{logged}");
        assert!(!told.contains(secret.as_str()), "{told}");
    }
}

/// HTTP-036, T-030: clients that vanish in the middle of a stream, with and without a session, leave nothing behind: modern calls are
/// dropped, legacy ones are not cancelled but come to their end, and sessions take their streams with them.
#[tokio::test]
async fn clients_that_vanish_in_a_stream_leave_nothing() {
    let mut fixture = Fixture::start().await;
    for _ in 0..200 {
        let mut client = Client::connect(fixture.address).await;
        // The event behind the head is not read, so that the connection is reset.
        client.open(&Ask::tool("wait_after_notice", json!({}))).await;
        drop(client);
    }
    for _ in 0..200 {
        fixture.see("dropped").await;
    }
    assert_eq!(fixture.tools.running.load(Ordering::SeqCst), 0);

    let session = Session::open(fixture.address, "2025-11-25").await;
    for id in 0..100 {
        drop(session.stream(&session.tool(id, "wait_after_notice", json!({}))).await);
        drop(session.stream(&session.get()).await);
    }
    assert_eq!(fixture.tools.running.load(Ordering::SeqCst), 100, "a client may come back for the answers");
    fixture.let_go(100);
    for _ in 0..100 {
        fixture.see("released").await;
    }
    assert_eq!(session.ask(&session.get().verb("DELETE")).await.status, 204);
    assert_eq!(fixture.service.sessions(), 0);
    assert_eq!(fixture.tools.running.load(Ordering::SeqCst), 0);
}

/// T-008, T-028: answers that wait for the rest of their batch are bounded for all batches of a session.
#[tokio::test]
async fn answers_that_wait_for_their_batch_are_bounded() {
    let mut fixture = Fixture::with(HttpConfig::default().with_limits(|limits| limits.queued_bytes = 2000)).await;
    let session = Session::open(fixture.address, "2025-03-26").await;
    let batch = |first: u64, name: &str| {
        let call = |id: u64, name: &str| {
            let params = json!({ "name": name, "arguments": { "text": "x".repeat(500) } });
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
        };
        let mut calls: Vec<_> = (1..=9).map(|number| call(first + number, "echo")).collect();
        calls.push(call(first, name));
        session.post(serde_json::Value::from(calls))
    };
    // One batch alone may be as large as it is.
    let mut open = Client::connect(fixture.address).await;
    open.send(batch(100, "wait").bytes()).await;
    fixture.see("waiting 100").await;
    let refused = session.ask(&batch(200, "echo")).await.json();
    let refused = refused.as_array().unwrap();
    assert!(refused.len() == 10 && refused.iter().all(|answer| answer["error"]["code"] == 429), "{refused:?}");
    fixture.let_go(1);
    let whole = open.answer().await.json();
    assert!(whole.as_array().unwrap().iter().all(|answer| answer["result"].is_object()), "{whole}");
    let next = session.ask(&batch(300, "echo")).await.json();
    assert!(next.as_array().unwrap().iter().all(|answer| answer["result"].is_object()), "{next}");
}
