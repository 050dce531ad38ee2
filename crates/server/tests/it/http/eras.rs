//! Both eras at one endpoint: negotiation, lists in pages, notices of change, cancellation, batches.

use jackfield_protocol::{CallToolResult, Revision};
use jackfield_server::{Cx, Server};
use serde_json::{Value, json};

use super::Listening;
use super::client::{Ask, Client, Session, initialize};
use crate::demo::{demo, plain, sync_tool, text_resource};
use crate::talk::legacy;

fn ask(id: u32, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// LIFE-010, LIFE-011, LIFE-012: each version is agreed upon as it was asked for, and written in from there on; what is not known gets the
/// newest with a handshake.
#[tokio::test]
async fn every_version_is_negotiated_for_real() {
    let server = Server::new("demo").tool(sync_tool("version", json!({ "type": "object" }), |_, cx: Cx| {
        CallToolResult::text(cx.revision().as_str())
    }));
    let listening = Listening::start(server).await;
    for revision in legacy() {
        let session = Session::open(listening.address, revision.as_str()).await;
        assert_eq!(session.ask(&session.tool(1, "version", json!({}))).await.text(), revision.as_str());
        let listed = session.ask(&session.post(ask(2, "tools/list", json!({})))).await.json();
        assert_eq!(listed["result"].get("ttlMs"), None, "{listed}");
        assert_eq!(listed["result"].get("resultType"), None, "{listed}");
        // The header may be left out; a version that was not agreed upon but is known does no harm.
        let silent = session.tool(3, "version", json!({})).without("mcp-protocol-version");
        assert_eq!(session.ask(&silent).await.text(), revision.as_str());
    }
    for unknown in ["1999-01-01", "2030-01-01", ""] {
        let answer = Client::connect(listening.address).await.ask(&initialize(unknown)).await;
        assert_eq!(answer.json()["result"]["protocolVersion"], Revision::LATEST_WITH_HANDSHAKE.as_str());
    }
    let modern = Client::connect(listening.address).await.ask(&Ask::tool("version", json!({}))).await;
    assert_eq!(modern.text(), Revision::LATEST.as_str());
}

/// HTTP-061, HTTP-064: a version header that is not spoken is refused in a session and outside of it.
#[tokio::test]
async fn the_version_header_has_rules() {
    let listening = Listening::start(demo()).await;
    let session = Session::open(listening.address, "2025-06-18").await;
    let list = session.post(ask(1, "tools/list", json!({})));
    for (version, status) in [("2025-06-18", 200), ("1999-01-01", 400), ("2025-06-18, 2025-06-18", 400), ("", 400)] {
        let answer = session.ask(&list.clone().with("mcp-protocol-version", version)).await;
        assert_eq!(answer.status, status, "{version:?}");
    }
    let twice = list.and("mcp-protocol-version", "2025-11-25");
    assert_eq!(session.ask(&twice).await.status, 400);
    let contradiction = Ask::modern("tools/list", json!({})).with("mcp-protocol-version", "2025-06-18");
    let answer = Client::connect(listening.address).await.ask(&contradiction).await;
    assert_eq!((answer.status, answer.code()), (400, -32020));
}

/// SRV-103, SRV-104, SRV-110: lists come in pages over HTTP too, in both eras, with the same cursors; a wrong one is -32602.
#[tokio::test]
async fn lists_have_pages() {
    let empty = || json!({ "type": "object" });
    let names = ["a", "b", "c", "d", "e"];
    let server = names.iter().fold(Server::new("demo").page_size(2), |server, name| {
        server.tool(sync_tool(name, empty(), |_, _| CallToolResult::text("")))
    });
    let listening = Listening::start(server).await;
    let session = Session::open(listening.address, "2025-03-26").await;
    for is_modern in [true, false] {
        let (mut cursor, mut found) = (Value::Null, Vec::new());
        loop {
            let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
            let request =
                if is_modern { Ask::modern("tools/list", params) } else { session.post(ask(1, "tools/list", params)) };
            let page = session.ask(&request).await.json()["result"].clone();
            found
                .extend(page["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
            cursor = page["nextCursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(found, names);
    }
    let wrong = session.ask(&session.post(ask(1, "tools/list", json!({ "cursor": "x" })))).await;
    assert_eq!(wrong.code(), -32602);
}

/// SRV-010, SRV-042, SRV-043, HTTP-040, HTTP-043, HTTP-044: notices of change reach the GET stream of each session once; updates of a
/// resource those only that subscribed, until they no longer do.
#[tokio::test]
async fn changes_reach_the_stream_of_the_session() {
    let server = demo().resource(text_resource("note:watched", "watched"));
    let (tools, resources) = (server.registry().tools(), server.registry().resources());
    let server = server.tool(sync_tool("touch", json!({ "type": "object" }), |_, cx: Cx| {
        cx.notify_resource_updated("note:watched");
        CallToolResult::text("touched")
    }));
    let listening = Listening::start(server).await;
    let one = Session::open(listening.address, "2025-06-18").await;
    let other = Session::open(listening.address, "2025-11-25").await;
    let mut at_one = one.stream(&one.get()).await;
    let mut at_other = other.stream(&other.get()).await;

    let handle = tools.add(plain("late", |_| async { CallToolResult::text("") })).unwrap();
    for stream in [&mut at_one, &mut at_other] {
        assert_eq!(stream.message().await.unwrap()["method"], "notifications/tools/list_changed");
    }
    let added = resources.add(text_resource("note:late", "late")).unwrap();
    for stream in [&mut at_one, &mut at_other] {
        assert_eq!(stream.message().await.unwrap()["method"], "notifications/resources/list_changed");
    }

    let subscribed = one.ask(&one.post(ask(1, "resources/subscribe", json!({ "uri": "note:watched" })))).await;
    assert_eq!(subscribed.json()["result"], json!({}));
    assert_eq!(one.ask(&one.tool(2, "touch", json!({}))).await.text(), "touched");
    let update = at_one.message().await.unwrap();
    assert_eq!(
        (&update["method"], &update["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!("note:watched"))
    );
    one.ask(&one.post(ask(3, "resources/unsubscribe", json!({ "uri": "note:watched" })))).await;
    assert_eq!(one.ask(&one.tool(4, "touch", json!({}))).await.text(), "touched");
    // The next notice that comes is the one about tools: neither saw an update that it did not ask for.
    drop(handle);
    for stream in [&mut at_one, &mut at_other] {
        assert_eq!(stream.message().await.unwrap()["method"], "notifications/tools/list_changed");
    }
    drop(added);
}

/// PAT-003: cancelling drops the handler, and the request is not answered.
#[tokio::test]
async fn a_cancelled_call_is_dropped() {
    let (begun, mut begins) = tokio::sync::mpsc::channel::<&str>(4);
    let server = Server::new("demo").tool(plain("forever", move |_| {
        let begun = begun.clone();
        async move {
            struct Ends(tokio::sync::mpsc::Sender<&'static str>);
            impl Drop for Ends {
                fn drop(&mut self) {
                    self.0.try_send("dropped").unwrap();
                }
            }
            begun.try_send("begun").unwrap();
            let _ends = Ends(begun);
            std::future::pending::<CallToolResult>().await
        }
    }));
    let listening = Listening::start(server).await;
    for version in ["2025-03-26", "2025-11-25"] {
        let session = Session::open(listening.address, version).await;
        let mut call = Client::connect(listening.address).await;
        call.send(session.tool("long", "forever", json!({})).bytes()).await;
        assert_eq!(begins.recv().await, Some("begun"));
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "long" } });
        assert_eq!(session.ask(&session.post(cancel)).await.status, 202);
        assert_eq!(begins.recv().await, Some("dropped"));
        let answer = call.answer().await;
        assert!(answer.body.is_empty(), "{answer:?}");
    }
}

/// HTTP-013, HTTP-022: a batch is answered by a batch, in the revisions that have them.
#[tokio::test]
async fn batches_are_answered_by_batches() {
    let listening = Listening::start(demo()).await;
    let session = Session::open(listening.address, "2025-03-26").await;
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let batch =
        json!([ask(1, "ping", json!({})), initialized, ask(2, "tools/list", json!({})), ask(3, "nothing", json!({}))]);
    let answer = session.ask(&session.post(&batch)).await.json();
    let mut ids: Vec<_> = answer.as_array().unwrap().iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3]);
    for version in ["2025-06-18", "2025-11-25"] {
        let session = Session::open(listening.address, version).await;
        assert_eq!(session.ask(&session.post(&batch)).await.status, 400);
    }
}
