//! Ending: calls finish, streams close, the rest is dropped.

use jackfield_http::HttpConfig;
use serde_json::json;

use crate::client::{Ask, Client, Session};
use crate::fixture::Fixture;

/// T-173: calls of both eras finish and are delivered; listen and session streams end; nothing new is taken.
#[tokio::test]
async fn calls_finish_and_streams_end() {
    let mut fixture = Fixture::start().await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut standalone = session.stream(&session.get()).await;
    let mut listening = Client::connect(fixture.address).await;
    listening.open(&Ask::modern("subscriptions/listen", json!({ "notifications": {} }))).await;
    fixture.see("listening").await;
    let mut idle = Client::connect(fixture.address).await;
    assert_eq!(idle.ask(&Ask::tool("echo", json!({}))).await.status, 200);
    let mut modern = Client::connect(fixture.address).await;
    modern.send(Ask::tool("wait", json!({})).bytes()).await;
    fixture.see("waiting 1").await;
    let mut legacy = Client::connect(fixture.address).await;
    legacy.send(session.tool(2, "wait", json!({})).bytes()).await;
    fixture.see("waiting 2").await;

    fixture.trigger.trigger();
    assert!(idle.is_closed().await);
    while standalone.event().await.is_some() {}
    assert_eq!(listening.message().await.unwrap()["method"], "notifications/subscriptions/acknowledged");
    assert!(listening.message().await.unwrap()["result"].is_object(), "the listen request is answered");
    assert!(tokio::net::TcpStream::connect(fixture.address).await.is_err());
    fixture.let_go(2);
    assert_eq!(modern.answer().await.text(), "waited");
    assert_eq!(legacy.answer().await.text(), "waited");
    fixture.task.join_next().await.unwrap().unwrap().unwrap();
    assert_eq!(fixture.service.sessions(), 0);
}

/// T-173: what does not finish in time is dropped.
#[tokio::test(start_paused = true)]
async fn what_does_not_finish_is_dropped() {
    let mut fixture = Fixture::with(HttpConfig::default()).await;
    let mut client = Client::connect(fixture.address).await;
    client.send(Ask::tool("wait", json!({})).bytes()).await;
    fixture.see("waiting 1").await;
    fixture.trigger.trigger();
    fixture.task.join_next().await.unwrap().unwrap().unwrap();
    fixture.see("dropped").await;
    assert!(client.is_closed().await);
}
