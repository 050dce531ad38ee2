//! The client of a call over HTTP, after the call.

use jackfield_protocol::LoggingLevel;
use jackfield_server::{Elicited, NotifyError};
use serde_json::json;

use super::Listening;
use super::client::{Ask, Client, Session};
use crate::client_handle::keeping;

/// A client that ends its session is gone, although the server goes on.
#[tokio::test]
async fn the_client_of_a_session_is_reached_until_the_session_ends() {
    let (server, kept) = keeping();
    let listening = Listening::start(&server).await;
    let session = Session::open(listening.address, "2025-11-25").await;
    assert_eq!(session.ask(&session.tool(1, "keep", json!({}))).await.text(), "kept");
    let client = kept.lock().unwrap()[0].clone();
    let mut stream = session.stream(&session.get()).await;
    client.log(LoggingLevel::Info, None, "done").await.unwrap();
    assert_eq!(stream.message().await.unwrap()["params"]["data"], "done");
    client.notify_tools_changed().unwrap();
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/tools/list_changed");
    let answering = async {
        let question = stream.message().await.unwrap();
        let answer = json!({ "action": "accept", "content": { "value": 7 } });
        let answer = json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer });
        assert_eq!(session.ask(&session.post(answer)).await.status, 202);
    };
    assert_eq!(tokio::join!(client.elicit::<u8>("How many?"), answering).0, Ok(Elicited::Accepted(7)));

    assert!(!client.is_closed());
    let end = session.get().verb("DELETE");
    tokio::join!(client.closed(), async { assert!(session.ask(&end).await.status < 300) });
    assert!(client.is_closed());
    assert_eq!(client.log(LoggingLevel::Info, None, "x").await, Err(NotifyError::Closed));
}

/// Without a user, a session or a connection that lasts nothing says which stream is the client's.
#[tokio::test]
async fn a_modern_client_without_a_name_is_not_reached_after_the_call() {
    let (server, kept) = keeping();
    let listening = Listening::start(&server).await;
    let listen = Ask::modern("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
    let mut listener = Client::connect(listening.address).await;
    assert_eq!(listener.open(&listen).await.status, 200);
    assert_eq!(listener.message().await.unwrap()["method"], "notifications/subscriptions/acknowledged");
    let called = Client::connect(listening.address).await.ask(&Ask::tool("keep", json!({}))).await;
    assert_eq!(called.text(), "kept");
    let client = kept.lock().unwrap()[0].clone();
    assert_eq!(client.notify_tools_changed(), Err(NotifyError::NotListening));
    assert_eq!(client.log(LoggingLevel::Info, None, "x").await, Err(NotifyError::NotSupported));
}
