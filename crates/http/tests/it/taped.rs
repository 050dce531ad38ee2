//! What an endpoint records.

use http::request::Parts;
use http::{Request, Response};
use jackfield_http::{Authentication, Authenticator, Body, ExtraRoutes, HttpConfig, RouteFuture};
use jackfield_peer::tape::{Content, Entry, Reader, Record, Side, Tape};
use jackfield_testkit::Paper;
use serde_json::{Value, json};

use crate::client::{Ask, Client, MODERN, Session, initialize};
use crate::fixture::{Fixture, Users};

/// A record in short: who, its session and exchange as letters and numbers in the order of their coming, and what it says.
fn told(text: &str) -> Vec<String> {
    let (mut sessions, mut exchanges) = (Vec::new(), Vec::new());
    let entries: Vec<Entry> = Reader::new(text.as_bytes()).collect::<Result<_, _>>().unwrap();
    let records = entries.into_iter().filter_map(|entry| match entry {
        Entry::Record(record) => Some(record),
        _ => None,
    });
    records.map(|record| short(&record, &mut sessions, &mut exchanges)).collect()
}

fn place<T: PartialEq>(known: &mut Vec<T>, value: T) -> usize {
    known.iter().position(|other| *other == value).unwrap_or_else(|| {
        known.push(value);
        known.len() - 1
    })
}

fn short(record: &Record, sessions: &mut Vec<String>, exchanges: &mut Vec<u64>) -> String {
    assert_eq!(record.over, "http");
    let from = if record.from == Side::Client { ">" } else { "<" };
    let exchange = place(exchanges, record.exchange.unwrap()) + 1;
    let session = record.session.clone().map(|session| "ABC"[place(sessions, session)..].chars().next().unwrap());
    let facts = record.verb.clone().or(record.status.map(|status| status.to_string()));
    let content = match &record.content {
        Content::Message { json, .. } => {
            let message: Value = json.read().unwrap();
            let outcome = if message["error"].is_null() { "result" } else { "error" };
            Some(message["method"].as_str().map_or(format!("{} {outcome}", message["id"]), str::to_owned))
        }
        Content::Text(text) => Some(format!("text {text}")),
        _ => None,
    };
    let parts = [session.map(String::from), facts, content].into_iter().flatten();
    parts.fold(format!("{from} {exchange}"), |line, part| line + " " + &part)
}

fn call(id: u32, name: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": { "text": "hi" } } })
}

fn start() -> (Paper, Tape) {
    let paper = Paper::default();
    (paper.clone(), Tape::to(paper).unwrap())
}

/// T-153: a session with all that belongs to it is on the tape, but not its id, and no header.
#[tokio::test]
async fn a_session_is_recorded_without_its_id() {
    let (paper, tape) = start();
    let config = HttpConfig::default().with_tape(tape.clone()).with_authenticator(Users);
    let fixture = Fixture::with(config).await;
    let session = fixture.ask(&initialize("2025-11-25").with("user", "ann-s3cret")).await;
    let id = session.header("mcp-session-id").unwrap().to_owned();
    let within = |ask: Ask| {
        let ask = ask.with("mcp-session-id", &id).with("user", "ann-s3cret").with("mcp-protocol-version", "2025-11-25");
        ask.with("authorization", "Bearer s3cret")
    };
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(fixture.ask(&within(Ask::post(notice))).await.status, 202);
    let mut listener = Client::connect(fixture.address).await;
    assert_eq!(listener.open(&within(Ask::get())).await.status, 200);
    assert_eq!(fixture.ask(&within(Ask::post(call(1, "echo")))).await.status, 200);
    assert_eq!(fixture.ask(&within(Ask::post(call(2, "post")))).await.status, 200);
    while !listener.event().await.unwrap().data.contains("notifications/message") {}
    let mut counting = Client::connect(fixture.address).await;
    counting.open(&within(Ask::post(call(3, "count")))).await;
    while !counting.event().await.unwrap().data.contains("counted") {}
    assert_eq!(fixture.ask(&within(Ask::new("DELETE", "/mcp"))).await.status, 204);
    tape.close().unwrap();

    let text = paper.text();
    assert!(!text.contains(&id) && !text.contains("s3cret"), "{text}");
    let mut lines = told(&text);
    // The message goes out on another connection than the answer of the call that sent it.
    let posted = lines.iter().position(|line| line == "< 3 A notifications/message").unwrap();
    lines.remove(posted);
    let expected = [
        "> 1 POST initialize",
        "< 1 A 200 0 result",
        "> 2 A POST notifications/initialized",
        "< 2 A 202",
        "> 3 A GET",
        "< 3 A 200",
        "> 4 A POST tools/call",
        "< 4 A 200 1 result",
        "> 5 A POST tools/call",
        "< 5 A 200 2 result",
        "> 6 A POST tools/call",
        "< 6 A 200",
        "< 6 A notifications/progress",
        "< 6 A notifications/progress",
        "< 6 A notifications/progress",
        "< 6 A 3 result",
        "> 7 A DELETE",
        "< 7 A 204",
    ];
    assert_eq!(lines, expected);
}

/// What is refused is on the tape with what it was; what is none of the endpoint's business is not.
#[tokio::test]
async fn refusals_are_recorded_and_other_paths_are_not() {
    #[derive(Debug)]
    struct Login;
    impl ExtraRoutes for Login {
        fn serves(&self, path: &str) -> bool {
            path == "/token"
        }

        fn serve(&self, _: Request<bytes::Bytes>, _: Option<std::net::IpAddr>) -> RouteFuture {
            Box::pin(async { Response::new(Body::full("granted")) })
        }
    }
    let (paper, tape) = start();
    let config = HttpConfig::default().with_tape(tape.clone()).with_routes(Login);
    let fixture = Fixture::with(config.with_limits(|limits| limits.body_bytes = 1000)).await;
    assert_eq!(fixture.ask(&Ask::post(json!({"password": "p"})).path("/token")).await.status, 200);
    assert_eq!(fixture.ask(&Ask::new("GET", "/healthz")).await.status, 200);
    assert_eq!(fixture.ask(&Ask::new("GET", "/elsewhere")).await.status, 404);
    assert_eq!(fixture.ask(&Ask::post(call(1, "echo")).with("host", "evil.example")).await.status, 403);

    assert_eq!(fixture.ask(&Ask::post(call(1, "echo"))).await.status, 400);
    assert_eq!(fixture.ask(&Ask::post("{\"id\":2").with("mcp-protocol-version", MODERN)).await.status, 400);
    assert_eq!(fixture.ask(&Ask::post(call(3, "echo")).with("content-type", "text/plain")).await.status, 415);
    assert_eq!(fixture.ask(&Ask::post(json!({"a": "x".repeat(2000)}))).await.status, 413);
    assert_eq!(fixture.ask(&Ask::modern("tools/list", json!({}))).await.status, 200);
    tape.close().unwrap();
    let expected = [
        "> 1 POST tools/call",
        "< 1 400 1 error",
        "> 2 POST text {\"id\":2",
        "< 2 400 2 error",
        "> 3 POST",
        "< 3 415 null error",
        "> 4 POST",
        "< 4 413 null error",
        "> 5 POST tools/list",
        "< 5 200 1 result",
    ];
    assert_eq!(told(&paper.text()), expected);
}

/// The session of the old transport is known by its stream; the address that tells its id is not recorded.
#[tokio::test]
async fn the_old_transport_is_recorded_too() {
    let (paper, tape) = start();
    let fixture = Fixture::with(HttpConfig::default().with_tape(tape.clone())).await;
    let mut stream = Client::connect(fixture.address).await;
    stream.open(&Ask::new("GET", "/sse")).await;
    let endpoint = stream.event().await.unwrap().data;
    let opening = initialize("2024-11-05").without("accept").path(&endpoint);
    assert_eq!(fixture.ask(&opening).await.status, 202);
    assert!(stream.event().await.unwrap().data.contains("result"));
    tape.close().unwrap();
    let text = paper.text();
    assert!(!text.contains(endpoint.rsplit_once('=').unwrap().1), "{text}");
    let mut lines = told(&text);
    // The answer to the POST and that on the stream are two connections.
    lines[3..].sort();
    let expected = ["> 1 GET", "< 1 200", "> 2 A POST initialize", "< 1 A 0 result", "< 2 A 202"];
    assert_eq!(lines, expected);
}

/// A stream that is cut and gone on with is recorded as it was sent: each part in the exchange that asked for it.
#[tokio::test]
async fn streams_are_recorded_as_they_are_sent() {
    let (paper, tape) = start();
    let fixture = Fixture::with(HttpConfig::default().with_tape(tape.clone())).await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut first = session.stream(&session.tool(5, "count", json!({ "to": 2 }))).await;
    let mut last = String::new();
    while last.is_empty() {
        let event = first.event().await.unwrap();
        last = if event.data.contains("progress") { event.id } else { String::new() };
    }
    drop(first);
    let mut second = session.stream(&session.get().with("last-event-id", &last)).await;
    while !second.event().await.unwrap().data.contains("counted") {}

    let mut modern = Client::connect(fixture.address).await;
    modern.open(&Ask::tool("count", json!({ "to": 2 }))).await;
    while !modern.event().await.unwrap().data.contains("counted") {}
    let batches = Session::open(fixture.address, "2025-03-26").await;
    let batch = json!([call(1, "echo"), call(2, "echo")]);
    assert_eq!(fixture.ask(&batches.post(batch)).await.status, 200);
    tape.close().unwrap();
    let lines = told(&paper.text());
    let of = |exchange: &str| -> Vec<&str> {
        lines.iter().map(String::as_str).filter(|line| line.split(' ').nth(1) == Some(exchange)).collect()
    };
    let resumed = of("4");
    assert_eq!(resumed[..2], ["> 4 A GET", "< 4 A 200"], "{lines:?}");
    assert_eq!(resumed.last(), Some(&"< 4 A 5 result"), "{lines:?}");
    let expected =
        ["> 5 POST tools/call", "< 5 200", "< 5 notifications/progress", "< 5 notifications/progress", "< 5 1 result"];
    assert_eq!(of("5"), expected, "{lines:?}");
    assert_eq!(of("8").len(), 2, "{lines:?}");
    assert!(paper.text().contains(r#""message":[{"#), "a batch is one message");
}

/// What the gate makes of an answer is what was sent.
#[tokio::test]
async fn the_gate_has_the_last_word() {
    #[derive(Debug)]
    struct Teapot;
    impl Authenticator for Teapot {
        fn authenticate<'a>(&'a self, _: &'a mut Parts) -> Authentication<'a> {
            Box::pin(async { Ok(()) })
        }

        fn finish(&self, _: &Parts, response: &mut Response<Body>) {
            *response.status_mut() = http::StatusCode::IM_A_TEAPOT;
        }
    }
    let (paper, tape) = start();
    let fixture = Fixture::with(HttpConfig::default().with_tape(tape.clone()).with_authenticator(Teapot)).await;
    assert_eq!(fixture.ask(&Ask::modern("tools/list", json!({}))).await.status, 418);
    tape.close().unwrap();
    assert_eq!(told(&paper.text()), ["> 1 POST tools/list", "< 1 418 1 result"]);
}
