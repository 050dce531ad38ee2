//! Every request whose id can be read is answered exactly once, whatever the stream does.

use std::collections::BTreeMap;

use jackfield_peer::{ByteStream, Connection, StreamLimits};
use jackfield_testkit::{Faults, Faulty};
use proptest::prelude::*;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::script::{Script, cancel, legacy, modern};

/// What a client may send.
#[derive(Clone, Debug)]
enum Act {
    Request(&'static str, bool),
    Cancel(usize),
    Batch(usize),
    Garbage(Vec<u8>),
    BadRequest,
}

fn act() -> impl Strategy<Value = Act> {
    let what = prop_oneof![
        Just("x"),
        Just("later"),
        Just("sleep"),
        Just("panic"),
        Just("panic-later"),
        Just("fail"),
        Just("progress"),
        Just("hang")
    ];
    prop_oneof![
        8 => (what, any::<bool>()).prop_map(|(what, modern)| Act::Request(what, modern)),
        2 => (0usize..40).prop_map(Act::Cancel),
        1 => (1usize..4).prop_map(Act::Batch),
        1 => prop::collection::vec(any::<u8>().prop_filter("one line", |b| *b != b'\n'), 1..30).prop_map(Act::Garbage),
        1 => Just(Act::BadRequest),
    ]
}

struct Expected {
    answers: std::ops::RangeInclusive<usize>,
}

/// Turns acts into lines, and says for each id how many answers there may be.
fn script(acts: &[Act]) -> (Vec<u8>, BTreeMap<String, Expected>) {
    let init = r#"{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let mut text = format!("{init}\n").into_bytes();
    let mut expected = BTreeMap::from([("init".to_owned(), Expected { answers: 1..=1 })]);
    let mut next = 0;
    let mut id = |expected: &mut BTreeMap<String, Expected>, answers| {
        let id = format!("r{next}");
        next += 1;
        expected.insert(id.clone(), Expected { answers });
        id
    };
    for act in acts {
        let line = match act {
            Act::Request(what, is_modern) => {
                let id = id(&mut expected, if *what == "hang" { 0..=0 } else { 1..=1 });
                if *is_modern { modern(id, what) } else { legacy(id, what) }
            }
            Act::Cancel(index) => {
                let id = format!("r{index}");
                if let Some(known) = expected.get_mut(&id) {
                    known.answers = 0..=*known.answers.end();
                }
                cancel(id)
            }
            Act::Batch(count) => {
                let entries: Vec<_> = (0..*count).map(|_| legacy(id(&mut expected, 1..=1), "later")).collect();
                format!("[{}]", entries.join(","))
            }
            Act::Garbage(bytes) => {
                text.extend_from_slice(bytes);
                String::new()
            }
            Act::BadRequest => format!(r#"{{"jsonrpc":"2.0","id":"{}","methud":1}}"#, id(&mut expected, 1..=1)),
        };
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
    }
    (text, expected)
}

async fn play(text: &[u8], faults: Faults) -> Vec<u8> {
    let (ours, theirs) = tokio::io::duplex(256);
    let (reader, writer) = tokio::io::split(theirs);
    let theirs = ByteStream::new(Faulty::new(reader, faults), Faulty::new(writer, faults));
    let mut limits = StreamLimits::default();
    limits.queued_bytes = 512;
    let server = Connection::new(std::sync::Arc::new(Script::default())).with_limits(limits).serve(theirs);
    let (mut reader, mut writer) = tokio::io::split(ours);
    let mut output = Vec::new();
    let (_, (), _) = tokio::join!(
        server,
        async {
            writer.write_all(text).await.unwrap();
            writer.shutdown().await.unwrap();
        },
        reader.read_to_end(&mut output)
    );
    output
}

fn answers(output: &[u8]) -> BTreeMap<String, usize> {
    let mut count = BTreeMap::new();
    let mut note = |message: &Value| {
        if message.get("method").is_none()
            && let Some(id) = message.get("id").and_then(Value::as_str)
        {
            *count.entry(id.to_owned()).or_insert(0) += 1;
        }
    };
    for line in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice::<Value>(line).unwrap() {
            Value::Array(messages) => messages.iter().for_each(&mut note),
            message => note(&message),
        }
    }
    count
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// T-009, T-010, BASE-008, PAT-005
    #[test]
    fn every_readable_request_is_answered_exactly_once(
        acts in prop::collection::vec(act(), 0..30), seed: u64, chunk in 0usize..40, delays in 0u8..12
    ) {
        let (text, expected) = script(&acts);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let output = runtime.block_on(play(&text, Faults { seed, chunk, delays, write_fails_after: None }));
        let found = answers(&output);
        for (id, expected) in &expected {
            let count = found.get(id).copied().unwrap_or(0);
            prop_assert!(expected.answers.contains(&count), "{}: {} answers, expected {:?}", id, count, expected.answers);
        }
        for id in found.keys() {
            prop_assert!(expected.contains_key(id), "an answer to {} that was never asked", id);
        }
    }
}
