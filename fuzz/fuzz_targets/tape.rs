//! Any bytes as a tape, and as something to be recorded: what is read is written the same, what is recorded can be read, and no secret is
//! on the tape.
#![no_main]

use std::hash::{DefaultHasher, Hasher};
use std::time::Duration;

use jackfield_peer::tape::{Content, Entry, Reader, Record, Side};
use libfuzzer_sys::fuzz_target;
use serde_json::json;

const BEGIN: &[u8] = b"{\"tape\":1,\"at\":\"2026-07-28T12:00:00.000Z\"}\n";

/// A secret that cannot stand in the data itself: it follows from it.
fn secret_for(data: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(data);
    format!("s{:016x}", hasher.finish())
}

/// Writes entries and reads them again.
fn again(entries: &[Entry]) -> Vec<Entry> {
    let mut text = Vec::new();
    for entry in entries {
        let before = text.len();
        entry.write(&mut text);
        assert_eq!(text[before..].iter().filter(|byte| **byte == b'\n').count(), 1, "one line each");
    }
    Reader::new(&text[..]).map(|entry| entry.expect("an entry that we wrote")).collect()
}

fn recorded(text: &[u8]) -> String {
    let record = Record::new(Duration::from_micros(7), Side::Server, "stream", Content::of(text));
    let mut line = Vec::new();
    Entry::Record(record).write(&mut line);
    String::from_utf8(line).expect("JSON is UTF-8")
}

fuzz_target!(|data: &[u8]| {
    // As a whole tape, and as the lines of one.
    for tape in [data.to_vec(), [BEGIN, data].concat()] {
        let lines = tape.iter().filter(|byte| **byte == b'\n').count() + 1;
        let mut reader = Reader::new(&tape[..]).with_limit(2048);
        let read: Vec<_> = reader.by_ref().collect();
        assert!(read.len() <= lines, "{} entries and errors on {lines} lines", read.len());
        assert!(reader.next().is_none(), "something after the end");
        let entries: Vec<Entry> = read.into_iter().flatten().collect();
        if !entries.is_empty() {
            assert_eq!(again(&entries), entries);
        }
    }

    // As a message, or what should be one.
    let record = Record::new(Duration::from_micros(7), Side::Client, "stdio", Content::of(data));
    let begin = Reader::new(BEGIN).next().expect("one line").expect("a begin");
    let entries = [begin, Entry::Record(record)];
    assert_eq!(again(&entries), entries);

    // With a secret beside it.
    let (text, secret) = (String::from_utf8_lossy(data), secret_for(data));
    for message in [
        json!({ "a": text, "password": secret }).to_string(),
        json!({ "a": [{ "b": format!("{text} Bearer {secret}") }] }).to_string(),
        json!(format!("{text}&access_token={secret}")).to_string(),
        json!(format!("{text}\npassword = \"{secret}\"")).to_string(),
        json!({ "a": json!([{ "api-key": secret }, text]).to_string() }).to_string(),
        json!({ "a": text, "b": { format!("x?token={secret}"): 1 } }).to_string(),
        format!("{text} {{\"api_key\":\"{secret}"),
    ] {
        let line = recorded(message.as_bytes());
        assert!(!line.contains(&secret), "{line}");
    }
});
