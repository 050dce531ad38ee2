//! What handlers know of HTTP, and what they can do with it.

use std::time::Duration;

use http::HeaderName;
use http::request::Parts;
use jackfield_http::{Authentication, Authenticator, HttpConfig};
use jackfield_peer::{CallLimits, Principal};
use jackfield_protocol::CallToolResult;
use jackfield_server::{Cx, Server};
use serde_json::json;

use super::Listening;
use super::client::{Ask, Client, Session};
use crate::demo::{plain, sync_tool};

/// What the gate knows of a user besides the name.
#[derive(Clone, Debug)]
struct Plan(&'static str);

/// Lets everyone in whose token it knows.
#[derive(Debug)]
struct Tokens;

impl Authenticator for Tokens {
    fn authenticate<'a>(&'a self, request: &'a mut Parts) -> Authentication<'a> {
        Box::pin(async move {
            assert_eq!(request.headers["authorization"], "Bearer secret-token", "the gate sees credentials");
            request.extensions.insert(Principal::new("issuer", "ann"));
            request.extensions.insert(Plan("gold"));
            Ok(())
        })
    }
}

fn facts(cx: &Cx) -> CallToolResult {
    let headers = cx.headers().map(|headers| format!("{headers:?}"));
    let user = cx.auth().map(|user| format!("{}/{}", user.issuer, user.subject));
    let plan = cx.extension::<Plan>().map(|plan| plan.0);
    // Nothing that the transport put beside the request has them either.
    let parts = cx.extensions().get::<Parts>().map(|parts| format!("{:?}", parts.headers));
    CallToolResult::text(format!("{headers:?} {user:?} {plan:?} {parts:?}"))
}

/// AUTH-124, AUTH-084 in part: headers reach handlers, the user and what the gate knows too; credentials do not, in both eras.
#[tokio::test]
async fn handlers_see_headers_but_no_credentials() {
    let server = Server::new("demo").tool(sync_tool("facts", json!({ "type": "object" }), |_, cx| facts(&cx)));
    let config = HttpConfig::default().with_authenticator(Tokens).hide_header(HeaderName::from_static("x-api-key"));
    let listening = Listening::with(server, config).await;
    let dress = |ask: Ask| {
        ask.with("authorization", "Bearer secret-token")
            .with("cookie", "id=secret-cookie")
            .with("proxy-authorization", "Basic secret-proxy")
            .with("x-api-key", "secret-key")
            .with("x-tenant", "acme")
    };
    let modern = Client::connect(listening.address).await.ask(&dress(Ask::tool("facts", json!({})))).await.text();
    let opened = Client::connect(listening.address).await.ask(&dress(super::client::initialize("2025-06-18"))).await;
    let id = opened.header("mcp-session-id").unwrap().to_owned();
    let session = Session { address: listening.address, id, version: "2025-06-18".to_owned(), user: None };
    let legacy = session.ask(&dress(session.tool(1, "facts", json!({})))).await.text();
    for text in [modern, legacy] {
        assert!(text.contains("x-tenant") && text.contains("acme"), "{text}");
        assert!(text.contains("issuer/ann") && text.contains("gold"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}

/// Without HTTP there are no headers, and nothing to let go of.
#[tokio::test]
async fn there_are_no_headers_without_http() {
    let server = Server::new("demo").tool(sync_tool("facts", json!({ "type": "object" }), |_, cx| {
        let released = cx.release(Duration::ZERO);
        CallToolResult::text(format!("{:?} {:?} {released}", cx.headers(), cx.auth()))
    }));
    let client = jackfield_server::testing::TestClient::of(server);
    let result = client.call_tool("facts", json!({})).await.unwrap();
    assert_eq!(result.content[0].as_text(), Some("None None false"));
}

fn releasing() -> Server {
    Server::new("demo").tool(plain("release", |cx: Cx| async move {
        let released = cx.release(Duration::from_millis(30));
        tokio::task::yield_now().await;
        CallToolResult::text(format!("released {released}"))
    }))
}

/// HTTP-034, HTTP-032, HTTP-049: a handler lets go of its connection; the client comes back and gets the answer.
#[tokio::test]
async fn a_handler_lets_go_of_its_connection() {
    let listening = Listening::start(releasing()).await;
    let session = Session::open(listening.address, "2025-11-25").await;
    let mut stream = session.stream(&session.tool(7, "release", json!({}))).await;
    let primer = stream.event().await.unwrap();
    assert!(primer.data.is_empty() && !primer.id.is_empty());
    assert_eq!(stream.event().await, None, "closed before the answer");
    assert_eq!(stream.retry(), Some(30));
    let mut back = session.stream(&session.get().with("last-event-id", &primer.id)).await;
    let answer = back.message().await.unwrap();
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!(7), &json!("released true")));
}

/// HTTP-023: where a client cannot come back for the answer, it is answered as ever.
#[tokio::test]
async fn elsewhere_nothing_is_let_go() {
    let listening = Listening::start(releasing()).await;
    for version in ["2025-03-26", "2025-06-18"] {
        let session = Session::open(listening.address, version).await;
        assert_eq!(session.ask(&session.tool(1, "release", json!({}))).await.text(), "released false");
    }
    let session = Session::open(listening.address, "2025-11-25").await;
    let plain = session.tool(1, "release", json!({})).with("accept", "application/json");
    assert_eq!(session.ask(&plain).await.text(), "released false");
    let modern = Client::connect(listening.address).await.ask(&Ask::tool("release", json!({}))).await;
    assert_eq!(modern.text(), "released false");
}

/// The limits of calls are those of the server, over HTTP in both eras as over a stream of bytes.
#[tokio::test]
async fn one_set_of_limits_holds_for_every_transport() {
    let mut limits = CallLimits::default();
    limits.request_timeout = Some(Duration::from_millis(1));
    let hang = plain("hang", |_| async {
        std::future::pending::<()>().await;
        String::new()
    });
    let server = Server::new("demo").tool(hang).limits(limits).start().await.unwrap();
    let listening = Listening::start(&server).await;
    let modern = Client::connect(listening.address).await.ask(&Ask::tool("hang", json!({}))).await;
    let session = Session::open(listening.address, "2025-11-25").await;
    let legacy = session.ask(&session.tool(1, "hang", json!({}))).await;
    for answer in [modern, legacy] {
        assert!(answer.json()["error"]["message"].as_str().unwrap().contains("too long"), "{answer:?}");
    }
    let mut talk = crate::talk::Talk::new(&server);
    talk.play("@ 2026-07-28\n > 1 tools/call {\"name\": \"hang\"}\n < 1 error -32603 too long").await;
}
