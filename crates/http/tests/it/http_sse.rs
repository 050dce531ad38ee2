//! The HTTP+SSE transport of 2024-11-05.

use jackfield_http::HttpConfig;
use serde_json::{Value, json};

use crate::client::{Ask, Client};
use crate::fixture::{Fixture, Users};

struct Sse {
    stream: Client,
    endpoint: String,
    address: std::net::SocketAddr,
}

impl Sse {
    async fn open(fixture: &Fixture, user: Option<&str>) -> Self {
        let mut stream = Client::connect(fixture.address).await;
        let ask = Ask::new("GET", "/sse");
        let head = stream.open(&user.map_or(ask.clone(), |user| ask.with("user", user))).await;
        assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
        let event = stream.event().await.unwrap();
        assert_eq!(event.event, "endpoint");
        Self { stream, endpoint: event.data, address: fixture.address }
    }

    async fn post(&self, body: Value) -> u16 {
        Client::connect(self.address).await.ask(&Ask::post(body).without("accept").path(&self.endpoint)).await.status
    }

    async fn message(&mut self) -> Value {
        let event = self.stream.event().await.unwrap();
        assert_eq!((event.event.as_str(), event.id.as_str()), ("message", ""));
        serde_json::from_str(&event.data).unwrap()
    }

    async fn initialize(&mut self) {
        let params = json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "old", "version": "1" } });
        assert_eq!(
            self.post(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })).await,
            202
        );
        assert_eq!(self.message().await["result"]["protocolVersion"], "2024-11-05");
        assert_eq!(self.post(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await, 202);
    }
}

fn call(id: u32, name: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": { "text": "hi" } } })
}

/// HTTP-001, HTTP-002, HTTP-004, HTTP-116: the endpoint first, then each answer as a `message` event.
#[tokio::test]
async fn a_session_of_the_old_transport() {
    let mut fixture = Fixture::start().await;
    let mut sse = Sse::open(&fixture, None).await;
    assert!(sse.endpoint.starts_with("/message?sessionId="));
    assert_eq!(sse.post(call(1, "echo")).await, 202);
    assert_eq!(sse.message().await["error"]["code"], -32602, "initialize comes first");
    sse.initialize().await;
    assert_eq!(sse.post(call(2, "echo")).await, 202);
    assert_eq!(sse.message().await["result"]["content"][0]["text"], "hi");
    assert_eq!(sse.post(call(3, "count")).await, 202);
    for progress in 1..=3 {
        assert_eq!(sse.message().await["params"]["progress"], progress);
    }
    assert_eq!(sse.message().await["id"], 3);
    assert_eq!(sse.post(call(4, "ask")).await, 202);
    let question = sse.message().await;
    assert_eq!(sse.post(json!({ "jsonrpc": "2.0", "id": question["id"], "result": {} })).await, 202);
    assert_eq!(sse.message().await["result"]["content"][0]["text"], "answered {}");
    assert_eq!(sse.post(json!([call(5, "echo"), call(6, "echo")])).await, 202);
    assert_eq!(sse.message().await.as_array().unwrap().len(), 2);
    assert_eq!(sse.post(json!({ "jsonrpc": "2.0", "id": 7 })).await, 400);
    assert_eq!(sse.message().await["id"], 7, "rule 4: a readable id is always answered");
    let again = json!({ "jsonrpc": "2.0", "id": 8, "method": "initialize", "params": {} });
    assert_eq!(sse.post(again).await, 202);
    assert_eq!(sse.message().await["error"]["code"], -32600, "T-048");
    // The session ends with its stream, and takes its calls with it.
    assert_eq!(sse.post(call(9, "wait")).await, 202);
    fixture.see("waiting 9").await;
    let endpoint = sse.endpoint.clone();
    drop(sse);
    fixture.see("dropped").await;
    assert_eq!(fixture.ask(&Ask::post(call(1, "echo")).path(&endpoint)).await.status, 404);
    assert_eq!(fixture.service.sessions(), 0);
}

/// A notification for which there is no room is refused, as on the newer transport: the client must not take it for heard.
#[tokio::test]
async fn a_notification_without_room_is_refused() {
    let mut fixture = Fixture::limited(HttpConfig::default(), |calls| calls.requests_in_flight = 2).await;
    let mut sse = Sse::open(&fixture, None).await;
    sse.initialize().await;
    for id in 1..=2 {
        assert_eq!(sse.post(call(id, "wait")).await, 202);
        fixture.see(&format!("waiting {id}")).await;
    }
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
    for status in [202, 202, 429] {
        assert_eq!(sse.post(notice.clone()).await, status, "as many as requests, and beside them");
    }
    fixture.let_go(4);
    for _ in 1..=2 {
        assert_eq!(sse.message().await["result"]["content"][0]["text"], "waited");
    }
    for _ in 1..=4 {
        fixture.see("dropped").await;
    }
    assert_eq!(sse.post(notice).await, 202);
    fixture.see("waiting -").await;
}

/// T-040, T-042, T-043: messages reach their own session only, and only its user's.
#[tokio::test]
async fn sessions_of_the_old_transport_do_not_mix() {
    let fixture = Fixture::with(HttpConfig::default().with_authenticator(Users)).await;
    let ann = Sse::open(&fixture, Some("ann")).await;
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    for user in [None, Some("bob")] {
        let ask = Ask::post(&ping).path(&ann.endpoint);
        assert_eq!(fixture.ask(&user.map_or(ask.clone(), |user| ask.with("user", user))).await.status, 404);
    }
    assert_eq!(fixture.ask(&Ask::post(&ping).path("/message").with("user", "ann")).await.status, 400);
    assert_eq!(fixture.ask(&Ask::post(&ping).path("/message?sessionId=x").with("user", "ann")).await.status, 404);
    // A session of one transport is not one of the other.
    let id = ann.endpoint.split('=').nth(1).unwrap();
    assert_eq!(fixture.ask(&Ask::post(&ping).with("user", "ann").with("mcp-session-id", id)).await.status, 404);
    let answer = fixture.ask(&Ask::post(&ping).path(&ann.endpoint).with("user", "ann")).await;
    assert_eq!(answer.status, 202);
}
