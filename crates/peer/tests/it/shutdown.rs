//! How a connection ends.

use std::sync::atomic::Ordering;
use std::time::Duration;

use jackfield_peer::StreamLimits;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use crate::script::{Client, cancel, legacy, modern};

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
    let client = Client::over(ours, theirs, StreamLimits::default());
    let answers = client.finish_with(modern(1, "x")).await;
    assert_eq!(answers[0]["id"], 1);
}

/// A line that is half here when the connection is told to end is no message: it is neither served nor answered.
#[tokio::test(start_paused = true)]
async fn at_a_shutdown_half_a_line_is_not_served() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    let mut writer = client.take_writer();
    writer.write_all(format!("{}\n{}", legacy(1, "sleep"), &legacy(2, "x")[..30]).as_bytes()).await.unwrap();
    tokio::task::yield_now().await;
    client.trigger.trigger();
    let answers = client.finish().await;
    assert_eq!(answers.iter().map(|answer| &answer["id"]).collect::<Vec<_>>(), [1]);
}

/// PAT-001, T-173: a handler that sends without end keeps neither a cancellation nor a shutdown from being heard, while the peer reads.
#[tokio::test]
async fn a_handler_that_sends_without_end_is_cancelled() {
    let mut limits = StreamLimits::default();
    limits.drain = Duration::ZERO;
    let mut client = Client::with(limits);
    client.initialize("2025-11-25").await;
    client.send(legacy(1, "notify-hang")).await;
    assert_eq!(client.receive().await["method"], "notifications/message");
    client.send(cancel(1)).await;
    client.send(legacy(2, "x")).await;
    let mut read = 0;
    while client.receive().await["id"] != 2 {
        read += 1;
        assert!(read < 1_000_000, "the cancellation is not heard");
    }
    client.send(legacy(3, "notify-hang")).await;
    assert_eq!(client.receive().await["method"], "notifications/message");
    client.trigger.trigger();
    for _ in 0..1_000_000 {
        if client.try_receive().await.is_none() {
            return client.server.join_next().await.unwrap().unwrap().unwrap();
        }
    }
    panic!("the shutdown is not heard");
}
