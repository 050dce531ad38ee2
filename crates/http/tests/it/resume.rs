//! T-045: streams that are cut again and again lose nothing.

use jackfield_http::{HttpConfig, HttpLimits};
use rand_like::Numbers;
use serde_json::json;

use crate::client::Session;
use crate::fixture::Fixture;

/// Random numbers that are the same in each run.
mod rand_like {
    pub(crate) struct Numbers(pub(crate) u64);

    impl Numbers {
        pub(crate) fn below(&mut self, limit: u64) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0 % limit
        }
    }
}

/// T-045, HTTP-045, HTTP-047, HTTP-048: 20,000 events over 100 streams of four sessions, each cut at random places and
/// resumed: none is lost, doubled, reordered or on another stream.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_survive_random_cuts() {
    const EVENTS: u64 = 200;
    let fixture = Fixture::start().await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..4 {
        let session = Session::open(fixture.address, "2025-11-25").await;
        for stream in 0..25u64 {
            let session = session.clone();
            tasks.spawn(async move { follow(session, stream, EVENTS, Numbers(number * 1000 + stream + 1)).await });
        }
    }
    let mut total = 0;
    while let Some(cuts) = tasks.join_next().await {
        let (events, cuts) = cuts.unwrap();
        assert!(cuts > 0);
        total += events;
    }
    assert_eq!(total, 100 * EVENTS);
}

/// Reads one call's stream to its end, with cuts. Returns how many events came, and how often it was cut.
async fn follow(session: Session, id: u64, events: u64, mut numbers: Numbers) -> (u64, u64) {
    let mut client = session.stream(&session.tool(id, "count", json!({ "to": events }))).await;
    let (mut next, mut cuts) = (1, 0);
    let mut until_cut = numbers.below(40);
    loop {
        let Some(event) = client.event().await else { panic!("the stream ended without the answer") };
        if !event.data.is_empty() {
            let message: serde_json::Value = serde_json::from_str(&event.data).unwrap();
            if next > events {
                assert_eq!(message["id"], id, "the answer, on its own stream");
                assert_eq!(client.event().await, None);
                return (next - 1, cuts);
            }
            assert_eq!(message["params"]["progress"], next);
            next += 1;
        }
        if until_cut == 0 {
            drop(client);
            cuts += 1;
            until_cut = 1 + numbers.below(60);
            client = session.stream(&session.get().with("last-event-id", &event.id)).await;
        }
        until_cut -= 1;
    }
}

/// HTTP-022, T-045: a finished stream that is still being read makes no room for others, however much it has carried: its answer would be
/// lost.
#[tokio::test]
async fn a_stream_that_is_being_read_makes_no_room() {
    let limits = |limits: &mut HttpLimits| {
        (limits.queued_bytes, limits.kept_bytes) = (64 << 20, 64 << 20);
        (limits.kept_session_bytes, limits.kept_streams) = (1 << 20, 0);
    };
    let mut fixture = Fixture::with(HttpConfig::default().with_limits(limits)).await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    // More than fits into the buffers of the connection.
    let mut slow = session.stream(&session.tool(1, "bulk_wait", json!({ "to": 32, "bytes": 1 << 20 }))).await;
    fixture.see("sent").await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    fixture.let_go(1);
    fixture.see("dropped").await;
    for id in 2..5 {
        let mut other = session.stream(&session.tool(id, "count", json!({ "to": 1 }))).await;
        while other.message().await.is_some() {}
    }
    let mut messages = 0;
    let last = loop {
        let message = slow.message().await.expect("the answer");
        messages += 1;
        if message["id"] == 1 {
            break message;
        }
    };
    assert_eq!((messages, &last["result"]["content"][0]["text"]), (33, &json!("sent")));
}

/// HTTP-045: what counts is how much of a finished stream is kept, not how much it has carried.
#[tokio::test]
async fn a_stream_of_which_little_is_kept_needs_little_room() {
    let limits = |limits: &mut HttpLimits| (limits.kept_bytes, limits.kept_session_bytes) = (100_000, 1 << 20);
    let fixture = Fixture::with(HttpConfig::default().with_limits(limits)).await;
    let session = Session::open(fixture.address, "2025-11-25").await;
    let mut long = session.stream(&session.tool(1, "bulk", json!({ "to": 40, "bytes": 50_000 }))).await;
    let mut last = String::new();
    while let Some(event) = long.event().await {
        last = event.id;
    }
    let mut other = session.stream(&session.tool(2, "count", json!({ "to": 1 }))).await;
    while other.message().await.is_some() {}
    session.stream(&session.get().with("last-event-id", &last)).await;
}
