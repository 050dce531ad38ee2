//! Sessions that are just being opened.

use serde_json::json;

use super::{Nodes, eventually};

/// A node that hears of a session looks for it in the store, and takes it to be over if it is not there. One that is just being
/// opened is not there yet.
#[tokio::test]
async fn a_session_that_is_being_opened_is_not_over() {
    let nodes = Nodes::start().await;
    let other = nodes.session().await;
    nodes.store.hold_create();
    let disturbing = async {
        eventually(async || nodes.store.held() == 1).await;
        nodes.store.tell_of_created().await;
        // The node hears of both in order, so that it has looked when it knows that the other session is over.
        let second = nodes.at(&other, 1);
        assert_eq!(second.ask(&second.get().verb("DELETE")).await.status, 204);
        eventually(async || nodes.all[0].service.sessions() == 0).await;
        nodes.store.let_go();
    };
    let (session, ()) = tokio::join!(nodes.session(), disturbing);
    assert_eq!(session.ask(&session.tool(1, "echo", json!({ "text": "x" }))).await.text(), "x");
}
