//! Streamable HTTP of the legacy era: sessions, versions, batches.

use serde_json::json;

use crate::client::{Ask, Client, Session, initialize};
use crate::fixture::Fixture;
use crate::logging::Scribe;

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// HTTP-005, HTTP-018, HTTP-020, HTTP-051, HTTP-055: a session from its beginning to its end, for each revision.
#[tokio::test]
async fn a_session_lives_from_initialize_to_delete() {
    let fixture = Fixture::start().await;
    for version in LEGACY {
        let session = Session::open(fixture.address, version).await;
        assert!(session.id.bytes().all(|byte| byte.is_ascii_graphic()));
        let answer = session.ask(&session.tool("a", "echo", json!({ "text": version }))).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
        assert_eq!((answer.json()["id"].clone(), answer.text().as_str()), (json!("a"), version));
        let gone = session.sign(Ask::get().verb("DELETE"));
        assert_eq!(session.ask(&gone).await.status, 204);
        assert_eq!(fixture.service.sessions(), 0);
        for ask in [gone, session.get(), session.tool(1, "echo", json!({}))] {
            assert_eq!(session.ask(&ask).await.status, 404, "{ask:?}");
        }
    }
}

/// HTTP-054, HTTP-055, T-043: without the id of a session 400, even if there is only one; with an unknown one 404.
#[tokio::test]
async fn a_session_is_never_guessed() {
    let fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let tool = session.tool(7, "echo", json!({}));
    let delete = session.sign(Ask::get().verb("DELETE"));
    for ask in [&tool, &session.get(), &delete] {
        assert_eq!(session.ask(&ask.clone().without("mcp-session-id")).await.status, 400);
        for id in [
            "x",
            "00000000000000000000000000000000",
            &session.id.to_uppercase().replace("A", "B"),
            &format!("{}0", session.id),
        ] {
            if id != session.id {
                assert_eq!(session.ask(&ask.clone().with("mcp-session-id", id)).await.status, 404, "{id}");
            }
        }
        assert_eq!(session.ask(&ask.clone().and("mcp-session-id", "x")).await.status, 400);
    }
    let answer = session.ask(&tool.clone().without("mcp-session-id")).await;
    assert_eq!((answer.json()["id"].clone(), answer.code()), (json!(7), -32600));
}

/// HTTP-061: the version header may be absent; one that is not spoken gets 400.
#[tokio::test]
async fn the_version_header_is_checked() {
    let fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-06-18").await;
    for ask in [session.tool(1, "echo", json!({})), session.get(), session.sign(Ask::get().verb("DELETE"))] {
        for version in ["1999-01-01", "x", ""] {
            assert_eq!(session.ask(&ask.clone().with("mcp-protocol-version", version)).await.status, 400, "{version}");
        }
    }
    let tool = session.tool(1, "echo", json!({}));
    assert_eq!(session.ask(&tool.clone().without("mcp-protocol-version")).await.status, 200);
    // GET and DELETE do not exist in the modern era.
    for verb in ["GET", "DELETE"] {
        assert_eq!(session.ask(&session.get().verb(verb).with("mcp-protocol-version", "2026-07-28")).await.status, 405);
    }
    let only = Fixture::of(&[jackfield_protocol::Revision::V2025_06_18]).await;
    let session = Session::open(only.address, "2025-06-18").await;
    let tool = session.tool(1, "echo", json!({}));
    assert_eq!(session.ask(&tool.clone().with("mcp-protocol-version", "2025-11-25")).await.status, 400);
    let answer = only.ask(&Ask::tool("echo", json!({}))).await;
    assert_eq!((answer.status, answer.code()), (400, -32022));
}

/// HTTP-060: without the header a session of 2025-03-26, which knows no such header, is served as what it is. The version is never
/// unknown: what names no session is refused, and a session of another version is not taken for one of 2025-03-26.
#[tokio::test]
async fn without_the_header_the_session_knows_its_version() {
    let fixture = Fixture::start().await;
    let batch = json!([{ "jsonrpc": "2.0", "id": 1, "method": "ping" }]);
    for (version, status) in [("2025-03-26", 200), ("2025-06-18", 400), ("2025-11-25", 400)] {
        let session = Session::open(fixture.address, version).await;
        let silent = session.post(&batch).without("mcp-protocol-version");
        assert_eq!(session.ask(&silent).await.status, status, "{version}");
        assert_eq!(session.ask(&silent.without("mcp-session-id")).await.status, 400);
    }
}

/// The version is agreed upon in the body of `initialize`; the header there does not matter.
#[tokio::test]
async fn initialize_negotiates() {
    let fixture = Fixture::start().await;
    for (asked, given) in [("2025-03-26", "2025-03-26"), ("1999-01-01", "2025-11-25"), ("2026-07-28", "2025-11-25")] {
        let answer = fixture.ask(&initialize(asked).with("mcp-protocol-version", "2025-06-18")).await;
        assert_eq!(answer.json()["result"]["protocolVersion"], given);
    }
}

/// T-048: a second `initialize` changes nothing.
#[tokio::test]
async fn a_second_initialize_is_refused() {
    let fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-03-26").await;
    let answer = session.ask(&session.sign(initialize("2025-11-25"))).await;
    assert_eq!((answer.status, answer.code()), (400, -32600));
    let inside = json!([{ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} }]);
    let answer = session.ask(&session.post(inside)).await;
    assert_eq!(answer.json()[0]["error"]["code"], -32600);
    let answer = session.ask(&session.post(json!([{ "jsonrpc": "2.0", "id": 1, "method": "ping" }]))).await;
    assert_eq!(answer.status, 200, "the session still speaks 2025-03-26, which has batches");
}

/// T-041: an `initialize` that fails leaves nothing.
#[tokio::test]
async fn a_refused_initialize_leaves_nothing() {
    let fixture = Fixture::start().await;
    for params in [
        json!({}),
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "x", "version": "1" }, "fail": 1 }),
    ] {
        let answer = fixture
            .ask(&Ask::post(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })))
            .await;
        assert!(answer.json()["error"].is_object() && answer.header("mcp-session-id").is_none());
    }
    assert_eq!(fixture.service.sessions(), 0);
}

/// HTTP-013, HTTP-018, HTTP-022, T-008: batches under 2025-03-26, and nowhere later.
#[tokio::test]
async fn batches_belong_to_one_revision() {
    let fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-03-26").await;
    let call =
        |id: u32, name: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name } });
    let notification = json!({ "jsonrpc": "2.0", "method": "notifications/x" });

    let answer = session.ask(&session.post(json!([call(1, "echo"), notification, call(2, "nothing"), 3]))).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    let answers = answer.json();
    assert_eq!(answers.as_array().unwrap().len(), 3);
    assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!(1), &json!(2)));
    assert_eq!((&answers[1]["error"]["code"], &answers[2]["error"]["code"]), (&json!(-32602), &json!(-32600)));

    let answer = session.ask(&session.post(json!([notification, notification]))).await;
    assert_eq!((answer.status, answer.body.len()), (202, 0));
    let answer = session.ask(&session.post(json!([{ "jsonrpc": "2.0", "id": 9, "result": {} }]))).await;
    assert_eq!(answer.status, 202);

    let mut stream = session.stream(&session.post(json!([call(1, "echo"), call(2, "count"), call(3, "echo")]))).await;
    let mut ids = Vec::new();
    while let Some(message) = stream.message().await {
        let messages = if message.is_array() { message.as_array().unwrap().clone() } else { vec![message] };
        ids.extend(messages.iter().filter_map(|message| message["id"].as_u64()));
    }
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3]);

    for body in [json!([]), json!((0..101).map(|id| call(id, "echo")).collect::<Vec<_>>())] {
        assert_eq!(session.ask(&session.post(body)).await.status, 400);
    }
    for version in ["2025-06-18", "2025-11-25"] {
        let session = Session::open(fixture.address, version).await;
        let answer = session.ask(&session.post(json!([call(1, "echo")]))).await;
        assert_eq!((answer.status, answer.code()), (400, -32600));
    }
    let answer = fixture.ask(&Ask::post(json!([call(1, "echo")]))).await;
    assert_eq!(answer.status, 400, "without a session");
}

/// T-007: an id that is in use is refused, and the first call completes; elsewhere the same id is another request.
#[tokio::test]
async fn a_running_id_is_not_used_twice() {
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut first = Client::connect(fixture.address).await;
    first.send(session.tool(1, "wait", json!({})).bytes()).await;
    fixture.see("waiting 1").await;
    let again = session.ask(&session.tool(1, "echo", json!({}))).await;
    assert_eq!((again.status, again.code()), (400, -32600));
    let other = Session::open(fixture.address, "2025-11-25").await;
    assert_eq!(other.ask(&other.tool(1, "echo", json!({ "text": "other" }))).await.text(), "other");
    fixture.let_go(1);
    assert_eq!(first.answer().await.text(), "waited");
    assert_eq!(session.ask(&session.tool(1, "echo", json!({ "text": "again" }))).await.text(), "again");
}

/// HTTP-037, T-046: only `notifications/cancelled` of the same session cancels.
#[tokio::test]
async fn only_the_own_session_cancels() {
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let other = Session::open(fixture.address, "2025-11-25").await;
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 5 } });
    let mut client = Client::connect(fixture.address).await;
    client.send(session.tool(5, "wait", json!({})).bytes()).await;
    fixture.see("waiting 5").await;
    assert_eq!(other.ask(&other.post(&cancel)).await.status, 202);
    assert_eq!(fixture.tools.running.load(std::sync::atomic::Ordering::SeqCst), 1);
    assert_eq!(session.ask(&session.post(&cancel)).await.status, 202);
    fixture.see("dropped").await;
    let answer = client.answer().await;
    assert_eq!((answer.status, answer.body.len()), (202, 0));
}

/// PAT-006: why a request is cancelled is logged, as far as it says so in a few words.
#[tokio::test]
async fn the_reason_of_a_cancellation_is_logged() {
    let (scribe, _logging) = Scribe::listen();
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut client = Client::connect(fixture.address).await;
    client.send(session.tool(5, "wait", json!({})).bytes()).await;
    fixture.see("waiting 5").await;
    let cancel = |id: u32, reason: String| {
        session.post(json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id, "reason": reason } }))
    };
    session.ask(&cancel(4, "there is no such request".to_owned())).await;
    session.ask(&cancel(5, format!("the user went home{}", " and sat down".repeat(1000)))).await;
    fixture.see("dropped").await;
    let logged = scribe.text();
    let reason = logged.lines().find(|line| line.starts_with("reason=")).expect("a reason");
    assert!(reason.contains("the user went home") && reason.len() < 300, "{reason}");
    assert!(!logged.contains("no such request"), "{logged}");
}

/// Limits: more requests under way than allowed get 429; the others go on.
#[tokio::test]
async fn requests_in_flight_are_bounded() {
    let mut fixture =
        Fixture::limited(jackfield_http::HttpConfig::default(), |calls| calls.requests_in_flight = 2).await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut clients = Vec::new();
    for id in 0..2 {
        let mut client = Client::connect(fixture.address).await;
        client.send(session.tool(id, "wait", json!({})).bytes()).await;
        fixture.see(&format!("waiting {id}")).await;
        clients.push(client);
    }
    let refused = session.ask(&session.tool(2, "echo", json!({}))).await;
    assert_eq!((refused.status, refused.code()), (429, 429));
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
    for status in [202, 202, 429] {
        assert_eq!(session.ask(&session.post(&notice)).await.status, status, "as many notifications beside them");
    }
    fixture.let_go(4);
    for client in &mut clients {
        assert_eq!(client.answer().await.text(), "waited");
    }
    assert_eq!(session.ask(&session.tool(2, "echo", json!({ "text": "now" }))).await.text(), "now");
}

/// T-028: a notification in a batch that is dropped does not vanish silently: the POST is refused, if nothing else of it is answered.
#[tokio::test]
async fn notifications_in_a_batch_are_bounded() {
    let mut fixture =
        Fixture::limited(jackfield_http::HttpConfig::default(), |calls| calls.requests_in_flight = 1).await;
    let session = Session::open(fixture.address, "2025-03-26").await;
    let notice = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
    assert_eq!(session.ask(&session.post(json!([notice]))).await.status, 202);
    fixture.see("waiting -").await;
    let refused = session.ask(&session.post(json!([notice]))).await;
    assert_eq!((refused.status, refused.code()), (429, 429));
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let answer = session.ask(&session.post(json!([ping, notice]))).await;
    assert_eq!((answer.status, answer.json()[0]["id"].clone()), (200, json!(1)));
    fixture.let_go(1);
    fixture.see("dropped").await;
    assert_eq!(session.ask(&session.post(json!([notice]))).await.status, 202);
    fixture.see("waiting -").await;
}

/// T-042: two sessions with the same ids get their own answers, many at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_reach_their_own_client() {
    let fixture = Fixture::start().await;
    let mut tasks = tokio::task::JoinSet::new();
    for name in ["one", "two", "three", "four"] {
        let session = Session::open(fixture.address, "2025-11-25").await;
        tasks.spawn(async move {
            let mut client = Client::connect(session.address).await;
            for id in 0..500 {
                let answer = client.ask(&session.tool(id, "echo", json!({ "text": format!("{name} {id}") }))).await;
                assert_eq!((answer.json()["id"].clone(), answer.text()), (json!(id), format!("{name} {id}")));
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap();
    }
}
