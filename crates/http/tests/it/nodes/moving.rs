//! Streams that are cut at one node and resumed at another.

use serde_json::json;

use super::Nodes;
use crate::client::Session;

/// HTTP-046, HTTP-048, T-047: a stream that its handler let go of is resumed at another node, while its call runs on at the first.
#[tokio::test]
async fn a_stream_is_resumed_at_another_node() {
    let mut nodes = Nodes::start().await;
    let session = nodes.session().await;
    let elsewhere = nodes.at(&session, 1);
    let mut stream = session.stream(&session.tool(2, "reconnect", json!({}))).await;
    let primer = stream.event().await.unwrap();
    assert_eq!(stream.event().await, None);
    nodes.all[0].see("released true").await;
    let mut back = elsewhere.stream(&elsewhere.get().with("last-event-id", &primer.id)).await;
    nodes.all[0].let_go(1);
    assert_eq!(back.message().await.unwrap()["id"], 2);
    assert_eq!(back.message().await, None);
    // It stays for a while, for a client that lost the end of it; elsewhere nobody knows it.
    let third = nodes.at(&session, 2);
    let mut again = third.stream(&third.get().with("last-event-id", &primer.id)).await;
    assert_eq!(again.message().await.unwrap()["id"], 2);
    let other = Session::open(nodes.all[2].address, "2025-11-25").await;
    assert_eq!(other.ask(&other.get().with("last-event-id", &primer.id)).await.status, 400);
}

/// T-045, HTTP-045: streams of 100 events each, cut at random places and resumed at other nodes: none is lost, doubled, reordered or on
/// another stream.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_survive_cuts_between_nodes() {
    let nodes = Nodes::start().await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..3u64 {
        let session = nodes.session().await;
        let at: Vec<_> = (0..3).map(|node| nodes.at(&session, node)).collect();
        for stream in 0..8 {
            tasks.spawn(follow(at.clone(), stream, number * 100 + stream + 1));
        }
    }
    while let Some(cuts) = tasks.join_next().await {
        assert!(cuts.unwrap() > 0);
    }
}

/// Reads one call's stream to its end, with cuts. Returns how often it was cut.
async fn follow(at: Vec<Session>, id: u64, mut seed: u64) -> u64 {
    const EVENTS: u64 = 100;
    let mut below = move |limit: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % limit
    };
    let mut client = at[0].stream(&at[0].tool(id, "count", json!({ "to": EVENTS }))).await;
    let (mut next, mut cuts, mut until_cut) = (1, 0, below(20));
    loop {
        let Some(event) = client.event().await else { panic!("the stream ended without the answer") };
        if !event.data.is_empty() {
            let message: serde_json::Value = serde_json::from_str(&event.data).unwrap();
            if next > EVENTS {
                assert_eq!(message["id"], id, "the answer, on its own stream");
                assert_eq!(client.event().await, None);
                return cuts;
            }
            assert_eq!(message["params"]["progress"], next);
            next += 1;
        }
        if until_cut == 0 {
            drop(client);
            cuts += 1;
            until_cut = 1 + below(40);
            let session = &at[below(3) as usize];
            client = session.stream(&session.get().with("last-event-id", &event.id)).await;
        }
        until_cut -= 1;
    }
}
