//! The HTTP+SSE transport of 2024-11-05: one stream for all messages of the server, and a path for those of the client.

use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{Response, StatusCode};
use jackfield_peer::Principal;
use jackfield_protocol::envelope::{Message, Rejected};

use crate::endpoint::Endpoint;
use crate::events::{EventBody, Format, Reader};
use crate::exchange::Exchange;
use crate::negotiation::Accepts;
use crate::session::{Active, Live, Transport};
use crate::telemetry::OpenStream;
use crate::{Body, SessionId, respond};

impl Endpoint {
    /// Opens the stream. The session lives as long as it does.
    pub(crate) fn open_http_sse(self: &Arc<Self>, parts: &Parts) -> Response<Body> {
        self.sweep_sometimes(self.shared.now());
        let principal = parts.extensions.get::<Principal>().cloned();
        let Ok(id) = SessionId::random() else {
            return respond::refusal(StatusCode::INTERNAL_SERVER_ERROR, "no random numbers");
        };
        let live = Live::new(id, Transport::HttpSse, principal, self.handler.revisions(), &self.shared);
        let active = live.active();
        if self.sessions.insert(live.clone(), self.limits()).is_err() {
            return respond::later(StatusCode::SERVICE_UNAVAILABLE, "too many sessions are open");
        }
        let stream = live.standalone().clone();
        let (number, _) = stream.attach();
        let mut head = Vec::new();
        let path = self.config.sse.as_ref().map_or("/message", |paths| paths.message.as_str());
        let target = format!("{path}?sessionId={}", id.to_text());
        crate::sse::write_event(&mut head, Some("endpoint"), None, target.as_bytes());
        let reader = Reader {
            key: stream.key,
            log: self.shared.log.clone(),
            stream: Some(stream),
            number,
            place: 0,
            format: Format::Message,
            head,
            keep_alive: self.limits().sse_keep_alive,
            shutdown: Some(self.shared.shutdown.clone()),
            _held: Some(Box::new(Opened { endpoint: self.clone(), _active: active, _open: OpenStream::begin(), id })),
            ended: false,
        };
        respond::events(Body::events(EventBody::new(reader)))
    }

    /// Takes a message of the client. Its answer goes to the stream.
    pub(crate) fn http_sse_message(self: &Arc<Self>, parts: &Arc<Parts>, text: &Bytes) -> Response<Body> {
        let Some(id) = parts.uri.query().and_then(session_in) else {
            return respond::refusal(StatusCode::BAD_REQUEST, "the parameter sessionId is missing");
        };
        let live = SessionId::parse(id.as_bytes()).and_then(|id| self.sessions.get(id)).filter(|live| {
            live.transport == Transport::HttpSse && live.principal.as_ref() == parts.extensions.get::<Principal>()
        });
        let Some(live) = live else {
            return respond::refusal(StatusCode::NOT_FOUND, "the session is not known, or is over");
        };
        live.touch();
        let (status, message) = match Message::read(text, self.limits().batch_entries) {
            Ok(message) => (StatusCode::ACCEPTED, Ok(message)),
            Err(rejected) => (StatusCode::BAD_REQUEST, Err(rejected)),
        };
        match message {
            Ok(Message::Batch(entries)) if live.revision().has_batches() => {
                let exchange = Exchange::new(live.clone(), Accepts::Both, true);
                self.start_batch(&exchange, &live, &entries, parts);
            }
            Ok(Message::Batch(_)) => {
                return respond::refusal(StatusCode::BAD_REQUEST, "batches are not part of this protocol version");
            }
            Ok(Message::Request(request)) => {
                let exchange = Exchange::new(live.clone(), Accepts::Both, false);
                self.start(&exchange, &live, request, parts, false);
                exchange.filled();
            }
            Ok(Message::Notification(incident)) => {
                self.notice(&live, incident, parts);
            }
            Ok(Message::Answer(answer)) => live.questions.answer(answer),
            Err(rejected) => self.reject(&live, &rejected),
        }
        respond::empty(status)
    }

    /// Answers on the stream, where the client looks for the answer, if it can be told to which request.
    fn reject(&self, live: &Arc<Live>, rejected: &Rejected) {
        if rejected.id.is_some() {
            let exchange = Exchange::new(live.clone(), Accepts::Both, false);
            self.refuse(&exchange, live, rejected);
            exchange.filled();
        }
    }
}

fn session_in(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("sessionId="))
}

/// Ends the session when its stream is gone.
struct Opened {
    endpoint: Arc<Endpoint>,
    _active: Active,
    _open: OpenStream,
    id: SessionId,
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.endpoint.sessions.remove(self.id);
    }
}
