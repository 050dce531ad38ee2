//! Messages that belong to no request reach a client that listens, whatever happens to the nodes between them.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Nodes, eventually};
use crate::client::{Client, Session};

async fn post(session: &Session, text: &str) {
    assert_eq!(session.ask(&session.tool(1, "post", json!({ "text": text }))).await.text(), "Ok(())");
}

async fn next(stream: &mut Client) -> Value {
    stream.message().await.unwrap()["params"]["data"].clone()
}

/// HTTP-043, HTTP-044: a client opens its stream at one node and calls another, which has not heard of it yet: what that one sends is
/// not taken to be for nobody.
#[tokio::test]
async fn a_node_that_has_not_heard_of_a_listener_asks_the_store() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    let second = nodes.at(&session, 1);
    assert_eq!(second.ask(&second.tool(1, "try_post", json!({ "text": "for nobody" }))).await.text(), "false");
    post(&second, "for nobody").await;
    nodes.store.set_silent(true);
    let mut stream = session.stream(&session.get()).await;
    post(&second, "heard").await;
    assert_eq!(next(&mut stream).await, "heard");
}

/// HTTP-043: a node loads a session while another changes it: the notice of the change, which comes before the session is there, is not
/// lost with it.
#[tokio::test]
async fn a_notice_that_comes_while_a_session_is_loaded_counts() {
    let nodes = Nodes::start().await;
    let (session, other) = (nodes.session().await, nodes.session().await);
    let (second, other_second) = (nodes.at(&session, 1), nodes.at(&other, 1));
    assert_eq!(other_second.ask(&other_second.tool(1, "echo", json!({ "text": "x" }))).await.text(), "x");
    nodes.store.hold_load();
    let loading = async { second.ask(&second.tool(1, "echo", json!({ "text": "x" }))).await.text() };
    let changing = async {
        eventually(async || nodes.store.held() == 1).await;
        let stream = session.stream(&session.get()).await;
        // The node hears of both in order, so that it has heard of the stream when it knows that the other session is over.
        assert_eq!(other.ask(&other.get().verb("DELETE")).await.status, 204);
        eventually(async || nodes.all[1].service.sessions() == 0).await;
        nodes.store.let_go();
        stream
    };
    let (loaded, mut stream) = tokio::join!(loading, changing);
    assert_eq!(loaded, "x");
    assert_eq!(second.ask(&second.tool(2, "try_post", json!({ "text": "heard" }))).await.text(), "true");
    assert_eq!(next(&mut stream).await, "heard");
}

/// HTTP-043: the node at which a client opened its stream dies before it has told anyone. When the client opens it again, all learn of it.
#[tokio::test]
async fn a_listener_whose_first_node_died_is_known_to_all() {
    let mut nodes = Nodes::start().await;
    let session = nodes.session().await;
    let (second, third) = (nodes.at(&session, 1), nodes.at(&session, 2));
    assert_eq!(second.ask(&second.tool(1, "echo", json!({ "text": "x" }))).await.text(), "x");
    nodes.store.set_silent(true);
    drop(session.stream(&session.get()).await);
    drop(nodes.all.remove(0));
    nodes.store.set_silent(false);
    let mut stream = third.stream(&third.get()).await;
    let call = second.tool(2, "try_post", json!({ "text": "heard" }));
    eventually(async || second.ask(&call).await.text() == "true").await;
    assert_eq!(next(&mut stream).await, "heard");
}

/// HTTP-045: what was read from the store for a client, but never written to it, has not been sent: a client that lost its connection
/// before it learned an id gets it with the next.
#[tokio::test]
async fn what_was_not_written_was_not_sent() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    let (second, third) = (nodes.at(&session, 1), nodes.at(&session, 2));
    let stuck = second.stream(&second.get()).await;
    // More than all buffers on the way to a client that does not read.
    let large = 6 << 20;
    let post_large = session.tool(1, "post", json!({ "text": "x", "times": large }));
    assert_eq!(session.ask(&post_large).await.text(), "Ok(())");
    // The node has read it, and begins to write.
    eventually(async || nodes.store.largest_read() > large).await;
    for _ in 0..100 {
        assert_eq!(second.ask(&second.tool(1, "echo", json!({ "text": "x" }))).await.text(), "x");
    }
    drop(stuck);
    let mut stream = third.stream(&third.get()).await;
    assert_eq!(next(&mut stream).await.as_str().map(str::len), Some(large));
    // What has been written is not sent again.
    post(&session, "small").await;
    assert_eq!(next(&mut stream).await, "small");
    drop(stream);
    eventually(async || {
        let mut again = second.stream(&second.get()).await;
        post(&session, "last").await;
        next(&mut again).await == "last"
    })
    .await;
}

/// A store that is away for longer than messages wait for it costs those messages, which is said, and none that come later.
#[tokio::test]
async fn messages_go_on_after_a_store_was_away_for_long() {
    let nodes = Nodes::with(|limits| limits.session_idle = Duration::from_secs(3600)).await;
    let session = nodes.session().await;
    drop(session.stream(&session.get()).await);
    let at = nodes.all[0].tools.session.lock().unwrap().clone().unwrap();
    let notice =
        |text: &str| json!({ "jsonrpc": "2.0", "method": "x", "params": { "data": text } }).to_string().into_bytes();
    tokio::time::pause();
    nodes.store.set_away(true);
    assert!(at.outlet().notify(None, notice("lost")).await.is_err());
    for _ in 0..400 {
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    nodes.store.set_away(false);
    assert!(at.outlet().notify(None, notice("kept")).await.is_ok());
    tokio::time::resume();
    let mut stream = session.stream(&session.get()).await;
    assert_eq!(next(&mut stream).await, "kept");
}
