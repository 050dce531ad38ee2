//! What a session needs reaches it, whichever node a request comes to.

use serde_json::json;

use super::{Nodes, eventually, reply, rest};
use crate::client::{Ask, Client, Session};

/// T-040: a session opened at one node is served by all, for its user only.
#[tokio::test]
async fn a_session_is_served_by_every_node() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    for node in 0..3 {
        let here = nodes.at(&session, node);
        assert_eq!(here.ask(&here.tool(1, "echo", json!({ "text": "there" }))).await.text(), "there");
    }
    let ann = Session::open_as(nodes.all[0].address, "2025-06-18", Some("ann")).await;
    let elsewhere = nodes.at(&ann, 1);
    assert_eq!(elsewhere.ask(&elsewhere.tool(1, "who", json!({}))).await.text(), "Some(\"ann\")");
    for user in [Some("bob".to_owned()), Some("ann through editor".to_owned()), None] {
        let thief = Session { user, ..nodes.at(&ann, 2) };
        assert_eq!(thief.ask(&thief.tool(1, "who", json!({}))).await.status, 404);
    }
}

/// T-040: at no node a session is open to another program of the same user.
#[tokio::test]
async fn a_session_belongs_to_the_program_it_was_opened_through() {
    let nodes = Nodes::start().await;
    let session = Session::open_as(nodes.all[0].address, "2025-06-18", Some("ann through editor")).await;
    for node in 0..3 {
        for user in ["ann through browser", "ann", "ann through editor "] {
            let other = Session { user: Some(user.trim_end().to_owned()), ..nodes.at(&session, node) };
            let expected = if user.ends_with(' ') { 200 } else { 404 };
            assert_eq!(other.ask(&other.tool(1, "who", json!({}))).await.status, expected, "{user} at {node}");
        }
    }
    let mut stream = Client::connect(nodes.all[0].address).await;
    let open = Ask::new("GET", "/sse").with("accept", "text/event-stream").with("user", "ann through editor");
    assert_eq!(stream.open(&open).await.status, 200);
    let endpoint = stream.event().await.unwrap().data;
    for (user, expected) in [("ann through browser", 404), ("ann through editor", 202)] {
        let ask = crate::client::initialize("2024-11-05").path(&endpoint).with("user", user);
        assert_eq!(Client::connect(nodes.all[1].address).await.ask(&ask).await.status, expected, "{user}");
    }
}

/// A client may say at any node that it is ready; requests at once at many nodes load the session once each.
#[tokio::test]
async fn the_handshake_may_be_finished_elsewhere() {
    let nodes = Nodes::start().await;
    let answer = nodes.all[0].ask(&crate::client::initialize("2025-11-25")).await;
    let id = answer.header("mcp-session-id").unwrap().to_owned();
    let session = Session { address: nodes.all[1].address, id, version: "2025-11-25".into(), user: None };
    let ready = session.post(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    assert_eq!(session.ask(&ready).await.status, 202);
    let third = nodes.at(&session, 2);
    let mut calls = tokio::task::JoinSet::new();
    for id in 0..20 {
        let third = third.clone();
        calls.spawn(async move { third.ask(&third.tool(id, "echo", json!({ "text": "x" }))).await.status });
    }
    while let Some(status) = calls.join_next().await {
        assert_eq!(status.unwrap(), 200);
    }
    assert_eq!(nodes.all[2].service.sessions(), 1);
}

/// A question that one node asks on the stream of its call is answered through another.
#[tokio::test]
async fn answers_find_the_node_that_asked() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    let mut stream = session.stream(&session.tool(1, "ask", json!({}))).await;
    let question = stream.message().await.unwrap();
    let other = nodes.at(&session, 1);
    assert_eq!(other.ask(&other.post(reply(&question, &json!({ "action": "accept" })))).await.status, 202);
    let answer = stream.message().await.unwrap();
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("accept"), "{answer}");
    assert_eq!(stream.message().await, None);
}

/// The same in a batch, and with a refusal: each answer finds the node that waits for it.
#[tokio::test]
async fn answers_in_a_batch_find_the_nodes_that_asked() {
    let nodes = Nodes::start().await;
    let session = Session::open(nodes.all[0].address, "2025-03-26").await;
    let (second, third) = (nodes.at(&session, 1), nodes.at(&session, 2));
    let mut here = session.stream(&session.tool(1, "ask", json!({}))).await;
    let mut there = second.stream(&second.tool(2, "ask", json!({}))).await;
    let (first, other) = (here.message().await.unwrap(), there.message().await.unwrap());
    let refusal = json!({ "jsonrpc": "2.0", "id": other["id"], "error": { "code": -1, "message": "not now" } });
    let answers = json!([reply(&first, &json!({ "action": "accept" })), refusal]);
    assert_eq!(third.ask(&third.post(answers)).await.status, 202);
    let text = |message: serde_json::Value| message["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text(here.message().await.unwrap()).contains("accept"));
    assert!(text(there.message().await.unwrap()).contains("not now"));
}

/// A question of the session travels on the stream that the client has open at any node; an answer of nobody is dropped.
#[tokio::test]
async fn questions_of_a_session_reach_its_stream_at_any_node() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    let third = nodes.at(&session, 2);
    let mut listening = third.stream(&third.get()).await;
    let call = session.clone();
    let asking = async { call.ask(&call.tool(1, "ask_elsewhere", json!({}))).await };
    let answering = async {
        let question = listening.message().await.unwrap();
        assert_eq!(question["method"], "roots/list");
        let other = nodes.at(&session, 1);
        for nobody in ["0000000000000000", "x17", "0123456789ABCDEF"] {
            let stray = json!({ "jsonrpc": "2.0", "id": format!("{nobody}-1"), "result": {} });
            assert_eq!(other.ask(&other.post(stray)).await.status, 202);
            // Clients cannot make the store keep letters to whomever they name.
            assert!(!nodes.store.has_appended(&format!("node {nobody}")), "{nobody}");
        }
        assert_eq!(other.ask(&other.post(reply(&question, &json!({ "roots": [] })))).await.status, 202);
    };
    let (answer, ()) = tokio::join!(asking, answering);
    assert!(answer.text().contains("roots"), "{}", answer.text());
}

/// T-116: an answer that cannot be read ends the question, whatever node it comes to, and is answered under no id.
#[tokio::test]
async fn an_answer_that_can_not_be_read_ends_the_question_of_any_node() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    for node in 0..2 {
        let mut stream = session.stream(&session.tool(1, "ask", json!({}))).await;
        let question = stream.message().await.unwrap();
        let here = nodes.at(&session, node);
        let refused = here.ask(&here.post(json!({ "id": question["id"], "result": {} }))).await;
        assert_eq!((refused.status, refused.code()), (400, -32600));
        assert!(refused.json()["id"].is_null());
        let answer = stream.message().await.unwrap();
        assert_eq!(answer["id"], 1);
        assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("cannot be read"), "{answer}");
        assert_eq!(stream.message().await, None);
    }
}

/// HTTP-055: what a call was writing when its session ended is not brought back by it.
#[tokio::test]
async fn what_is_written_too_late_is_removed_again() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    nodes.store.hold_append();
    let mut call = Client::connect(session.address).await;
    call.send(session.tool(7, "wait_after_notice", json!({})).bytes()).await;
    eventually(async || nodes.store.held() == 1).await;
    assert_eq!(session.ask(&session.get().verb("DELETE")).await.status, 204);
    nodes.store.let_go();
    eventually(async || nodes.store.written_late() == 1).await;
    eventually(async || nodes.store.is_rid_of(&session.id).await).await;
}

/// A call is cancelled through whatever node the notification comes to.
#[tokio::test]
async fn calls_are_cancelled_through_any_node() {
    let mut nodes = Nodes::start().await;
    let session = nodes.session().await;
    let third = nodes.at(&session, 2);
    let mut stream = session.stream(&session.tool(7, "wait_after_notice", json!({}))).await;
    nodes.all[0].see("waiting 7").await;
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } });
    assert_eq!(third.ask(&third.post(cancel)).await.status, 202);
    nodes.all[0].see("dropped").await;
    assert_eq!(rest(&mut stream).await.len(), 1, "only what came before the call was cancelled");
}

/// HTTP-055: a session that ends at one node is over at all: its calls, its streams, its events.
#[tokio::test]
async fn a_session_ends_on_all_nodes() {
    let mut nodes = Nodes::start().await;
    let session = nodes.session().await;
    let mut stream = session.stream(&session.tool(7, "wait_after_notice", json!({}))).await;
    nodes.all[0].see("waiting 7").await;
    let third = nodes.at(&session, 2);
    let mut listening = third.stream(&third.get()).await;
    let second = nodes.at(&session, 1);
    assert_eq!(second.ask(&second.get().verb("DELETE")).await.status, 204);
    nodes.all[0].see("dropped").await;
    rest(&mut stream).await;
    assert!(rest(&mut listening).await.is_empty());
    for node in 0..3 {
        let here = nodes.at(&session, node);
        eventually(async || here.ask(&here.tool(1, "echo", json!({}))).await.status == 404).await;
    }
}

/// HTTP-043, HTTP-044: a notice that every node sends under one key comes once; others come from whatever node they are sent.
#[tokio::test]
async fn a_change_that_every_node_hears_of_is_told_once() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    let mut sessions = vec![nodes.all[0].tools.session.lock().unwrap().clone().unwrap()];
    for node in 1..3 {
        let here = nodes.at(&session, node);
        let ready = here.post(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert_eq!(here.ask(&ready).await.status, 202);
        sessions.push(nodes.all[node].tools.session.lock().unwrap().clone().unwrap());
    }
    let second = nodes.at(&session, 1);
    let mut listening = second.stream(&second.get()).await;
    let notice = |text: &str| json!({ "jsonrpc": "2.0", "method": text }).to_string().into_bytes();
    for at in &sessions {
        eventually(async || at.outlet().try_notify_once("one", notice("first"))).await;
    }
    for (at, name) in sessions.iter().zip(["a", "b", "c"]) {
        assert!(at.outlet().try_notify(None, notice(name)));
        assert_eq!(
            listening.message().await.unwrap()["method"],
            if name == "a" { "first" } else { ["a", "b"][usize::from(name == "c")] }
        );
    }
    assert_eq!(listening.message().await.unwrap()["method"], "c");
}

/// HTTP-043: a client that opens its stream again elsewhere gets each message once; the connection before it ends.
#[tokio::test]
async fn the_stream_of_a_session_moves_with_its_client() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    let at = nodes.all[0].tools.session.lock().unwrap().clone().unwrap();
    let notice = |text: &str| json!({ "jsonrpc": "2.0", "method": text }).to_string().into_bytes();
    let second = nodes.at(&session, 1);
    let mut listening = second.stream(&second.get()).await;
    eventually(async || at.outlet().try_notify(None, notice("first"))).await;
    let first = loop {
        let event = listening.event().await.unwrap();
        if !event.data.is_empty() {
            break event;
        }
    };
    let third = nodes.at(&session, 2);
    let mut moved = third.stream(&third.get().with("last-event-id", &first.id)).await;
    assert_eq!(listening.message().await, None, "replaced");
    assert!(at.outlet().try_notify(None, notice("second")));
    assert_eq!(moved.message().await.unwrap()["method"], "second");
}

/// HTTP-001, HTTP-004: the older transport works through any node too: messages go to the node that has the stream.
#[tokio::test]
async fn messages_of_http_sse_find_the_node_with_the_stream() {
    let nodes = Nodes::start().await;
    let mut stream = Client::connect(nodes.all[0].address).await;
    let head = stream.open(&Ask::new("GET", "/sse").with("accept", "text/event-stream").with("user", "ann")).await;
    assert_eq!(head.status, 200);
    let endpoint = stream.event().await.unwrap();
    let post = |node: usize, user: &'static str, body: serde_json::Value| {
        let ask = Ask::post(body).path(&endpoint.data).with("user", user);
        let address = nodes.all[node].address;
        async move { Client::connect(address).await.ask(&ask).await.status }
    };
    let initialize = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    assert_eq!(post(1, "bob", initialize.clone()).await, 404);
    assert_eq!(post(1, "ann", initialize).await, 202);
    assert_eq!(stream.message().await.unwrap()["id"], 0);
    assert_eq!(post(2, "ann", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await, 202);
    for node in 0..3 {
        let call = json!({ "jsonrpc": "2.0", "id": node, "method": "tools/call",
            "params": { "name": "echo", "arguments": { "text": format!("through {node}") } } });
        assert_eq!(post(node, "ann", call).await, 202);
        let answer = stream.message().await.unwrap();
        assert_eq!(
            (answer["id"].clone(), answer["result"]["content"][0]["text"].clone()),
            (json!(node), json!(format!("through {node}")))
        );
    }
    drop(stream);
    eventually(async || {
        post(1, "ann", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await == 404
    })
    .await;
}
