//! What a client records.

use jackfield_client::Client;
use jackfield_peer::tape::{Content, Entry, Reader, Side, Tape};
use jackfield_testkit::Paper;
use serde_json::{Value, json};

use crate::script::{Pair, paused};

/// All that passes is on the tape, in both directions and in order; a listener hears it beside.
#[test]
fn a_client_records_what_passes() {
    let paper = Paper::default();
    let tape = Tape::to(paper.clone()).unwrap();
    let recorded = tape.clone();
    paused(async move {
        let (client, mut server) = Pair::modern(Client::builder().tape(recorded).on_message(|_, _| {})).await;
        let (answered, ()) = tokio::join!(client.call("t", json!({"api_key": "p1"})).into_future(), async {
            server.expect("tools/call").await;
            server.write(b"starting up\n").await;
            server.answer(json!({"content": [{"type": "text", "text": "Bearer p2"}]})).await;
        });
        answered.unwrap();
    });
    tape.close().unwrap();
    let text = paper.text();
    assert!(!text.contains("p1") && !text.contains("p2"), "{text}");
    let entries: Vec<Entry> = Reader::new(text.as_bytes()).collect::<Result<_, _>>().unwrap();
    let told: Vec<_> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Record(record) => Some(record),
            _ => None,
        })
        .map(|record| {
            assert_eq!((record.over.as_str(), record.session.as_deref()), ("stream", Some("1")));
            let what = match &record.content {
                Content::Message { json, .. } => {
                    json.read::<Value>().unwrap()["method"].as_str().unwrap_or("answer").to_owned()
                }
                other => format!("{other:?}"),
            };
            (record.from, what)
        })
        .collect();
    let expected = [
        (Side::Client, "server/discover"),
        (Side::Server, "answer"),
        (Side::Client, "tools/call"),
        (Side::Server, "Text(\"starting up\")"),
        (Side::Server, "answer"),
    ];
    assert_eq!(told, expected.map(|(from, what)| (from, what.to_owned())));
}
