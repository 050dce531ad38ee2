//! What was recorded, in a line each.

use std::collections::HashMap;
use std::time::Duration;

use jackfield::tape::{Content, Entry, Record, Side};
use serde_json::Value;

use crate::show::{Style, columns, one_line, padded};

/// Tells what is on a tape, and what became of each request.
#[derive(Debug)]
pub(crate) struct Teller {
    style: Style,
    /// Requests without an answer so far, by their number, and how they are found.
    open: HashMap<u64, Asked>,
    numbers: HashMap<Key, u64>,
    messages: u64,
    requests: u64,
    unanswered: u64,
    errors: u64,
    missed: u64,
}

/// Whose request it is: ids belong to a connection, a session, or a single exchange over HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    place: Place,
    by: Side,
    id: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    Exchange(u64),
    Session(String),
    Unknown,
}

#[derive(Clone, Debug)]
struct Asked {
    method: String,
    after: Duration,
    keys: Vec<Key>,
}

impl Teller {
    pub(crate) fn new(style: Style) -> Self {
        let (open, numbers) = (HashMap::new(), HashMap::new());
        Self { style, open, numbers, messages: 0, requests: 0, unanswered: 0, errors: 0, missed: 0 }
    }

    /// Tells an entry in one line; text of others is harmless in it. With `full`, a message follows on a line of its own.
    pub(crate) fn tell(&mut self, entry: &Entry, full: bool) -> String {
        match entry {
            Entry::Begin { at, by } => {
                // What went before has no answer any more.
                self.settle();
                let by = by.as_deref().map(|by| format!(", by {}", one_line(by))).unwrap_or_default();
                format!("{}\n", self.style.heading(&format!("{at}{by}")))
            }
            Entry::Missed { after, count } => {
                self.missed = self.missed.saturating_add(*count);
                let text = self.style.warning(&format!("{count} records are missing here"));
                format!("{}      {text}\n", time(*after))
            }
            Entry::Record(record) => self.record(record, full),
            _ => String::new(),
        }
    }

    /// Tells how it all went.
    pub(crate) fn summary(mut self) -> String {
        self.settle();
        let mut text = format!("{}, {}", counted(self.messages, "message"), counted(self.requests, "request"));
        for (count, what) in
            [(self.unanswered, "without an answer"), (self.errors, "answered with an error"), (self.missed, "missing")]
        {
            if count > 0 {
                text.push_str(&format!(", {count} {what}"));
            }
        }
        format!("{}\n", self.style.aside(&text))
    }

    fn settle(&mut self) {
        self.unanswered = self.unanswered.saturating_add(self.open.len() as u64);
        self.open.clear();
        self.numbers.clear();
    }

    fn record(&mut self, record: &Record, full: bool) -> String {
        let arrow = match record.from {
            Side::Client => "→",
            Side::Server => "←",
        };
        let session = record.session.as_deref().map(one_line).unwrap_or_default();
        let begin = format!("{}  {arrow} {}  ", time(record.after), padded(&session, 2));
        let (text, whole) = match &record.content {
            Content::Nothing => (String::new(), None),
            Content::Text(text) => {
                self.messages += 1;
                (self.style.warning(&format!("not JSON: {}", one_line(text))), None)
            }
            Content::Message { json, redacted } => {
                let mark = if *redacted { " (secrets left out)" } else { "" };
                let told = match json.read::<Value>() {
                    Ok(Value::Array(entries)) => {
                        let told: Vec<String> = entries.iter().map(|entry| self.message(record, entry)).collect();
                        format!("batch: {}", told.join("; "))
                    }
                    Ok(message) => self.message(record, &message),
                    Err(_) => "a message that is nested too deeply to be shown".to_owned(),
                };
                (format!("{told}{mark}"), Some(json.get()))
            }
            _ => return String::new(),
        };
        let facts = [record.verb.as_deref().map(one_line), record.status.map(|status| status.to_string().into())];
        let facts: Vec<_> = facts.into_iter().flatten().collect();
        let facts = self.style.aside(&facts.join(" "));
        let parts: Vec<&str> = [text.as_str(), facts.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
        let mut line = format!("{begin}{}\n", parts.join("  "));
        if let Some(whole) = whole.filter(|_| full) {
            line.push_str(&format!("{}{}\n", " ".repeat(columns(&begin)), one_line(whole)));
        }
        line
    }

    fn message(&mut self, record: &Record, message: &Value) -> String {
        self.messages += 1;
        let id = message.get("id").filter(|id| !id.is_null()).map(Value::to_string);
        let shown_id = id.as_deref().map(|id| format!("#{}", one_line(id)));
        match (message.get("method").and_then(Value::as_str), id) {
            (Some(method), id) => {
                if let Some(id) = id {
                    self.asked(record, method, id);
                }
                let about = ["name", "uri"].iter().find_map(|name| message.get("params")?.get(name)?.as_str());
                let parts =
                    [Some(self.style.name(&one_line(method))), shown_id, about.map(|about| one_line(about).into())];
                parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
            }
            (None, id) => {
                let asked = id.and_then(|id| self.answered(record, id));
                let method = asked.as_ref().map_or("answer", |asked| asked.method.as_str());
                let took = asked.as_ref().map(|asked| span(record.after.saturating_sub(asked.after)));
                let head = format!("{}{}", one_line(method), shown_id.map(|id| format!(" {id}")).unwrap_or_default());
                let took = took.map(|took| format!(" {}", self.style.aside(&format!("({took})")))).unwrap_or_default();
                format!("{head}: {}{took}", self.outcome(message))
            }
        }
    }

    fn outcome(&mut self, message: &Value) -> String {
        if let Some(error) = message.get("error") {
            self.errors += 1;
            let code = error.get("code").map(Value::to_string).unwrap_or_default();
            let text = error.get("message").and_then(Value::as_str).unwrap_or_default();
            return self.style.warning(&format!("error {}: {}", one_line(&code), one_line(text)));
        }
        match message.get("result") {
            None => self.style.warning("neither result nor error"),
            Some(result) if result.get("isError") == Some(&Value::Bool(true)) => self.style.warning("the tool failed"),
            Some(result) => match result.get("resultType").and_then(Value::as_str) {
                None | Some("complete") => "done".to_owned(),
                Some(kind) => one_line(kind).into_owned(),
            },
        }
    }

    fn asked(&mut self, record: &Record, method: &str, id: String) {
        self.requests += 1;
        let keys: Vec<Key> = keys(record, record.from, id).collect();
        for key in &keys {
            // Whoever uses an id again does not wait for the answer any more.
            if let Some(before) = self.numbers.get(key).copied() {
                self.forget(before);
                self.unanswered += 1;
            }
            self.numbers.insert(key.clone(), self.requests);
        }
        self.open.insert(self.requests, Asked { method: method.to_owned(), after: record.after, keys });
    }

    fn answered(&mut self, record: &Record, id: String) -> Option<Asked> {
        let by = match record.from {
            Side::Client => Side::Server,
            Side::Server => Side::Client,
        };
        let number = keys(record, by, id).find_map(|key| self.numbers.get(&key).copied())?;
        self.forget(number)
    }

    fn forget(&mut self, number: u64) -> Option<Asked> {
        let asked = self.open.remove(&number)?;
        for key in &asked.keys {
            self.numbers.remove(key);
        }
        Some(asked)
    }
}

/// How a request is found, the narrowest place first.
fn keys(record: &Record, by: Side, id: String) -> impl Iterator<Item = Key> + use<> {
    let exchange = record.exchange.map(Place::Exchange);
    let session = record.session.clone().map(Place::Session);
    let nowhere = (exchange.is_none() && session.is_none()).then_some(Place::Unknown);
    let places = [exchange, session, nowhere].into_iter().flatten();
    places.map(move |place| Key { place, by, id: id.clone() })
}

fn time(after: Duration) -> String {
    format!("{:>11.3}", after.as_secs_f64())
}

fn span(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{:.1} ms", seconds * 1000.0),
        seconds => format!("{seconds:.1} s"),
    }
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("{count} {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tells lines of a tape.
    fn told(lines: &[&str]) -> String {
        let text = format!("{{\"tape\":1,\"at\":\"2026-07-28T12:00:00.000Z\"}}\n{}", lines.join("\n"));
        let mut teller = Teller::new(Style::PLAIN);
        let mut out = String::new();
        for entry in jackfield::tape::Reader::new(text.as_bytes()) {
            out.push_str(&teller.tell(&entry.unwrap(), false));
        }
        out + &teller.summary()
    }

    #[test]
    fn requests_find_their_answers() {
        let text = told(&[
            r#"{"ms":0.5,"from":"client","over":"stdio","session":"1","message":{"id":1,"method":"initialize"}}"#,
            r#"{"ms":2.5,"from":"server","over":"stdio","session":"1","message":{"id":1,"result":{}}}"#,
            r#"{"ms":3,"from":"client","over":"stdio","session":"1","message":{"method":"notifications/initialized"}}"#,
            r#"{"ms":4,"from":"client","over":"stdio","session":"1","message":{"id":2,"method":"tools/call","params":{"name":"add"}}}"#,
            r#"{"ms":5,"from":"server","over":"stdio","session":"1","message":{"id":2,"method":"elicitation/create"}}"#,
            r#"{"ms":6,"from":"client","over":"stdio","session":"1","message":{"id":2,"result":{}}}"#,
            r#"{"ms":7,"missed":3}"#,
            r#"{"ms":1504,"from":"server","over":"stdio","session":"1","redacted":true,"message":{"id":2,"error":{"code":-32602,"message":"a\u001bb"}}}"#,
            r#"{"ms":8,"from":"server","over":"stdio","session":"1","text":"hello"}"#,
            r#"{"ms":9,"from":"client","over":"stdio","session":"1","message":{"id":"x","method":"ping"}}"#,
        ]);
        let expected = "\
2026-07-28T12:00:00.000Z
      0.001  → 1   initialize #1
      0.003  ← 1   initialize #1: done (2.0 ms)
      0.003  → 1   notifications/initialized
      0.004  → 1   tools/call #2 add
      0.005  ← 1   elicitation/create #2
      0.006  → 1   elicitation/create #2: done (1.0 ms)
      0.007      3 records are missing here
      1.504  ← 1   tools/call #2: error -32602: a\\u{1b}b (1.5 s) (secrets left out)
      0.008  ← 1   not JSON: hello
      0.009  → 1   ping #\"x\"
9 messages, 4 requests, 1 without an answer, 1 answered with an error, 3 missing
";
        assert_eq!(text, expected);
    }

    #[test]
    fn exchanges_keep_requests_with_one_id_apart() {
        let text = told(&[
            r#"{"ms":1,"from":"client","over":"http","exchange":1,"verb":"POST","message":{"id":1,"method":"initialize"}}"#,
            r#"{"ms":1,"from":"client","over":"http","exchange":2,"verb":"POST","message":{"id":1,"method":"tools/list"}}"#,
            r#"{"ms":2,"from":"server","over":"http","exchange":2,"status":200,"message":{"id":1,"result":{"resultType":"complete"}}}"#,
            r#"{"ms":3,"from":"server","over":"http","session":"ab","exchange":1,"status":200,"message":{"id":1,"result":{}}}"#,
            r#"{"ms":4,"from":"client","over":"http","session":"ab","exchange":3,"verb":"GET"}"#,
            r#"{"ms":5,"from":"client","over":"http","session":"ab","exchange":4,"verb":"POST","message":{"id":2,"method":"tools/call"}}"#,
            r#"{"ms":6,"from":"server","over":"http","session":"ab","exchange":3,"message":{"id":2,"result":{"isError":true}}}"#,
        ]);
        let expected = "\
2026-07-28T12:00:00.000Z
      0.001  →     initialize #1  POST
      0.001  →     tools/list #1  POST
      0.002  ←     tools/list #1: done (1.0 ms)  200
      0.003  ← ab  initialize #1: done (2.0 ms)  200
      0.004  → ab  GET
      0.005  → ab  tools/call #2  POST
      0.006  ← ab  tools/call #2: the tool failed (1.0 ms)
6 messages, 3 requests
";
        assert_eq!(text, expected);
    }
}
