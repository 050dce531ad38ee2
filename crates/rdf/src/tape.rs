//! A recording as one dataset: a named graph for each message, and in the default graph what is known of it in terms of PROV-O.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, Write};
use std::time::Duration;

use jackfield_peer::tape::{Content, Entry, ReadError, Reader, Record, Side};
use jackfield_store::Timestamp;
use serde_json::{Map, Value};

use crate::vocabulary::{PROV, RDF, VOCABULARY, XSD};
use crate::write::{Lines, escape};
use crate::{Error, Profile};

/// Converts tapes to N-Quads.
///
/// Message number 7 is the graph `<iri>#message/7`. The default graph says of it, with `prov:` for PROV-O: that it is an `mcp:Message`;
/// when it was sent (`prov:generatedAtTime`), by whom (`mcp:from`, `prov:wasAttributedTo`), in which session (`mcp:session`,
/// `prov:wasGeneratedBy`), over which transport (`mcp:over`), which node of its graph it is (`mcp:root`), and of an answer which request it
/// answers (`mcp:answers`, `prov:wasDerivedFrom`). A session is a `prov:Activity` with its begin and the two sides.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TapeConverter {
    /// The IRI of the tape, without a fragment.
    pub iri: String,
    /// How much of a message is kept.
    pub profile: Profile,
}

/// What was converted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TapeReport {
    /// How many messages were written.
    pub messages: u64,
    /// How many lines could not be read, or hold no message although they should.
    pub bad: u64,
    /// How many records are missing on the tape.
    pub missed: u64,
}

/// The most open requests that are remembered for their answers.
const MAX_OPEN: usize = 100_000;

impl TapeConverter {
    /// Makes a converter that keeps every message exactly.
    ///
    /// # Errors
    ///
    /// Fails if `iri` is not an absolute IRI, or has a fragment.
    pub fn new(iri: impl Into<String>) -> Result<Self, Error> {
        let iri = iri.into();
        if oxrdf::NamedNode::new(iri.as_str()).is_err() || iri.contains('#') {
            return Err(Error::BadIri(iri));
        }
        Ok(Self { iri, profile: Profile::default() })
    }

    /// Converts a tape. `bad` is called with the number and the problem of each line that cannot be converted.
    ///
    /// # Errors
    ///
    /// Fails if the tape cannot be read at all, or is none, and if writing fails.
    pub fn run(
        &self,
        tape: impl BufRead,
        output: &mut dyn Write,
        bad: &mut dyn FnMut(&str),
    ) -> Result<TapeReport, Error> {
        let mut run = Run {
            converter: self,
            out: Vec::new(),
            report: TapeReport::default(),
            recording: 0,
            begin: Timestamp::default(),
            sessions: HashSet::new(),
            open: HashMap::new(),
        };
        for entry in Reader::new(tape) {
            match entry {
                Ok(Entry::Begin { at, .. }) => run.begin(at),
                Ok(Entry::Record(record)) => run.record(&record, bad),
                Ok(Entry::Missed { count, .. }) => run.report.missed += count,
                Ok(_) => {}
                Err(error @ (ReadError::Io(_) | ReadError::Version { .. } | ReadError::NotATape)) => {
                    return Err(Error::Tape(Box::new(error)));
                }
                Err(error) => run.bad(&error.to_string(), bad),
            }
            output.write_all(&run.out)?;
            run.out.clear();
        }
        output.flush()?;
        Ok(run.report)
    }
}

struct Run<'a> {
    converter: &'a TapeConverter,
    out: Vec<u8>,
    report: TapeReport,
    /// A tape may hold several recordings, whose sessions have the same marks.
    recording: u64,
    begin: Timestamp,
    /// The sessions of this recording that have been described.
    sessions: HashSet<String>,
    /// The numbers of the requests without an answer, by session, sender and id.
    open: HashMap<(String, Side, String), u64>,
}

impl Run<'_> {
    fn begin(&mut self, at: Timestamp) {
        self.recording += 1;
        self.begin = at;
        self.sessions.clear();
        self.open.clear();
    }

    fn bad(&mut self, problem: &str, tell: &mut dyn FnMut(&str)) {
        self.report.bad += 1;
        tell(problem);
    }

    fn record(&mut self, record: &Record, tell: &mut dyn FnMut(&str)) {
        let (json, redacted) = match &record.content {
            Content::Message { json, redacted } => (json, *redacted),
            Content::Text(_) => return self.bad("something was sent that is no JSON", tell),
            _ => return,
        };
        let messages = match serde_json::from_str(json.get()) {
            Ok(Value::Object(message)) => vec![message],
            Ok(Value::Array(batch)) if batch.iter().all(Value::is_object) => {
                let objects =
                    batch.into_iter().map(|item| if let Value::Object(item) = item { item } else { Map::new() });
                objects.collect()
            }
            _ => return self.bad("something was sent that is neither a message nor a batch", tell),
        };
        messages.iter().for_each(|message| self.message(record, message, redacted));
    }

    fn message(&mut self, record: &Record, message: &Map<String, Value>, redacted: bool) {
        self.report.messages += 1;
        let number = self.report.messages;
        let (graph, session) = (self.message_iri(number), self.session(record));
        let time = literal(&moment(self.begin, record.after), "dateTime");
        let from = side(record.from);
        for (predicate, object) in [
            (format!("<{RDF}type>"), format!("<{VOCABULARY}Message>")),
            (format!("<{RDF}type>"), format!("<{PROV}Entity>")),
            (mcp("messageNumber"), literal(&number.to_string(), "integer")),
            (mcp("root"), format!("_:m{number}n1")),
            (mcp("from"), text(from)),
            (mcp("over"), text(&record.over)),
            (mcp("session"), session.clone()),
            (prov("generatedAtTime"), time),
            (prov("wasGeneratedBy"), session.clone()),
            (prov("wasAttributedTo"), agent(&session, from)),
        ] {
            self.statement(&graph, &predicate, &object);
        }
        if redacted {
            self.statement(&graph, &mcp("isRedacted"), &literal("true", "boolean"));
        }
        if let Some(status) = record.status {
            self.statement(&graph, &mcp("httpStatus"), &literal(&status.to_string(), "integer"));
        }
        if let Some(request) = self.request_of(record, message, &session, number) {
            let request = self.message_iri(request);
            self.statement(&graph, &mcp("answers"), &request);
            self.statement(&graph, &prov("wasDerivedFrom"), &request);
        }
        let graph = graph.trim_matches(['<', '>']).to_owned();
        Lines::new(&mut self.out, self.converter.profile, number, Some(&graph)).message(message);
    }

    /// Remembers a request; returns the number of the request that an answer belongs to.
    fn request_of(&mut self, record: &Record, message: &Map<String, Value>, session: &str, number: u64) -> Option<u64> {
        let id = message.get("id")?.to_string();
        if message.contains_key("method") {
            if self.open.len() < MAX_OPEN {
                self.open.insert((session.to_owned(), record.from, id), number);
            }
            return None;
        }
        let asked = if record.from == Side::Client { Side::Server } else { Side::Client };
        self.open.remove(&(session.to_owned(), asked, id))
    }

    /// Returns the IRI of a session, and describes it the first time.
    fn session(&mut self, record: &Record) -> String {
        let mark: String = record.session.as_deref().unwrap_or("0").bytes().map(percent_encoded).collect();
        let iri = format!("<{}#session/{}/{mark}>", self.converter.iri, self.recording);
        if self.sessions.insert(iri.clone()) {
            let begin = literal(&moment(self.begin, record.after), "dateTime");
            self.statement(&iri, &format!("<{RDF}type>"), &format!("<{VOCABULARY}Session>"));
            self.statement(&iri, &format!("<{RDF}type>"), &format!("<{PROV}Activity>"));
            self.statement(&iri, &prov("startedAtTime"), &begin);
            for name in ["client", "server"] {
                let agent = agent(&iri, name);
                self.statement(&iri, &prov("wasAssociatedWith"), &agent);
                self.statement(&agent, &format!("<{RDF}type>"), &format!("<{VOCABULARY}Side>"));
                self.statement(&agent, &format!("<{RDF}type>"), &format!("<{PROV}SoftwareAgent>"));
            }
        }
        iri
    }

    fn message_iri(&self, number: u64) -> String {
        format!("<{}#message/{number}>", self.converter.iri)
    }

    fn statement(&mut self, subject: &str, predicate: &str, object: &str) {
        for part in [subject, " ", predicate, " ", object, " .\n"] {
            self.out.extend_from_slice(part.as_bytes());
        }
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Client => "client",
        Side::Server => "server",
    }
}

fn mcp(name: &str) -> String {
    format!("<{VOCABULARY}{name}>")
}

fn prov(name: &str) -> String {
    format!("<{PROV}{name}>")
}

/// The client or the server of a session.
fn agent(session: &str, name: &str) -> String {
    format!("{}/{name}>", session.trim_end_matches('>'))
}

fn text(value: &str) -> String {
    let mut out = Vec::new();
    escape(&mut out, value);
    String::from_utf8(out).unwrap_or_default()
}

fn literal(value: &str, datatype: &str) -> String {
    format!("{}^^<{XSD}{datatype}>", text(value))
}

/// A moment exact to the microsecond: the clock of a recording is finer than that of the calendar.
fn moment(begin: Timestamp, after: Duration) -> String {
    let whole = begin.after(after).to_string();
    let micros = after.subsec_micros() % 1000;
    if micros == 0 { whole } else { format!("{}{micros:03}Z", whole.trim_end_matches('Z')) }
}

fn percent_encoded(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    }
}
