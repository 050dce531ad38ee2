//! Streams of the legacy era: questions, the stream of the session, coming back.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::client::{Client, Session};
use crate::fixture::Fixture;

fn answer(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// HTTP-022, HTTP-024, HTTP-027, HTTP-032, HTTP-045, HTTP-046: a stream begins with a priming event where the revision knows
/// it, numbers its events, and ends with the answer.
#[tokio::test]
async fn a_stream_of_a_request() {
    let fixture = Fixture::start().await;
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = Session::open(fixture.address, version).await;
        let mut stream = session.stream(&session.tool(1, "count", json!({ "to": 2 }))).await;
        let mut events = Vec::new();
        while let Some(event) = stream.event().await {
            events.push(event);
        }
        if version == "2025-11-25" {
            let primer = events.remove(0);
            assert_eq!((primer.data.as_str(), primer.retry), ("", Some(1000)));
            assert!(primer.id.ends_with("-0"));
        }
        assert_eq!(events.len(), 3, "{version}");
        let stream_of = |id: &str| id.split('-').next().unwrap().to_owned();
        assert!(events.iter().enumerate().all(|(i, e)| e.id.ends_with(&format!("-{}", i + 1))));
        assert!(events.iter().all(|e| stream_of(&e.id) == stream_of(&events[0].id)));
        assert_eq!(serde_json::from_str::<Value>(&events[2].data).unwrap()["id"], 1);
    }
}

/// HTTP-024, HTTP-018, HTTP-041: a question goes out on the stream of its request, and so does the response, while the session's own stream
/// carries neither; the answer comes by POST.
#[tokio::test]
async fn a_question_travels_on_the_stream_of_its_request() {
    let fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-06-18").await;
    let mut standalone = session.stream(&session.get()).await;
    let mut stream = session.stream(&session.tool(1, "ask", json!({}))).await;
    let question = stream.message().await.unwrap();
    assert_eq!(question["method"], "elicitation/create");
    // T-046: another session cannot answer, and strangers' answers are dropped.
    let other = Session::open(fixture.address, "2025-06-18").await;
    assert_eq!(other.ask(&other.post(answer(&question["id"], json!({ "action": "decline" })))).await.status, 202);
    assert_eq!(session.ask(&session.post(answer(&json!(99), json!({})))).await.status, 202);
    assert_eq!(session.ask(&session.post(answer(&question["id"], json!({ "action": "accept" })))).await.status, 202);
    let result = stream.message().await.unwrap();
    assert_eq!(result["result"]["content"][0]["text"], r#"answered {"action":"accept"}"#);
    assert_eq!(stream.message().await, None);

    // HTTP-040, HTTP-043, HTTP-044: what belongs to no request goes out on the session's stream, and only there.
    let mut client = Client::connect(fixture.address).await;
    client.send(session.tool(2, "ask_elsewhere", json!({})).bytes()).await;
    let question = standalone.message().await.unwrap();
    assert_eq!(question["method"], "roots/list");
    assert_eq!(session.ask(&session.post(answer(&question["id"], json!({ "roots": [] })))).await.status, 202);
    let answer = client.answer().await;
    assert_eq!(
        (answer.header("content-type"), answer.text().as_str()),
        (Some("application/json"), r#"answered {"roots":[]}"#)
    );
}

/// A client that takes no stream cannot be asked, and learns so by the tool's own words.
#[tokio::test]
async fn a_client_without_streams_is_not_asked() {
    let fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-06-18").await;
    let answer = session.ask(&session.tool(1, "ask", json!({})).with("accept", "application/json")).await;
    assert!(answer.text().starts_with("failed"));
    let answer = session.ask(&session.tool(1, "echo", json!({})).with("accept", "text/event-stream")).await;
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    assert_eq!(session.ask(&session.get().with("accept", "application/json")).await.status, 406, "HTTP-038");
}

/// Cancelling a call withdraws the question it asked.
#[tokio::test]
async fn a_cancelled_call_withdraws_its_question() {
    let fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-06-18").await;
    let mut stream = session.stream(&session.tool(4, "ask", json!({}))).await;
    let question = stream.message().await.unwrap();
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 4 } });
    session.ask(&session.post(cancel)).await;
    let mut rest = Vec::new();
    while let Some(message) = stream.message().await {
        rest.push(message);
    }
    // The stream ends; whether the withdrawal still fits in depends on who is faster.
    assert!(
        rest.iter().all(|message| message["method"] == "notifications/cancelled"
            && message["params"]["requestId"] == question["id"])
    );
}

/// HTTP-033, HTTP-034, HTTP-035, HTTP-047, HTTP-049: the server closes the connection of a call; the client comes back and gets the answer that was finished meanwhile.
#[tokio::test]
async fn the_server_may_close_a_connection_and_deliver_later() {
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut stream = session.stream(&session.tool(1, "reconnect", json!({}))).await;
    let primer = stream.event().await.unwrap();
    assert_eq!(primer.data, "");
    assert_eq!(stream.event().await, None, "closed without an answer");
    assert_eq!(stream.retry(), Some(25));
    fixture.see("released true").await;
    fixture.let_go(1);
    fixture.see("dropped").await;
    let mut back = session.stream(&session.get().with("last-event-id", &primer.id)).await;
    let message = back.message().await.unwrap();
    assert_eq!((message["id"].clone(), message["result"]["content"][0]["text"].clone()), (json!(1), json!("waited")));
    assert_eq!(back.message().await, None, "the answer ends the stream");
    // Each event once: who has it does not get it again.
    let mut again = session.stream(&session.get().with("last-event-id", &primer.id.replace("-0", "-1"))).await;
    assert_eq!(again.message().await, None);
}

/// Older revisions know no polling, so that the server does not close early (HTTP-023).
#[tokio::test]
async fn older_revisions_are_not_released() {
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-06-18").await;
    let mut client = Client::connect(fixture.address).await;
    client.send(session.tool(1, "reconnect", json!({})).bytes()).await;
    fixture.see("released false").await;
    fixture.let_go(1);
    assert_eq!(client.answer().await.text(), "waited");
}

/// T-045, T-047, HTTP-048: an id leads to its own stream only; what is invented, foreign or malformed leads nowhere.
#[tokio::test]
async fn only_the_own_stream_is_resumed() {
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let other = Session::open(fixture.address, "2025-11-25").await;
    let mut first = session.stream(&session.tool(1, "wait_after_notice", json!({}))).await;
    let mut second = session.stream(&session.tool(2, "count", json!({ "to": 5 }))).await;
    let primer = first.event().await.unwrap();
    while second.event().await.is_some() {}
    drop(first);
    fixture.let_go(1);
    fixture.see("dropped").await;
    let mut back = session.stream(&session.get().with("last-event-id", &primer.id)).await;
    assert_eq!(back.message().await.unwrap()["method"], "notifications/progress");
    assert_eq!(back.message().await.unwrap()["id"], 1);
    assert_eq!(back.message().await, None);
    let stream = primer.id.split('-').next().unwrap();
    let huge = "9".repeat(4000);
    for id in ["0000000000000000-0", &format!("{stream}-3"), &format!("{stream}-{huge}"), stream, "x", "", "0-0", "-"] {
        let answer = session.ask(&session.get().with("last-event-id", id)).await;
        assert_eq!(answer.status, 400, "{id}");
    }
    assert_eq!(other.ask(&other.get().with("last-event-id", &primer.id)).await.status, 400);
}

/// HTTP-039, HTTP-042: the session's stream can be left and opened again; a second one replaces the first; nothing is lost.
#[tokio::test]
async fn the_stream_of_the_session() {
    let fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let inner = fixture.tools.session.lock().unwrap().clone().unwrap();
    let notice =
        |n: u32| json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": n }).to_string().into_bytes();
    assert!(!inner.outlet().try_notify(None, notice(0)), "nobody listens yet");
    let mut stream = session.stream(&session.get()).await;
    assert!(inner.outlet().try_notify(None, notice(1)));
    assert_eq!(stream.message().await.unwrap()["params"], 1);
    let mut replacing = session.stream(&session.get()).await;
    assert_eq!(stream.event().await, None);
    assert!(inner.outlet().try_notify(None, notice(2)));
    replacing.event().await.unwrap();
    let second = replacing.event().await.unwrap();
    assert!(second.data.ends_with("2}"));
    drop(replacing);
    assert!(inner.outlet().try_notify(None, notice(3)));
    assert!(inner.outlet().try_notify(None, notice(4)));
    let mut back = session.stream(&session.get().with("last-event-id", &second.id)).await;
    assert_eq!(back.message().await.unwrap()["params"], 3);
    let last = back.event().await.unwrap();
    drop(back);
    assert!(inner.outlet().try_notify(None, notice(5)));
    let mut resumed = session.stream(&session.get().with("last-event-id", &last.id)).await;
    assert_eq!(resumed.message().await.unwrap()["params"], 5);
    assert!(inner.outlet().release(std::time::Duration::from_millis(7)));
    assert_eq!(resumed.event().await, None);
    assert_eq!(resumed.retry(), Some(7));
    assert_eq!(session.ask(&session.sign(session.get().verb("DELETE"))).await.status, 204);
    assert!(!inner.outlet().try_notify(None, notice(6)), "the session is over");
    assert!(Arc::strong_count(&inner) >= 1);
}

/// T-029: a client that does not read holds up its own call only, and bounded memory.
#[tokio::test]
async fn a_slow_reader_is_waited_for() {
    let fixture = Fixture::start().await;
    for session in [None, Some(Session::open(fixture.address, "2025-11-25").await)] {
        let ask = match &session {
            Some(session) => session.tool(1, "count", json!({ "to": 20_000 })),
            None => crate::client::Ask::tool("count", json!({ "to": 20_000 })),
        };
        let mut client = Client::connect(fixture.address).await;
        client.open(&ask).await;
        // Others are served while this one does not read.
        assert_eq!(fixture.ask(&crate::client::Ask::tool("echo", json!({ "text": "x" }))).await.text(), "x");
        let mut count = 0;
        while let Some(message) = client.message().await {
            count += 1;
            if count <= 20_000 {
                assert_eq!(message["params"]["progress"], count);
            }
        }
        assert_eq!(count, 20_001);
    }
}

/// A deleted session ends its calls and its streams.
#[tokio::test]
async fn a_deleted_session_ends_what_runs_in_it() {
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut standalone = session.stream(&session.get()).await;
    let mut waiting = Client::connect(fixture.address).await;
    waiting.send(session.tool(1, "wait", json!({})).bytes()).await;
    fixture.see("waiting 1").await;
    let mut streaming = session.stream(&session.tool(2, "wait_after_notice", json!({}))).await;
    fixture.see("waiting 2").await;
    assert_eq!(session.ask(&session.get().verb("DELETE")).await.status, 204);
    fixture.see("dropped").await;
    fixture.see("dropped").await;
    assert_eq!(waiting.answer().await.status, 404);
    while streaming.event().await.is_some() {}
    while standalone.event().await.is_some() {}
    assert_eq!(fixture.service.sessions(), 0);
}
