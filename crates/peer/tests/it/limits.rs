//! What a peer can grow is bounded.

use std::time::Duration;

use jackfield_peer::{ByteStream, Limits};
use serde_json::json;
use tokio::io::AsyncWriteExt;

use crate::script::{Client, cancel, legacy, modern};

fn limits(change: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits::default();
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
    let mut client = Client::with(limits(|l| l.requests_in_flight = 3));
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
    let mut client = Client::with(limits(|l| l.request_timeout = Some(Duration::from_millis(500))));
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
