//! What depends on time, with a clock that jumps.

use std::time::Duration;

use jackfield_http::HttpConfig;
use jackfield_peer::CallLimits;
use serde_json::json;
use tokio::time::{Instant, advance};

use crate::client::{Ask, Client, Session, initialize};
use crate::fixture::Fixture;

/// T-026: a client that dribbles, in the head or in the body, or says nothing at all, is let go in time.
#[tokio::test(start_paused = true)]
async fn slow_clients_are_let_go() {
    let fixture = Fixture::start().await;
    let began = Instant::now();
    let mut silent = Client::connect(fixture.address).await;
    assert!(silent.is_closed().await);
    assert!(began.elapsed() <= Duration::from_secs(76));

    let began = Instant::now();
    let mut head = Client::connect(fixture.address).await;
    head.send("POST /mcp HT").await;
    assert!(head.is_closed().await);
    assert!(began.elapsed() <= Duration::from_secs(21));

    let began = Instant::now();
    let mut body = Client::connect(fixture.address).await;
    body.send(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    )
    .await;
    assert_eq!(body.answer().await.status, 408);
    assert!(began.elapsed() <= Duration::from_secs(16));
}

/// A keep-alive connection may be idle for its time, and is served within it.
#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_kept_for_a_while() {
    let fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    for _ in 0..3 {
        assert_eq!(client.ask(&Ask::tool("echo", json!({}))).await.status, 200);
        advance(Duration::from_secs(60)).await;
    }
    let began = Instant::now();
    assert!(client.is_closed().await);
    assert!(began.elapsed() <= Duration::from_secs(75));
}

/// HTTP-030: an answer that takes long becomes a stream, which shows that it lives; the answer still comes.
#[tokio::test(start_paused = true)]
async fn long_answers_become_streams_that_live() {
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    for ask in [Ask::tool("wait", json!({})), session.tool(1, "wait", json!({}))] {
        let mut client = Client::connect(fixture.address).await;
        client.send(ask.bytes()).await;
        fixture.see("waiting 1").await;
        let head = client.head().await.unwrap();
        assert_eq!(head.header("content-type"), Some("text/event-stream"));
        let mut comments = 0;
        while comments < 3 {
            comments += usize::from(client.chunk().await.unwrap() == b":\n\n");
        }
        fixture.let_go(1);
        let message = client.message().await.unwrap();
        assert_eq!(message["result"]["content"][0]["text"], "waited");
    }
}

/// T-041: idle sessions expire, sooner if they never became ready; calls under way and open streams keep them.
#[tokio::test(start_paused = true)]
async fn only_idle_sessions_expire() {
    let mut fixture = Fixture::start().await;
    fixture.ask(&initialize("2025-11-25")).await;
    let idle = Session::open(fixture.address, "2025-11-25").await;
    let listening = Session::open(fixture.address, "2025-11-25").await;
    let mut stream = listening.stream(&listening.get()).await;
    let calling = Session::open(fixture.address, "2025-11-25").await;
    let mut call = Client::connect(fixture.address).await;
    call.send(calling.tool(1, "wait", json!({})).bytes()).await;
    fixture.see("waiting 1").await;
    assert_eq!(fixture.service.sessions(), 4);
    advance(Duration::from_secs(40)).await;
    assert_eq!(idle.ask(&idle.tool(1, "echo", json!({}))).await.status, 200);
    assert_eq!(fixture.service.sessions(), 3, "the one that never became ready is gone");
    advance(Duration::from_secs(310)).await;
    assert_eq!(idle.ask(&idle.tool(1, "echo", json!({}))).await.status, 404);
    for session in [&listening, &calling] {
        assert_eq!(session.ask(&session.tool(2, "echo", json!({}))).await.status, 200);
    }
    fixture.let_go(1);
    call.head().await.unwrap();
    while call.message().await.is_some() {}
    advance(Duration::from_secs(310)).await;
    assert_eq!(calling.ask(&calling.tool(2, "echo", json!({}))).await.status, 404);
    assert_eq!(stream.event().await.map(|event| event.data), Some(String::new()));
    assert_eq!(listening.ask(&listening.tool(2, "echo", json!({}))).await.status, 200);
}

/// Finished streams are kept for their time, then forgotten.
#[tokio::test(start_paused = true)]
async fn finished_streams_are_forgotten() {
    let fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut stream = session.stream(&session.tool(1, "count", json!({}))).await;
    let primer = stream.event().await.unwrap();
    while stream.event().await.is_some() {}
    let mut again = session.stream(&session.get().with("last-event-id", &primer.id)).await;
    let mut count = 0;
    while again.message().await.is_some() {
        count += 1;
    }
    assert_eq!(count, 4);
    for _ in 0..2 {
        advance(Duration::from_secs(200)).await;
        assert_eq!(session.ask(&session.tool(1, "echo", json!({}))).await.status, 200);
    }
    assert_eq!(session.ask(&session.get().with("last-event-id", &primer.id)).await.status, 400);
}

/// A handler may have a time limit.
#[tokio::test(start_paused = true)]
async fn handlers_may_have_a_time_limit() {
    let change = |calls: &mut CallLimits| calls.request_timeout = Some(Duration::from_secs(5));
    let mut fixture = Fixture::limited(HttpConfig::default(), change).await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    for ask in [Ask::tool("wait", json!({})), session.tool(1, "wait", json!({}))] {
        assert_eq!(fixture.ask(&ask).await.code(), -32603);
        fixture.see("dropped").await;
    }
}

/// T-029: a client that never reads does not hold its call, nor its connection, for ever.
#[tokio::test(start_paused = true)]
async fn a_client_that_never_reads_is_let_go() {
    let mut fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    client.send(Ask::tool("count", json!({ "to": 1_000_000 })).bytes()).await;
    // Nothing is read. The call cannot have ended by itself: not even a tenth of its messages fits on the way.
    let began = Instant::now();
    fixture.see("dropped").await;
    assert!(began.elapsed() >= Duration::from_secs(30));
}

/// The longest time there is means that there is no limit, wherever it is set.
#[tokio::test]
async fn any_time_may_be_without_limit() {
    let config = HttpConfig::default().with_limits(|limits| {
        let times = [
            &mut limits.header_timeout,
            &mut limits.body_idle_timeout,
            &mut limits.body_timeout,
            &mut limits.keep_alive_timeout,
            &mut limits.write_timeout,
            &mut limits.session_idle,
            &mut limits.session_opening,
            &mut limits.kept_time,
            &mut limits.sse_keep_alive,
            &mut limits.drain,
        ];
        times.into_iter().for_each(|time| *time = Duration::MAX);
    });
    let no_limit = |calls: &mut CallLimits| {
        (calls.question_timeout, calls.request_timeout) = (Duration::MAX, Some(Duration::MAX));
    };
    let mut fixture = Fixture::limited(config, no_limit).await;
    let mut client = Client::connect(fixture.address).await;
    let ask = Ask::tool("bulk", json!({ "to": 24, "bytes": 1 << 20 })).bytes();
    let (head, body) = ask.split_at(ask.len() - 10);
    client.send(head).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    client.send(body).await;
    assert_eq!(client.head().await.unwrap().status, 200);
    // More is sent than fits into the buffers of the connection.
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    let mut messages = 0;
    while client.message().await.is_some() {
        messages += 1;
    }
    assert_eq!(messages, 25);
    let session = Session::open(fixture.address, "2025-11-25").await;
    assert_eq!(session.ask(&session.tool(1, "echo", json!({ "text": "x" }))).await.text(), "x");
    drop(client);
    fixture.trigger.trigger();
    fixture.task.join_next().await.unwrap().unwrap().unwrap();
}

/// Whatever a handler is asked has the same time: also the handshake, and notifications of both eras.
#[tokio::test(start_paused = true)]
async fn every_handler_has_the_same_time() {
    let config = HttpConfig::default().with_limits(|limits| limits.requests_per_address = 1);
    let change = |calls: &mut CallLimits| calls.request_timeout = Some(Duration::from_secs(1));
    let mut fixture = Fixture::limited(config, change).await;
    let opening = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "hang": true,
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    let answer = fixture.ask(&Ask::post(opening)).await;
    assert!(answer.json()["error"]["message"].as_str().unwrap().contains("too long"), "{answer:?}");

    let session = Session::open(fixture.address, "2025-11-25").await;
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
    assert_eq!(session.ask(&session.post(&note)).await.status, 202);
    fixture.see("waiting -").await;
    fixture.see("dropped").await;

    // One of the modern era is work under way, for as long as it takes.
    let mut note = note;
    note["params"]["_meta"] = json!({ "io.modelcontextprotocol/protocolVersion": crate::client::MODERN,
        "io.modelcontextprotocol/clientCapabilities": {} });
    let modern = |note: &serde_json::Value| {
        Ask::post(note)
            .with("mcp-protocol-version", crate::client::MODERN)
            .with("mcp-method", "notifications/roots/list_changed")
    };
    let mut first = Client::connect(fixture.address).await;
    first.send(modern(&note).bytes()).await;
    fixture.see("waiting -").await;
    let refused = fixture.ask(&modern(&note)).await;
    assert_eq!((refused.status, refused.code()), (429, 429));
    assert_eq!(first.answer().await.status, 202);
    fixture.see("dropped").await;
}

/// T-029: a handler waits once for a client that is away, not for each message; what is kept is there when the client comes back.
#[tokio::test(start_paused = true)]
async fn a_client_that_is_away_is_waited_for_once() {
    let config = HttpConfig::default().with_limits(|limits| limits.queued_messages = 2);
    let mut fixture = Fixture::with(config).await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut stream = session.stream(&session.tool(7, "reconnect_bulk", json!({ "to": 20, "bytes": 1 }))).await;
    let primer = stream.event().await.unwrap().id;
    assert_eq!(stream.event().await, None);
    let began = Instant::now();
    fixture.let_go(1);
    fixture.see("dropped").await;
    assert!(began.elapsed() <= Duration::from_secs(45), "{:?}", began.elapsed());
    let mut back = session.stream(&session.get().with("last-event-id", &primer)).await;
    for number in 1..=20 {
        assert_eq!(back.message().await.unwrap()["params"]["progress"], number);
    }
    assert_eq!(back.message().await.unwrap()["id"], 7);
}
