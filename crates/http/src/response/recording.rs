//! Recording what passes an endpoint.

use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, Response};
use jackfield_peer::tape::{Note, Side, Tape};

use crate::legacy::session_in;
use crate::request::SESSION_ID;
use crate::sse::SseDecoder;
use crate::{Body, SessionId};

/// A request that is recorded together with its response.
#[derive(Debug)]
pub(crate) struct RecordedExchange {
    tape: Tape,
    exchange: u64,
    /// Stands for the session on the tape, where its id must not be.
    session: Option<String>,
}

/// A stream that is recorded as it is sent.
#[derive(Debug)]
pub(crate) struct RecordedStream {
    exchange: RecordedExchange,
    /// None when there was something on the stream that cannot be understood.
    decoder: Option<SseDecoder>,
}

/// The longest event that is recorded. Behind a longer one, nothing more of its stream is.
const LONGEST_EVENT: usize = 256 << 20;

impl RecordedExchange {
    /// Records a request, with its body if that is a message.
    pub(crate) fn begin(tape: &Tape, parts: &Parts, text: Option<&[u8]>) -> Self {
        let session = named(&parts.headers).or_else(|| session_at(parts.uri.path_and_query()?.as_str()));
        let recorded = Self { tape: tape.clone(), exchange: tape.next_number(), session };
        let mut note = recorded.note(Side::Client);
        (note.verb, note.text) = (Some(parts.method.as_str()), text);
        tape.note(note);
        recorded
    }

    fn note(&self, from: Side) -> Note<'_> {
        let mut note = Note::new(from, "http");
        (note.session, note.exchange) = (self.session.as_deref(), Some(self.exchange));
        note
    }

    /// Records the response, and goes on with its stream if it has one.
    pub(crate) fn answered(mut self, response: &mut Response<Body>) {
        // The answer to `initialize` says which session it has opened.
        if let Some(session) = named(response.headers()) {
            self.session = Some(session);
        }
        let mut note = self.note(Side::Server);
        note.status = Some(response.status().as_u16());
        let is_stream = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
        if !is_stream {
            note.text = response.body().text().filter(|text| !text.is_empty());
            return self.tape.note(note);
        }
        self.tape.note(note);
        let mut stream = RecordedStream { exchange: self, decoder: Some(SseDecoder::new(LONGEST_EVENT)) };
        match response.body().text() {
            Some(text) => stream.hear(text),
            None => response.body_mut().record(stream),
        }
    }
}

impl RecordedStream {
    /// Records the messages in a part of the stream.
    pub(crate) fn hear(&mut self, mut chunk: &[u8]) {
        while let Some(decoder) = &mut self.decoder {
            match decoder.next(&mut chunk) {
                // The first event of HTTP+SSE says where the session takes messages; its id stays out of the tape.
                Ok(Some(event)) if event.event == "endpoint" => self.exchange.session = session_at(&event.data),
                Ok(Some(event)) if event.data.is_empty() || !matches!(event.event.as_str(), "" | "message") => {}
                Ok(Some(event)) => {
                    let mut note = self.exchange.note(Side::Server);
                    note.text = Some(event.data.as_bytes());
                    self.exchange.tape.note(note);
                }
                Ok(None) => return,
                Err(_) => self.decoder = None,
            }
        }
    }
}

fn mark(id: &[u8]) -> Option<String> {
    SessionId::parse(id).map(SessionId::mark)
}

/// Finds the session in an address of HTTP+SSE.
fn session_at(address: &str) -> Option<String> {
    let (_, query) = address.split_once('?')?;
    session_in(query).and_then(|id| mark(id.as_bytes()))
}

fn named(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION_ID).and_then(|id| mark(id.as_bytes()))
}
