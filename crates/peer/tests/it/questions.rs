//! Questions from a handler to the other side.

use std::time::Duration;

use jackfield_peer::Limits;
use serde_json::{Value, json};

use crate::script::{Client, cancel, legacy};

async fn asked() -> (Client, Value) {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    client.send(legacy(1, "ask")).await;
    let question = client.receive().await;
    assert_eq!(question["method"], "roots/list");
    (client, question)
}

/// BASE-006, BASE-008
#[tokio::test]
async fn an_answer_reaches_its_question() {
    let (mut client, first) = asked().await;
    client.send(legacy(2, "ask")).await;
    let second = client.receive().await;
    assert_ne!(first["id"], second["id"]);
    for (question, name) in [(second, "second"), (first, "first")] {
        client.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": {"n": name}}).to_string()).await;
    }
    let mut names = [client.receive().await, client.receive().await]
        .map(|a| (a["id"].as_i64(), a["result"]["answer"]["n"].clone()));
    names.sort_by_key(|(id, _)| *id);
    assert_eq!(names, [(Some(1), json!("first")), (Some(2), json!("second"))]);
}

#[tokio::test]
async fn an_error_reaches_its_question() {
    let (mut client, question) = asked().await;
    client
        .send(
            json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1, "message": "no thanks"}}).to_string(),
        )
        .await;
    assert!(client.receive().await["error"]["message"].as_str().unwrap().contains("no thanks"));
}

/// T-116: an answer with both members is no answer.
#[tokio::test]
async fn an_ambiguous_answer_is_an_error() {
    let (mut client, question) = asked().await;
    client
        .send(
            json!({"jsonrpc": "2.0", "id": question["id"], "result": {}, "error": {"code": 1, "message": ""}})
                .to_string(),
        )
        .await;
    assert_eq!(client.receive().await["error"]["code"], -32603);
}

/// LIFE-022, LIFE-023: a question that is not answered in time is cancelled at the other side.
#[tokio::test(start_paused = true)]
async fn a_question_times_out_and_is_cancelled() {
    let (mut client, question) = asked().await;
    tokio::time::advance(Limits::default().question_timeout + Duration::from_secs(1)).await;
    let mut messages = [client.receive().await, client.receive().await];
    messages.sort_by_key(|message| message.get("id").is_some());
    assert_eq!(messages[0]["method"], "notifications/cancelled");
    assert_eq!(messages[0]["params"]["requestId"], question["id"]);
    assert!(messages[1]["error"]["message"].as_str().unwrap().contains("in time"));
}

/// PAT-001, PAT-004: cancelling the request cancels its question; a late answer is ignored.
#[tokio::test]
async fn cancelling_a_request_cancels_its_question() {
    let (mut client, question) = asked().await;
    client.send(cancel(1)).await;
    let note = client.receive().await;
    assert_eq!((&note["method"], &note["params"]["requestId"]), (&json!("notifications/cancelled"), &question["id"]));
    client.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": {}}).to_string()).await;
    assert_eq!(client.request(2, "x").await["id"], 2);
}

/// The end of the stream ends the wait.
#[tokio::test]
async fn a_question_ends_with_the_stream() {
    let (client, _) = asked().await;
    let rest = client.finish().await;
    assert_eq!(rest.len(), 1);
    assert!(rest[0]["error"]["message"].as_str().unwrap().contains("closed"));
}
