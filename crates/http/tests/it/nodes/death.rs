//! Nodes that die in the middle of calls.

use serde_json::json;

use super::{Nodes, rest};

/// HTTP-022, HTTP-027: a call whose node dies ends with one error that says so, wherever and however often its stream is read.
#[tokio::test]
async fn the_call_of_a_dead_node_ends_with_an_error() {
    let mut nodes = Nodes::start().await;
    let session = nodes.session().await;
    let mut stream = session.stream(&session.tool("call", "wait_after_notice", json!({}))).await;
    let notice = loop {
        let event = stream.event().await.unwrap();
        if !event.data.is_empty() {
            break event;
        }
    };
    let (second, third) = (nodes.at(&session, 1), nodes.at(&session, 2));
    drop(nodes.all.remove(0));
    let mut one = second.stream(&second.get().with("last-event-id", &notice.id)).await;
    let mut other = third.stream(&third.get().with("last-event-id", &notice.id)).await;
    let (one, other) = tokio::join!(rest(&mut one), rest(&mut other));
    assert_eq!(one, other);
    let [error] = one.as_slice() else { panic!("one answer: {one:?}") };
    assert_eq!((error["id"].clone(), error["error"]["code"].clone()), (json!("call"), json!(503)));
    assert!(error["error"]["message"].as_str().unwrap().contains("try again"));
    // The session goes on.
    assert_eq!(second.ask(&second.tool(2, "echo", json!({ "text": "here" }))).await.text(), "here");
}

/// Each request of a batch is answered once: those that were before the node died, and those that were not.
#[tokio::test]
async fn a_batch_of_a_dead_node_is_answered_to_the_end() {
    let mut nodes = Nodes::start().await;
    let session = crate::client::Session::open(nodes.all[0].address, "2025-03-26").await;
    let call = |id: &str, name: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name } });
    let batch = json!([call("waits", "wait_after_notice"), call("done", "echo"), call("too", "wait_after_notice")]);
    let mut stream = session.stream(&session.post(batch)).await;
    let (mut messages, mut last) = (Vec::new(), String::new());
    while messages.len() < 3 {
        let event = stream.event().await.unwrap();
        if !event.data.is_empty() {
            messages.push(serde_json::from_str::<serde_json::Value>(&event.data).unwrap());
            last = event.id;
        }
    }
    let second = nodes.at(&session, 1);
    drop(nodes.all.remove(0));
    let mut back = second.stream(&second.get().with("last-event-id", &last)).await;
    messages.extend(rest(&mut back).await);
    let mut answered: Vec<_> = messages.iter().filter_map(|message| message["id"].as_str()).collect();
    answered.sort_unstable();
    assert_eq!(answered, ["done", "too", "waits"]);
}

/// A node that ends as it should says so; nobody waits for its lease to run out. What it kept is served by the others.
#[tokio::test]
async fn a_node_that_stops_leaves_its_sessions_to_the_others() {
    let mut nodes = Nodes::start().await;
    let session = nodes.session().await;
    let mut first = nodes.all.remove(0);
    first.trigger.trigger();
    while first.task.join_next().await.is_some() {}
    let second = crate::client::Session { address: nodes.all[0].address, ..session };
    assert_eq!(second.ask(&second.tool(2, "echo", json!({ "text": "here" }))).await.text(), "here");
}

/// HTTP-022: an answer that was given while the node stopped arrives, although its client reads it at another node.
#[tokio::test]
async fn a_node_that_stops_stores_what_it_has_answered() {
    let mut nodes = Nodes::start().await;
    let session = nodes.session().await;
    let mut stream = session.stream(&session.tool(7, "reconnect", json!({}))).await;
    let primer = stream.event().await.unwrap();
    nodes.all[0].see("waiting 7").await;
    let second = nodes.at(&session, 1);
    let mut back = second.stream(&second.get().with("last-event-id", &primer.id)).await;
    nodes.store.hold_append();
    let mut first = nodes.all.remove(0);
    first.let_go(1);
    super::eventually(async || nodes.store.held() == 1).await;
    first.trigger.trigger();
    super::eventually(async || first.service.sessions() == 0).await;
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
    nodes.store.let_go();
    while first.task.join_next().await.is_some() {}
    let messages = rest(&mut back).await;
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["result"]["content"][0]["text"], "waited", "{messages:?}");
}

/// HTTP-022: calls that outlive the time to finish are answered, each in the form that was asked for, when a service ends that shares a
/// store with others.
#[tokio::test]
async fn calls_of_a_service_that_ends_are_answered() {
    let mut nodes = Nodes::with(|limits| limits.drain = std::time::Duration::ZERO).await;
    let session = crate::client::Session::open(nodes.all[0].address, "2025-03-26").await;
    let mut single = crate::client::Client::connect(session.address).await;
    single.send(session.tool(1, "wait", json!({})).with("accept", "application/json").bytes()).await;
    nodes.all[0].see("waiting 1").await;
    let call =
        |id: u64, name: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name } });
    let mut batch = crate::client::Client::connect(session.address).await;
    batch.send(session.post(json!([call(2, "echo"), call(3, "wait")])).bytes()).await;
    nodes.all[0].see("waiting 3").await;
    nodes.all[0].service.shutdown().await;
    let answers = async { (single.answer().await.json(), batch.answer().await.json()) };
    let (single, batch) = tokio::time::timeout(std::time::Duration::from_secs(10), answers).await.expect("answers");
    assert_eq!((&single["id"], &single["error"]["code"]), (&json!(1), &json!(503)));
    assert_eq!((&batch[0]["id"], &batch[1]["id"]), (&json!(2), &json!(3)));
    assert!(batch[0]["result"].is_object() && batch[1]["error"]["code"] == 503, "{batch}");
}
