//! One line of a tape, as values and as JSON.

use std::time::Duration;

use jackfield_protocol::RawJson;
use jackfield_store::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};

use crate::redact::{redacted, redacted_text};

/// The version of the format that is written. Members may be added to it; readers ignore those that they do not know.
pub const VERSION: u64 = 1;

/// One line of a tape.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Entry {
    /// A recording begins. A tape may hold several, one after the other.
    Begin {
        /// When.
        at: Timestamp,
        /// Which program writes it, as far as it says so.
        by: Option<String>,
    },
    /// Something was sent.
    Record(Record),
    /// Records are missing here, because they came faster than they could be written.
    Missed {
        /// When that was noticed, counted from the begin.
        after: Duration,
        /// How many.
        count: u64,
    },
}

/// Something that one side sent to the other.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Record {
    /// When, counted from the begin of the recording, in whole microseconds.
    pub after: Duration,
    /// Who sent it.
    pub from: Side,
    /// What carried it: `stdio`, `http`, or `stream` for any other stream of bytes.
    pub over: String,
    /// What belongs together: a connection, or a session over HTTP. It is a mark of the tape, not the id of the session, which is secret.
    pub session: Option<String>,
    /// Over HTTP, at a server: which request and response belong together.
    pub exchange: Option<u64>,
    /// The method of an HTTP request.
    pub verb: Option<String>,
    /// The status of an HTTP response.
    pub status: Option<u16>,
    /// What was sent.
    pub content: Content,
}

/// Who sent something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The client.
    Client,
    /// The server.
    Server,
}

/// What was sent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// No message, such as in the head of a stream.
    Nothing,
    /// A message, or any other JSON.
    Message {
        /// The message, to the letter if nothing was left out.
        json: RawJson,
        /// Whether secrets were left out.
        redacted: bool,
    },
    /// What should have been a message, and is no JSON: its first part.
    Text(String),
}

/// How much is kept of what is no JSON.
const LONGEST_TEXT: usize = 4096;

/// No recording takes longer than a hundred years; up to there microseconds are exact in the numbers of JSON.
const LONGEST: Duration = Duration::from_secs(100 * 366 * 86_400);

impl Record {
    /// Makes a record without the facts that only some transports have.
    pub fn new(after: Duration, from: Side, over: impl Into<String>, content: Content) -> Self {
        let after = Duration::from_micros(micros(after.min(LONGEST)));
        let over = over.into();
        Self { after, from, over, session: None, exchange: None, verb: None, status: None, content }
    }
}

impl Content {
    /// Takes what was sent, and leaves out what says that it is secret.
    #[must_use]
    pub fn of(text: &[u8]) -> Self {
        let json = std::str::from_utf8(text).ok().and_then(|text| RawJson::from_text(text).ok());
        match json {
            Some(json) => match redacted(&json) {
                Some(json) => Self::Message { json, redacted: true },
                None => Self::Message { json, redacted: false },
            },
            None => {
                let start = text.get(..LONGEST_TEXT).unwrap_or(text);
                let text = String::from_utf8_lossy(start);
                Self::Text(redacted_text(&text).unwrap_or_else(|| text.into_owned()))
            }
        }
    }
}

impl Entry {
    /// Appends the entry as one line, with its end.
    pub fn write(&self, out: &mut Vec<u8>) {
        let line = match self {
            Self::Begin { at, by } => {
                Line { tape: Some(VERSION), at: Some(at.to_string()), by: by.clone(), ..Line::default() }
            }
            Self::Record(record) => Line::of(record),
            Self::Missed { after, count } => Line { ms: Some(millis(*after)), missed: Some(*count), ..Line::default() },
        };
        let start = out.len();
        // Writing to memory does not fail, and a line has no member that could not be written.
        if serde_json::to_writer(&mut *out, &line).is_err() {
            return out.truncate(start);
        }
        out.push(b'\n');
    }

    /// Reads a line.
    pub(super) fn read(line: &[u8]) -> Result<Self, Unreadable> {
        match serde_json::from_slice::<Line>(line) {
            Ok(line) => line.entry(),
            // A later version may have changed what the other members are.
            Err(error) => match serde_json::from_slice::<Begin>(line) {
                Ok(Begin { tape }) if tape != VERSION => Err(Unreadable::Version(tape)),
                _ => Err(Unreadable::Bad(plain(&error))),
            },
        }
    }
}

/// Why a line is no entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// It begins a recording of another version.
    Version(u64),
    /// Something is wrong with it.
    Bad(String),
}

/// What every version has.
#[derive(Deserialize)]
struct Begin {
    tape: u64,
}

/// A line, with all members that any kind of entry has.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Line {
    #[serde(skip_serializing_if = "Option::is_none")]
    tape: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<Side>,
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exchange: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verb: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missed: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    redacted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    message: Option<RawJson>,
}

/// Reads a value that is there, be it null: a peer may have sent just that.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RawJson>, D::Error> {
    RawJson::deserialize(deserializer).map(Some)
}

impl Line {
    fn of(record: &Record) -> Self {
        let (message, redacted, text) = match &record.content {
            Content::Nothing => (None, false, None),
            Content::Message { json, redacted } => (Some(json.clone()), *redacted, None),
            Content::Text(text) => (None, false, Some(text.clone())),
        };
        Self {
            ms: Some(millis(record.after)),
            from: Some(record.from),
            over: Some(record.over.clone()),
            session: record.session.clone(),
            exchange: record.exchange,
            verb: record.verb.clone(),
            status: record.status,
            redacted,
            text,
            message,
            ..Self::default()
        }
    }

    fn entry(self) -> Result<Entry, Unreadable> {
        let bad = |what: &str| Unreadable::Bad(what.to_owned());
        match self.tape {
            Some(VERSION) => {
                let at = self.at.as_deref().ok_or_else(|| bad("a recording begins without `at`"))?;
                let at = at.parse().map_err(|error| Unreadable::Bad(format!("`at` is {error}")))?;
                return Ok(Entry::Begin { at, by: self.by });
            }
            Some(other) => return Err(Unreadable::Version(other)),
            None => {}
        }
        let after = self.ms.ok_or_else(|| bad("`ms` is missing"))?;
        let after = duration(after).ok_or_else(|| bad("`ms` is no time that a recording can take"))?;
        if let Some(count) = self.missed {
            return Ok(Entry::Missed { after, count });
        }
        let from = self.from.ok_or_else(|| bad("`from` is missing"))?;
        let over = self.over.ok_or_else(|| bad("`over` is missing"))?;
        let content = match (self.message, self.text) {
            (Some(json), None) => Content::Message { json, redacted: self.redacted },
            (None, Some(text)) => Content::Text(text),
            (None, None) => Content::Nothing,
            (Some(_), Some(_)) => return Err(bad("it has both `message` and `text`")),
        };
        let (session, exchange) = (self.session, self.exchange);
        Ok(Entry::Record(Record {
            after,
            from,
            over,
            session,
            exchange,
            verb: self.verb,
            status: self.status,
            content,
        }))
    }
}

/// What is wrong with a text, without where: it is one line.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((what, _)) => format!("{what}, at byte {}", error.column()),
        None => text,
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn millis(time: Duration) -> f64 {
    micros(time.min(LONGEST)) as f64 / 1000.0
}

fn duration(millis: f64) -> Option<Duration> {
    let micros = (millis * 1000.0).round();
    // A number that is none is in no range.
    let is_one = (0.0..=LONGEST.as_micros() as f64).contains(&micros);
    is_one.then(|| Duration::from_micros(micros as u64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn written(entry: &Entry) -> String {
        let mut line = Vec::new();
        entry.write(&mut line);
        String::from_utf8(line).unwrap()
    }

    fn record(text: &str) -> Record {
        Record::new(Duration::from_micros(1234), Side::Client, "stdio", Content::of(text.as_bytes()))
    }

    #[test]
    fn entries_look_as_the_documentation_says() {
        let begin = Entry::Begin { at: Timestamp::from_millis(0), by: Some("jackfield 0.1.0".to_owned()) };
        assert_eq!(written(&begin), "{\"tape\":1,\"at\":\"1970-01-01T00:00:00.000Z\",\"by\":\"jackfield 0.1.0\"}\n");
        let ping = Entry::Record(record(r#"{"id":1, "method":"ping"}"#));
        assert_eq!(
            written(&ping),
            "{\"ms\":1.234,\"from\":\"client\",\"over\":\"stdio\",\"message\":{\"id\":1, \"method\":\"ping\"}}\n"
        );
        let mut answer = Record::new(Duration::ZERO, Side::Server, "http", Content::Nothing);
        (answer.session, answer.exchange, answer.status) = (Some("a1".to_owned()), Some(7), Some(202));
        assert_eq!(
            written(&Entry::Record(answer)),
            "{\"ms\":0.0,\"from\":\"server\",\"over\":\"http\",\"session\":\"a1\",\"exchange\":7,\"status\":202}\n"
        );
        let missed = Entry::Missed { after: Duration::from_millis(5), count: 3 };
        assert_eq!(written(&missed), "{\"ms\":5.0,\"missed\":3}\n");
    }

    #[test]
    fn a_message_is_kept_to_the_letter_in_one_line() {
        let content = Content::of(b"{\"b\" : 1.0e3,\n \"a\":1}");
        let Content::Message { json, redacted: false } = &content else { panic!("{content:?}") };
        assert_eq!(json.get(), "{\"b\" : 1.0e3,  \"a\":1}");
    }

    /// T-153: no tape has secrets on it.
    #[test]
    fn secrets_are_not_recorded() {
        let line = written(&Entry::Record(record(r#"{"params":{"arguments":{"password":"p1","a":"Bearer p2"}}}"#)));
        assert!(line.contains("\"redacted\":true") && !line.contains("p1") && !line.contains("p2"), "{line}");
        let line = written(&Entry::Record(record(r#"{"params":{"arguments":{"password":"p1""#)));
        assert!(line.contains("\"text\":") && !line.contains("p1"), "{line}");
    }

    #[test]
    fn what_is_no_json_is_kept_in_part() {
        let Content::Text(text) = Content::of(&[b'x'; 10_000]) else { panic!("it is no JSON") };
        assert_eq!(text.len(), LONGEST_TEXT);
        assert_eq!(Content::of(b"a\xffb"), Content::Text("a\u{fffd}b".to_owned()));
    }

    #[test]
    fn unknown_members_are_ignored_and_mistakes_are_named() {
        let read = |text: &str| Entry::read(text.as_bytes());
        assert!(read(r#"{"ms":1,"from":"client","over":"stdio","new":{"a":[]},"message":null}"#).is_ok());
        let bad = |text: &str| match read(text) {
            Err(Unreadable::Bad(what)) => what,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(bad(r#"{"from":"client","over":"stdio"}"#), "`ms` is missing");
        assert_eq!(bad(r#"{"ms":1,"over":"stdio"}"#), "`from` is missing");
        assert_eq!(bad(r#"{"ms":1,"from":"client"}"#), "`over` is missing");
        assert_eq!(bad(r#"{"ms":-1,"from":"client"}"#), "`ms` is no time that a recording can take");
        assert_eq!(bad(r#"{"ms":1e300,"from":"client"}"#), "`ms` is no time that a recording can take");
        assert_eq!(
            bad(r#"{"ms":1,"from":"client","over":"a","text":"","message":1}"#),
            "it has both `message` and `text`"
        );
        assert!(bad(r#"{"ms":1,"from":"me"}"#).starts_with("unknown variant `me`"));
        assert!(bad(r#"{"tape":1}"#).contains("`at`"));
        assert!(bad(r#"{"tape":1,"at":"now"}"#).contains("not a time"));
        assert_eq!(read(r#"{"tape":2,"at":17}"#), Err(Unreadable::Version(2)));
        assert!(bad(r#"{"tape":1,"at":17}"#).starts_with("invalid type"));
        assert_eq!(read(r#"{"tape":2}"#), Err(Unreadable::Version(2)));
    }

    fn any_record() -> impl Strategy<Value = Record> {
        let texts = prop_oneof![
            any::<i64>().prop_map(|number| Value::from(number).to_string()),
            ".*".prop_map(|text| Value::from(text).to_string()),
            Just("null".to_owned()),
            ".*",
        ];
        let facts = (any::<Option<String>>(), any::<Option<u64>>(), any::<Option<u16>>(), any::<Option<String>>());
        (any::<u64>(), any::<bool>(), ".*", texts, facts).prop_map(|(after, is_client, over, text, facts)| {
            let from = if is_client { Side::Client } else { Side::Server };
            let content = if text.is_empty() { Content::Nothing } else { Content::of(text.as_bytes()) };
            let mut record = Record::new(Duration::from_micros(after), from, over, content);
            (record.session, record.exchange, record.status, record.verb) = facts;
            record
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_as_it_was(record in any_record()) {
            let entry = Entry::Record(record);
            let line = written(&entry);
            prop_assert_eq!(line.matches('\n').count(), 1);
            prop_assert_eq!(Entry::read(line.trim_end_matches('\n').as_bytes()), Ok(entry));
        }
    }
}
