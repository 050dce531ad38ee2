//! What a connection records.

use std::time::Duration;

use jackfield_peer::tape::{Content, Entry, Reader, Record, Recorder, Side, Tape};
use jackfield_peer::{ByteStream, StreamLimits};
use jackfield_testkit::Paper;
use serde_json::Value;

use crate::script::{Client, legacy};

/// A record in short: who, and the id, method or text.
fn short(record: &Record) -> String {
    let from = if record.from == Side::Client { ">" } else { "<" };
    let what = match &record.content {
        Content::Message { json, .. } => {
            let message: Value = json.read().unwrap();
            let one = |message: &Value| match (&message["method"], &message["id"]) {
                (Value::String(method), _) => method.clone(),
                (_, id) => format!("{id} {}", if message["error"].is_null() { "result" } else { "error" }),
            };
            match message.as_array() {
                Some(batch) => batch.iter().map(one).collect::<Vec<_>>().join(", "),
                None => one(&message),
            }
        }
        Content::Text(text) => format!("text {}", &text[..text.len().min(10)]),
        other => format!("{other:?}"),
    };
    format!("{from} {what}")
}

/// All that passes is on the tape, in order, in both directions: what is wrong and what is refused as well.
#[tokio::test]
async fn a_connection_records_what_passes() {
    let paper = Paper::default();
    let tape = Tape::to(paper.clone()).unwrap();
    let (ours, theirs) = ByteStream::pair(1 << 20);
    let mut limits = StreamLimits::default();
    limits.line_bytes = 1000;
    let recorder = Recorder::new(&tape, "stream");
    let mut client = Client::served(ours, theirs, |connection| connection.with_limits(limits).with_recorder(recorder));
    client.initialize("2025-03-26").await;
    client.send("").await;
    client.send("not JSON").await;
    client.receive().await;
    client.request(1, "later").await;
    client.send(legacy(2, "ask")).await;
    let question = client.receive().await;
    client.send(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"roots":[]}}}}"#, question["id"])).await;
    client.receive().await;
    client.send(format!("[{},{}]", legacy(3, ""), legacy(4, "fail"))).await;
    client.receive().await;
    client.send(format!("\"{}\"", "x".repeat(5000))).await;
    client.receive().await;
    client.send(legacy(5, "after")).await;
    client.receive().await;
    client.receive().await;
    client.finish().await;
    tape.close().unwrap();

    let text = paper.text();
    let entries: Vec<Entry> = Reader::new(text.as_bytes()).collect::<Result<_, _>>().unwrap();
    let [Entry::Begin { .. }, records @ ..] = &entries[..] else { panic!("{text}") };
    let records: Vec<&Record> = records
        .iter()
        .map(|entry| match entry {
            Entry::Record(record) => record,
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        "> initialize",
        "< \"init\" result",
        "> notifications/initialized",
        "> text not JSON",
        "< null error",
        "> tools/call",
        "< 1 result",
        "> tools/call",
        "< roots/list",
        &format!("> {} result", question["id"]),
        "< 2 result",
        "> tools/call, tools/call",
        "< 3 result, 4 error",
        "> text \"xxxxxxxxx",
        "< null error",
        "> tools/call",
        "< 5 result",
        "< notifications/message",
    ];
    let told: Vec<String> = records.iter().map(|record| short(record)).collect();
    assert_eq!(told, expected);
    assert!(records.iter().all(|record| record.over == "stream" && record.session.as_deref() == Some("1")));
    assert!(records.is_sorted_by_key(|record| record.after) && records[0].after < Duration::from_secs(3600));
}
