//! What works without the store, and what says that it does not.

use std::time::Duration;

use serde_json::json;

use super::{Nodes, eventually};
use crate::client::{Ask, Session, initialize};

/// Calls that need no store ask it nothing: modern ones, and those of a session that the node knows.
#[tokio::test]
async fn plain_calls_ask_the_store_nothing() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    let second = nodes.at(&session, 1);
    assert_eq!(second.ask(&second.tool(0, "echo", json!({ "text": "x" }))).await.status, 200);
    eventually(|| {
        let before = nodes.store.asked();
        let (nodes, session, second) = (&nodes, &session, &second);
        async move {
            // What the handshake began beside it may still be under way the first time.
            for id in 0..50 {
                let modern = nodes.all[id % 3].ask(&Ask::tool("echo", json!({ "text": "x" }))).await;
                assert_eq!(modern.text(), "x");
                let here = if id % 2 == 0 { session } else { second };
                assert_eq!(here.ask(&here.tool(id, "echo", json!({ "text": "x" }))).await.text(), "x");
            }
            nodes.store.asked() == before
        }
    })
    .await;
}

/// While the store is away, what needs it says so and when to come back; nobody is told that a session is over that may not be. What does
/// not need it goes on, and all is well when it is back.
#[tokio::test]
async fn without_the_store_nothing_is_lost_and_nothing_is_wrong() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    let mut open = session.stream(&session.tool(5, "wait_after_notice", json!({}))).await;
    assert!(open.message().await.is_some());
    nodes.store.set_away(true);

    assert_eq!(nodes.all[1].ask(&Ask::tool("echo", json!({ "text": "x" }))).await.text(), "x");
    assert_eq!(session.ask(&session.tool(1, "echo", json!({ "text": "x" }))).await.text(), "x");
    let second = nodes.at(&session, 1);
    for answer in [
        second.ask(&second.tool(1, "echo", json!({}))).await,
        second.ask(&second.get()).await,
        second.ask(&second.get().verb("DELETE")).await,
        session.ask(&session.get()).await,
        session.ask(&session.get().verb("DELETE")).await,
        nodes.all[2].ask(&initialize("2025-11-25")).await,
    ] {
        assert_eq!((answer.status, answer.code()), (503, 503), "{answer:?}");
        assert!(answer.header("retry-after").is_some());
    }
    // A stream that begins now is at home here only.
    eventually(async || {
        let mut local = session.stream(&session.tool(2, "count", json!({ "to": 3 }))).await;
        let messages = super::rest(&mut local).await;
        messages.len() == 4
    })
    .await;
    nodes.all[0].let_go(1);

    nodes.store.set_away(false);
    assert_eq!(open.message().await.unwrap()["id"], 5, "the answer waited for the store");
    eventually(async || second.ask(&second.tool(1, "echo", json!({ "text": "x" }))).await.status == 200).await;
    eventually(async || nodes.all[2].ask(&initialize("2025-11-25")).await.status == 200).await;
    assert_eq!(second.ask(&second.get().verb("DELETE")).await.status, 204);
    let never = Session { id: "0".repeat(32), ..second.clone() };
    assert_eq!(never.ask(&never.tool(1, "echo", json!({}))).await.status, 404);
}

/// A session for which the store takes long does not keep it from hearing of the others: with many of them, they would be taken to be
/// idle.
#[tokio::test]
async fn sessions_in_use_do_not_wait_for_each_other() {
    let idle = Duration::from_secs(60);
    let nodes = Nodes::with(|limits| limits.session_idle = Duration::from_secs(60)).await;
    let mut streams = Vec::new();
    for _ in 0..5 {
        let session = nodes.session().await;
        streams.push(session.stream(&session.tool(1, "wait_after_notice", json!({}))).await);
    }
    nodes.store.hold_touch();
    // From here on nothing depends on a socket, which would not stand still with the clock.
    tokio::time::pause();
    jackfield_testkit::pass(idle / 2).await;
    assert!(nodes.store.touched_meanwhile() >= 4, "{}", nodes.store.touched_meanwhile());
    nodes.store.let_go();
}
