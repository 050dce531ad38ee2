//! Cancelled work is dropped, and nothing more is said about it.

use std::sync::atomic::Ordering;

use serde_json::json;

use crate::logging::Scribe;
use crate::script::{Client, cancel, legacy, modern};

/// PAT-003, STDIO-011, STDIO-012, PAT-005: the handler's future is dropped, the answer suppressed.
#[tokio::test]
async fn a_cancelled_request_is_dropped_and_never_answered() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    client.send(legacy(1, "hang")).await;
    client.send(modern("b", "hang")).await;
    assert_eq!(client.request(3, "x").await["id"], 3);
    client.send(cancel(1)).await;
    client.send(cancel("b")).await;
    assert_eq!(client.request(4, "later").await["id"], 4);
    let dropped = client.script.dropped.clone();
    assert_eq!(client.finish().await, Vec::<serde_json::Value>::new());
    assert!(dropped.load(Ordering::SeqCst) >= 2);
}

/// STDIO-012: not even what the handler had said before, if it is not yet written.
#[tokio::test]
async fn nothing_is_said_about_a_request_after_its_cancellation() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    // Both lines come in one chunk, so the notes of the first wait in the queue when the second is read.
    client.send(format!("{}\n{}\n{}", legacy(1, "progress-hang"), cancel(1), legacy(2, "x"))).await;
    assert_eq!(client.receive().await["id"], 2);
    assert_eq!(client.finish().await, Vec::<serde_json::Value>::new());
}

/// PAT-008, PAT-005: what is unknown, finished or malformed is ignored.
#[tokio::test]
async fn invalid_cancellations_are_ignored() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    assert_eq!(client.request(1, "later").await["id"], 1);
    client.send(cancel(1)).await;
    client.send(cancel("no such")).await;
    client.send(cancel(json!([1]))).await;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":[]}}"#).await;
    assert_eq!(client.request(2, "x").await["id"], 2);
}

/// A cancelled id may be used again at once.
#[tokio::test]
async fn a_cancelled_id_is_free_again() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    client.send(legacy(1, "hang")).await;
    client.send(cancel(1)).await;
    assert_eq!(client.request(1, "later").await["result"]["late"], true);
}

/// PAT-006: why a request is cancelled is logged, as far as it says so in a few words.
#[tokio::test]
async fn the_reason_of_a_cancellation_is_logged() {
    let (scribe, _logging) = Scribe::listen();
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    client.send(legacy(5, "hang")).await;
    let cancel = |id: u32, reason: String| {
        let params = json!({"requestId": id, "reason": reason});
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string()
    };
    client.send(cancel(4, "there is no such request".to_owned())).await;
    client.send(cancel(5, format!("the user went home{}", " and sat down".repeat(1000)))).await;
    assert_eq!(client.request(6, "x").await["id"], 6);
    let logged = scribe.text();
    let reason = logged.lines().find(|line| line.starts_with("reason=")).expect("a reason");
    assert!(reason.contains("the user went home") && reason.len() < 300, "{reason}");
    assert!(!logged.contains("no such request"), "{logged}");
}

/// PAT-019, PAT-024: progress comes in order, and before the answer.
#[tokio::test]
async fn progress_comes_in_order_before_the_answer() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    client.send(legacy(1, "progress")).await;
    for step in 1..=5 {
        assert_eq!(client.receive().await["params"]["progress"], step);
    }
    assert_eq!(client.receive().await["result"]["steps"], 5);
}

/// What has to follow an answer does so, whether the handler was ready at once or later.
#[tokio::test]
async fn what_has_to_follow_an_answer_follows_it() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    for what in ["after", "after-later"] {
        assert_eq!(client.request(what, what).await["id"], what);
        assert_eq!(client.receive().await["params"]["data"], what);
    }
}

/// Without an answer there is nothing that could be followed.
#[tokio::test]
async fn what_has_to_follow_an_answer_goes_with_its_request() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    client.send(legacy(1, "after-hang")).await;
    assert_eq!(client.request(2, "later").await["id"], 2);
    client.send(cancel(1)).await;
    assert_eq!(client.request(3, "after").await["id"], 3);
    assert_eq!(client.receive().await["params"]["data"], "after");
    assert_eq!(client.finish().await, Vec::<serde_json::Value>::new());
}

/// A cancelled entry does not hold up the answer of its batch.
#[tokio::test]
async fn a_batch_is_answered_without_its_cancelled_entry() {
    let mut client = Client::new();
    client.initialize("2025-03-26").await;
    client.send(format!("[{},{}]", legacy(1, "hang"), legacy(2, "x"))).await;
    client.send(cancel(1)).await;
    let answers = client.receive().await;
    assert_eq!(answers.as_array().unwrap().len(), 1);
    assert_eq!(answers[0]["id"], 2);
}
