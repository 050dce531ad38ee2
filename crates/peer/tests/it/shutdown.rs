//! How a connection ends.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::script::{Client, legacy, modern};

/// STDIO-014, T-173: at the end of input, what runs may finish, and all answers are written.
#[tokio::test(start_paused = true)]
async fn at_the_end_of_input_running_requests_finish() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    client.send(legacy(1, "sleep")).await;
    client.send(legacy(2, "later")).await;
    let mut ids: Vec<_> = client.finish().await.iter().map(|answer| answer["id"].clone()).collect();
    ids.sort_by_key(Value::as_i64);
    assert_eq!(ids, [json!(1), json!(2)]);
}

/// STDIO-014, T-173: what hangs is dropped after the drain time.
#[tokio::test(start_paused = true)]
async fn what_hangs_is_dropped_after_the_drain_time() {
    let mut client = Client::new();
    client.send(modern(1, "hang")).await;
    client.send(modern(2, "x")).await;
    assert_eq!(client.receive().await["id"], 2);
    let dropped = client.script.dropped.clone();
    let before = dropped.load(Ordering::SeqCst);
    assert_eq!(client.finish().await, Vec::<Value>::new());
    assert_eq!(dropped.load(Ordering::SeqCst), before + 1);
}

/// T-173: a shutdown ends the connection even while the peer keeps it open.
#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_the_connection() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    client.send(legacy(1, "sleep")).await;
    assert_eq!(client.request(2, "x").await["id"], 2);
    client.trigger.trigger();
    assert_eq!(client.receive().await["result"]["slept"], true);
    client.server.join_next().await.unwrap().unwrap().unwrap();
}

/// The last line needs no line end.
#[tokio::test]
async fn the_last_line_is_served_without_a_line_end() {
    let (ours, theirs) = jackfield_peer::ByteStream::pair(1 << 16);
    let client = Client::over(ours, theirs, jackfield_peer::Limits::default());
    let answers = client.finish_with(modern(1, "x")).await;
    assert_eq!(answers[0]["id"], 1);
}
