//! What is said beside calls: notifications that take their time, questions that nobody answers, and a service that ends.

use std::time::Duration;

use http::Request;
use jackfield_http::{Body, HttpConfig};
use jackfield_peer::CallLimits;
use serde_json::{Value, json};
use tower_service::Service as _;

use crate::client::{Ask, Client, MODERN, Session};
use crate::fixture::Fixture;

const CHANGED: &str = "notifications/roots/list_changed";

fn modern_notice(method: &str) -> Ask {
    Ask::post(json!({ "jsonrpc": "2.0", "method": CHANGED, "params": { "_meta": {
        "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} } } }))
    .with("mcp-protocol-version", MODERN)
    .with("mcp-method", method)
}

/// HTTP-018: a notification is accepted at once, however long its handler takes, and the session goes on beside it.
#[tokio::test]
async fn a_slow_notification_is_accepted_at_once() {
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let answer = session.ask(&session.post(json!({ "jsonrpc": "2.0", "method": CHANGED }))).await;
    assert_eq!((answer.status, answer.body.len()), (202, 0));
    fixture.see("waiting -").await;
    assert_eq!(session.ask(&session.tool(1, "echo", json!({ "text": "beside" }))).await.text(), "beside");
    fixture.let_go(1);
    fixture.see("released").await;
    fixture.see("dropped").await;
}

/// A notification that still runs when its session ends is dropped with it.
#[tokio::test]
async fn a_slow_notification_ends_with_its_session() {
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    session.ask(&session.post(json!({ "jsonrpc": "2.0", "method": CHANGED }))).await;
    fixture.see("waiting -").await;
    assert_eq!(session.ask(&session.sign(Ask::get().verb("DELETE"))).await.status, 204);
    fixture.see("dropped").await;
}

/// HTTP-018: in the modern era nothing outlives its request: a notification is accepted when its work is done.
#[tokio::test]
async fn a_modern_notification_is_accepted_when_it_is_done() {
    let mut fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    client.send(modern_notice(CHANGED).bytes()).await;
    fixture.see("waiting -").await;
    fixture.let_go(1);
    let answer = client.answer().await;
    assert_eq!((answer.status, answer.body.len()), (202, 0));
    fixture.see("dropped").await;
}

/// The headers of a notification may be absent, but may not contradict it; then its handler does not run.
#[tokio::test]
async fn a_notification_that_contradicts_its_headers_is_refused() {
    let fixture = Fixture::start().await;
    fixture.let_go(10);
    let answer = fixture.ask(&modern_notice("notifications/other")).await;
    assert_eq!((answer.status, answer.code()), (400, -32020));
    let answer = fixture.ask(&modern_notice(CHANGED).with("mcp-protocol-version", "2025-11-25")).await;
    assert_eq!(answer.status, 400);
    assert_eq!(fixture.tools.gate.available_permits(), 10, "no handler ran");
    assert_eq!(fixture.ask(&modern_notice(CHANGED).without("mcp-method")).await.status, 202);
    assert_eq!(fixture.tools.gate.available_permits(), 9);
}

/// A question that is not answered in time fails, and the client hears that it is no longer wanted.
#[tokio::test]
async fn a_question_does_not_wait_for_ever() {
    let change = |calls: &mut CallLimits| calls.question_timeout = Duration::from_millis(1);
    let fixture = Fixture::limited(HttpConfig::default(), change).await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut stream = session.stream(&session.tool(1, "ask", json!({}))).await;
    let question = stream.message().await.unwrap();
    assert_eq!(question["method"], "elicitation/create");
    let withdrawn = stream.message().await.unwrap();
    assert_eq!(
        (&withdrawn["method"], &withdrawn["params"]["requestId"]),
        (&json!("notifications/cancelled"), &question["id"])
    );
    let answer = stream.message().await.unwrap();
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("in time"), "{answer}");
}

/// More questions than the limit are not asked; the one that waits is answered all the same.
#[tokio::test]
async fn questions_above_the_limit_are_not_asked() {
    let fixture = Fixture::limited(HttpConfig::default(), |calls| calls.questions_waiting = 1).await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut first = session.stream(&session.tool(1, "ask", json!({}))).await;
    let question = first.message().await.unwrap();
    let mut second = session.stream(&session.tool(2, "ask", json!({}))).await;
    let refused = second.message().await.unwrap();
    assert!(refused["result"]["content"][0]["text"].as_str().unwrap().contains("too many questions"), "{refused}");
    let reply = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept" } });
    assert_eq!(session.ask(&session.post(reply)).await.status, 202);
    let answer = first.message().await.unwrap();
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("accept"), "{answer}");
}

/// HTTP-020: a client that takes streams only gets the answer to `initialize` as one.
#[tokio::test]
async fn initialize_is_answered_as_a_stream_if_nothing_else_is_taken() {
    let fixture = Fixture::start().await;
    let answer = fixture.ask(&crate::client::initialize("2025-06-18").with("accept", "text/event-stream")).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
    assert!(answer.header("mcp-session-id").is_some());
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    let data = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(data).unwrap()["result"]["protocolVersion"], "2025-06-18");
}

/// T-173: an application that mounts the service ends it: calls finish, sessions are gone, and its health says so.
#[tokio::test]
async fn a_mounted_service_can_be_ended() {
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut call = Client::connect(fixture.address).await;
    call.send(session.tool(1, "wait", json!({})).bytes()).await;
    fixture.see("waiting 1").await;
    let mut service = fixture.service.clone();
    let ending = service.clone();
    let mut task = tokio::task::JoinSet::new();
    task.spawn(async move { ending.shutdown().await });
    fixture.let_go(1);
    assert_eq!(call.answer().await.text(), "waited");
    task.join_next().await.unwrap().unwrap();
    assert_eq!(service.sessions(), 0);
    let health = Request::get("/healthz").header("host", "localhost").body(Body::empty()).unwrap();
    assert_eq!(service.call(health).await.unwrap().status(), 503);
}
