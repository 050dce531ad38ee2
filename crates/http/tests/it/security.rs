//! Sessions under attack.

use std::sync::Arc;

use jackfield_http::{Body, HttpConfig, StreamableService};
use serde_json::json;

use crate::client::{Ask, Client, Session, initialize};
use crate::fixture::{Fixture, Tools, Users};

/// T-040, SEC-019, SEC-021: a session belongs to the user who opened it; for everybody else it does not exist.
#[tokio::test]
async fn a_stolen_session_id_is_worth_nothing() {
    let mut fixture = Fixture::with(HttpConfig::default().with_authenticator(Users)).await;
    let ann = Session::open_as(fixture.address, "2025-11-25", Some("ann")).await;
    let nobodys = Session::open(fixture.address, "2025-11-25").await;
    let mut stream = ann.stream(&ann.tool(1, "wait_after_notice", json!({}))).await;
    let primer = stream.event().await.unwrap();
    fixture.see("waiting 1").await;
    let requests = |session: &Session| {
        vec![
            session.tool(2, "who", json!({})),
            session
                .post(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } })),
            session.post(json!({ "jsonrpc": "2.0", "id": 1, "result": {} })),
            session.get(),
            session.get().with("last-event-id", &primer.id),
            session.sign(initialize("2025-11-25")),
            session.get().verb("DELETE"),
        ]
    };
    for (session, thieves) in
        [(&ann, [Some("bob"), Some("ANN"), None]), (&nobodys, [Some("ann"), Some("bob"), Some("")])]
    {
        for thief in thieves {
            let stolen = Session { user: thief.map(str::to_owned), ..session.clone() };
            for ask in requests(&stolen).into_iter().map(|ask| if thief.is_none() { ask.without("user") } else { ask })
            {
                assert_eq!(fixture.ask(&ask).await.status, 404, "{thief:?} {ask:?}");
            }
        }
    }
    assert_eq!(ann.ask(&ann.tool(2, "who", json!({}))).await.text(), r#"Some("ann")"#);
    assert_eq!(nobodys.ask(&nobodys.tool(2, "who", json!({}))).await.text(), "None");
    fixture.let_go(1);
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/progress");
    assert_eq!(stream.message().await.unwrap()["id"], 1);
}

/// T-040 for the modern era: each request is who it says, also one after the other on one connection.
#[tokio::test]
async fn modern_callers_are_not_mixed_up() {
    let fixture = Fixture::with(HttpConfig::default().with_authenticator(Users)).await;
    let mut client = Client::connect(fixture.address).await;
    for (user, seen) in [
        (Some("ann"), r#"Some("ann")"#),
        (None, "None"),
        (Some("bob"), r#"Some("bob")"#),
        (Some("ann"), r#"Some("ann")"#),
    ] {
        let ask = Ask::tool("who", json!({}));
        let answer = client.ask(&user.map_or(ask.clone(), |user| ask.with("user", user))).await;
        assert_eq!(answer.text(), seen);
    }
}

/// Callers are decoded once for a connection, authenticated ones as well as others: the handler gets the same value again.
#[tokio::test]
async fn known_callers_are_not_decoded_again() {
    let fixture = Fixture::with(HttpConfig::default().with_authenticator(Users)).await;
    let mut client = Client::connect(fixture.address).await;
    let users = [Some("ann"), None, Some("bob through editor"), Some("bob")];
    for user in users.into_iter().cycle().take(3 * users.len()) {
        let ask = Ask::tool("who", json!({}));
        assert_eq!(client.ask(&user.map_or(ask.clone(), |user| ask.with("user", user))).await.status, 200);
    }
    let callers = fixture.tools.callers.lock().unwrap();
    assert_eq!(callers.len(), 3 * users.len());
    for (at, caller) in callers.iter().enumerate() {
        for (other, earlier) in callers.iter().take(at).enumerate() {
            assert_eq!(Arc::ptr_eq(caller, earlier), at % users.len() == other % users.len(), "{at} {other}");
        }
    }
}

/// T-050: what was understood of a client before does not hide that its next request contradicts itself.
#[tokio::test]
async fn a_known_client_is_checked_like_any_other() {
    let fixture = Fixture::start().await;
    let mut client = Client::connect(fixture.address).await;
    let good = || Ask::tool("who", json!({}));
    for (ask, status) in [
        (good(), 200),
        (good().with("mcp-protocol-version", "2025-11-25"), 400),
        (good(), 200),
        (good().without("mcp-protocol-version"), 400),
        (good().with("mcp-name", "echo"), 400),
        (good().with("mcp-method", "tools/list"), 400),
        (Ask::modern("ping", json!({})), 404),
        (
            Ask::post(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} }))
                .with("mcp-protocol-version", "2026-07-28")
                .with("mcp-method", "tools/list"),
            400,
        ),
        (good(), 200),
    ] {
        assert_eq!(client.ask(&ask).await.status, status, "{ask:?}");
    }
}

/// T-041: sessions are bounded; the idle ones make room, those in use do not; users have a share.
#[tokio::test]
async fn sessions_are_bounded() {
    let config = HttpConfig::default().with_authenticator(Users).with_limits(|limits| {
        limits.sessions = 3;
        limits.sessions_per_principal = 2;
    });
    let fixture = Fixture::with(config).await;
    let busy = Session::open(fixture.address, "2025-11-25").await;
    let _stream = busy.stream(&busy.get()).await;
    let idle = Session::open(fixture.address, "2025-11-25").await;
    for _ in 0..50 {
        assert_eq!(fixture.ask(&initialize("2025-11-25")).await.status, 200);
        assert!(fixture.service.sessions() <= 3);
    }
    // Those that were opened and never used make room for each other.
    assert_eq!(idle.ask(&idle.tool(1, "echo", json!({}))).await.status, 200);
    assert_eq!(busy.ask(&busy.tool(1, "echo", json!({}))).await.status, 200);

    let mut streams = Vec::new();
    for _ in 0..2 {
        let session = Session::open(fixture.address, "2025-11-25").await;
        streams.push(session.stream(&session.get()).await);
    }
    let answer = fixture.ask(&initialize("2025-11-25")).await;
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")));
    assert_eq!((answer.code(), &answer.json()["id"]), (503, &json!(0)));
    // The one that was idle made room for one that is used.
    assert_eq!(idle.ask(&idle.tool(1, "echo", json!({}))).await.status, 404);
    drop(streams);

    let fixture = Fixture::with(
        HttpConfig::default().with_authenticator(Users).with_limits(|limits| limits.sessions_per_principal = 2),
    )
    .await;
    for (user, status) in [("ann", 200), ("ann", 200), ("ann", 503), ("bob", 200)] {
        assert_eq!(fixture.ask(&initialize("2025-11-25").with("user", user)).await.status, status, "{user}");
    }
}

/// T-041: a flood of `initialize` leaves the table at its limit.
#[tokio::test]
async fn a_flood_of_sessions_is_bounded() {
    let (tools, _seen) = Tools::new();
    let service = StreamableService::new(tools, HttpConfig::default().with_limits(|limits| limits.sessions = 100));
    let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "flood", "version": "1" } } });
    for _ in 0..5_000 {
        let request = http::Request::post("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .body(Body::full(body.to_string()))
            .unwrap();
        assert_eq!(service.serve(request).await.status(), 200);
    }
    assert_eq!(service.sessions(), 100);
}

/// T-057, BASE-063: hostile names, trace headers and `_meta` change nothing.
#[tokio::test]
async fn claims_are_not_believed() {
    let fixture = Fixture::start().await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "\u{1b}[2J\r\nroot", "version": "x".repeat(10_000) },
        "traceparent": "00-zz-\r\n-01",
        "baggage": "a=b".repeat(1000),
    });
    let params = json!({ "name": "who", "_meta": meta });
    let ask = Ask::post(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }))
        .with("mcp-protocol-version", "2026-07-28")
        .with("mcp-method", "tools/call")
        .with("mcp-name", "who")
        .with("traceparent", "garbage")
        .with("x-forwarded-user", "root");
    assert_eq!(fixture.ask(&ask).await.text(), "None");
}
