//! Clients that read slowly, at another node than the one that writes.

use serde_json::json;

use super::{Nodes, eventually};
use crate::client::{Client, Session};

/// Reads events of a call in order from the place after `last`. Returns the id and the number of the last one.
async fn read(stream: &mut Client, mut number: u64, to: u64) -> (String, u64) {
    let mut id = String::new();
    while number < to {
        let event = stream.event().await.unwrap();
        if !event.data.is_empty() {
            let message: serde_json::Value = serde_json::from_str(&event.data).unwrap();
            assert_eq!(message["params"]["progress"], number + 1);
            number += 1;
            id = event.id;
        }
    }
    (id, number)
}

/// Begins a call at the first node, and leaves its stream before the first event. Returns the id to come back with.
async fn begin(session: &Session, to: u64, bytes: u64) -> String {
    let mut stream = session.stream(&session.tool(7, "bulk", json!({ "to": to, "bytes": bytes }))).await;
    stream.event().await.unwrap().id
}

/// T-045, T-047: a call writes far more than is kept, for a client that reads slowly at another node. The call waits for it, nobody else
/// does, what is kept stays within its bounds, and nothing is missing.
#[tokio::test]
async fn a_slow_reader_at_another_node_misses_nothing() {
    const EVENTS: u64 = 700;
    let nodes = Nodes::with(|limits| (limits.queued_messages, limits.kept_events) = (8, 16)).await;
    let session = nodes.session().await;
    let second = nodes.at(&session, 1);
    let mut stream = session.stream(&session.tool(7, "reconnect_bulk", json!({ "to": EVENTS, "bytes": 8192 }))).await;
    let primer = stream.event().await.unwrap().id;
    assert_eq!(stream.event().await, None);
    let mut slow = second.stream(&second.get().with("last-event-id", &primer)).await;
    // Notices come in order: when the writer knows that another session is over, it knows of its reader.
    let passing = Session::open(nodes.all[1].address, "2025-11-25").await;
    let here = nodes.at(&passing, 0);
    assert_eq!(here.ask(&here.tool(1, "echo", json!({ "text": "x" }))).await.text(), "x");
    assert_eq!(passing.ask(&passing.get().verb("DELETE")).await.status, 204);
    eventually(async || nodes.all[0].service.sessions() == 1).await;
    nodes.all[0].let_go(1);
    let other = nodes.session().await;
    for node in 0..3 {
        let here = nodes.at(&other, node);
        for id in 0..30 {
            assert_eq!(here.ask(&here.tool(id, "echo", json!({ "text": "x" }))).await.text(), "x");
        }
    }
    assert!(nodes.store.events_of(&session.id).await.iter().all(|kept| *kept <= 16));
    read(&mut slow, 0, EVENTS).await;
    assert_eq!(slow.message().await.unwrap()["id"], 7);
    assert_eq!(slow.message().await, None);
}

/// HTTP-045: a slow reader whose connection is cut comes back at a third node, and misses nothing of what it had not read.
#[tokio::test]
async fn a_slow_reader_comes_back_at_another_node() {
    const EVENTS: u64 = 120;
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    let primer = begin(&session, EVENTS, 4096).await;
    let (second, third) = (nodes.at(&session, 1), nodes.at(&session, 2));
    let mut slow = second.stream(&second.get().with("last-event-id", &primer)).await;
    let (id, number) = read(&mut slow, 0, 30).await;
    drop(slow);
    let mut back = third.stream(&third.get().with("last-event-id", &id)).await;
    read(&mut back, number, EVENTS).await;
    assert_eq!(back.message().await.unwrap()["id"], 7);
}
