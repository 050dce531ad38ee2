//! What a peer can grow is bounded.

use std::sync::atomic::Ordering;
use std::time::Duration;

use jackfield_peer::{ByteStream, StreamLimits};
use serde_json::json;
use tokio::io::AsyncWriteExt;

use crate::script::{Client, cancel, legacy, modern};

fn limits(change: impl FnOnce(&mut StreamLimits)) -> StreamLimits {
    let mut limits = StreamLimits::default();
    change(&mut limits);
    limits
}

/// T-004: at the limit it is served, above it is refused with its id, and the next message is served.
#[tokio::test]
async fn a_line_that_is_too_long_is_refused_and_skipped() {
    let mut client = Client::with(limits(|l| l.line_bytes = 1000));
    client.initialize("2025-11-25").await;
    let padded = |id: i64, length: usize| {
        let text = legacy(id, "x");
        let padding = " ".repeat(length - text.len());
        text + &padding
    };
    for (id, length, fits) in [(1, 999, true), (2, 1000, true), (3, 1001, false), (4, 300_000, false)] {
        client.send(padded(id, length)).await;
        let answer = client.receive().await;
        assert_eq!(answer["id"], id);
        assert_eq!(answer["error"]["code"].as_i64(), (!fits).then_some(-32600), "{length}");
    }
    assert_eq!(client.request(5, "x").await["id"], 5);
}

/// At the limit minus one a further request runs, at the limit it is refused at once, and a cancellation makes room.
#[tokio::test]
async fn requests_in_flight_are_bounded() {
    let mut client = Client::with_calls(|calls| calls.requests_in_flight = 3);
    client.initialize("2025-11-25").await;
    for id in 1..=3 {
        client.send(legacy(id, "hang")).await;
    }
    let refused = client.request(4, "x").await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(4), &json!(429)));
    client.send(cancel(2)).await;
    assert_eq!(client.request(5, "x").await["result"]["method"], "tools/call");
}

#[tokio::test(start_paused = true)]
async fn a_handler_may_be_given_a_time_limit() {
    let mut client = Client::with_calls(|calls| calls.request_timeout = Some(Duration::from_millis(500)));
    client.initialize("2025-11-25").await;
    let answer = client.request(1, "sleep").await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("too long"));
    assert_eq!(client.request(2, "x").await["id"], 2);
}

/// T-029: a peer that does not read is not read from; nothing is lost when it goes on.
#[tokio::test]
async fn a_slow_reader_is_not_read_from() {
    let (ours, theirs) = ByteStream::pair(4096);
    let mut client = Client::over(ours, theirs, limits(|l| l.queued_bytes = 512));
    // The pipes and the queue hold far fewer than these, so the writer stalls until we read.
    let requests: String = (0..500).map(|id| modern(id, "x") + "\n").collect();
    let mut writer = client.take_writer();
    let write = async move {
        writer.write_all(requests.as_bytes()).await.unwrap();
        writer
    };
    tokio::pin!(write);
    for _ in 0..100 {
        let stalled = tokio::select! { biased; _ = &mut write => false, () = tokio::task::yield_now() => true };
        assert!(stalled, "everything was taken in although nothing was read");
    }
    let read = async {
        for id in 0..500 {
            assert_eq!(client.receive().await["id"], id);
        }
    };
    tokio::join!(write, read);
}

/// T-028: notifications whose handlers wait are as bounded as requests, and take no room from them.
#[tokio::test]
async fn notifications_under_way_are_bounded() {
    let mut client = Client::with_calls(|calls| calls.requests_in_flight = 3);
    client.initialize("2025-11-25").await;
    assert_eq!(client.request(0, "x").await["id"], 0);
    let before = client.script.notes.load(Ordering::SeqCst);
    for _ in 0..20 {
        let note = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed", "params": {"do": "hang"}});
        client.send(note.to_string()).await;
    }
    for id in 1..=3 {
        client.send(legacy(id, "later")).await;
    }
    for _ in 1..=3 {
        assert_eq!(client.receive().await["result"]["late"], true);
    }
    assert_eq!(client.script.notes.load(Ordering::SeqCst), before + 3);
}

/// T-008: answers that wait for the rest of their batch are bounded; one batch alone may be as large as it is.
#[tokio::test]
async fn answers_that_wait_for_their_batch_are_bounded() {
    let mut client = Client::with(limits(|l| l.queued_bytes = 200));
    client.initialize("2025-03-26").await;
    let batch = |first: i64, what: &str| {
        let rest: Vec<_> = (1..10).map(|n| legacy(first + n, "x")).collect();
        format!("[{},{}]", legacy(first, what), rest.join(","))
    };
    client.send(batch(100, "hang")).await;
    client.send(batch(200, "x")).await;
    let refused = client.receive().await;
    let refused = refused.as_array().unwrap();
    assert_eq!(refused.len(), 10);
    assert!(refused.iter().all(|answer| answer["error"]["code"] == 429), "{refused:?}");
    client.send(cancel(100)).await;
    assert_eq!(client.receive().await.as_array().unwrap().len(), 9);
    client.send(batch(300, "later")).await;
    let whole = client.receive().await;
    assert!(whole.as_array().unwrap().iter().all(|answer| answer["result"].is_object()), "{whole}");
}

/// An answer of very many lines is made one line in one pass; looking at it again for each of them would take minutes.
#[tokio::test]
async fn an_answer_of_many_lines_is_written_as_one() {
    let mut client = Client::new();
    client.initialize("2025-11-25").await;
    assert_eq!(client.request(1, "newlines").await["result"]["a"], 1);
}
