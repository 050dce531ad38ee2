//! Servers in the process of the gateway.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jackfield::Server;
use jackfield::testing::TestClient;
use jackfield_client::Client;
use jackfield_gateway::Gateway;
use serde_json::json;
use tokio::task::JoinSet;

use crate::backend::{client_of, demo};

#[tokio::test]
async fn a_server_in_this_process_is_used_like_any_other_and_ended_in_an_orderly_way() {
    let ended = Arc::new(AtomicBool::new(false));
    let is_ended = ended.clone();
    let gateway = Gateway::new("gateway").in_process("demo", move || {
        let ended = is_ended.clone();
        let stop = move |_| {
            let ended = ended.clone();
            async move { ended.store(true, Ordering::SeqCst) }
        };
        Ok::<Server, String>(demo().lifespan(|| async { 1_u8 }, stop))
    });
    let mut tasks = JoinSet::new();
    let client = client_of(gateway.server().unwrap(), Client::builder(), &mut tasks).await;
    let echoed = client.call("demo__echo", json!({"text": "hello"})).await.unwrap();
    assert_eq!(echoed.text(), "hello");
    assert!(!ended.load(Ordering::SeqCst));
    client.close().await;
    tasks.join_all().await;
    assert!(ended.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_server_that_cannot_be_made_says_why() {
    let gateway = Gateway::new("gateway").in_process("demo", || Err::<Server, _>("there is no such directory"));
    let client = TestClient::of(gateway.server().unwrap());
    let result = client.call_tool("demo__echo", json!({"text": "hello"})).await.unwrap();
    let text = result.content[0].as_text().unwrap();
    assert!(result.is_error == Some(true) && text.contains("there is no such directory"), "{text}");
}
