//! A message on its way out, and the HTTP request it becomes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};
use jackfield_http::sse::LONGEST_ID as LONGEST_EVENT_ID;
use jackfield_protocol::{Revision, encode_header};

use crate::{Outgoing, OutgoingKind};

pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// A message on its way out.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) text: Bytes,
    pub(super) kind: Kind,
    /// It has been sent once already, and the server had not taken it.
    pub(super) is_repeated: bool,
    /// Counts the message's bytes until the server has begun to answer.
    pub(super) waiting: Option<Waiting>,
}

/// What a message is.
#[derive(Debug)]
pub(super) enum Kind {
    Request { id: u64, method: String, name: Option<String>, headers: Vec<(String, String)>, revision: Revision },
    Notification(String),
    Answer,
}

impl Message {
    pub(super) fn new(outgoing: Outgoing<'_>) -> Self {
        let kind = match outgoing.kind {
            OutgoingKind::Request(facts) => Kind::Request {
                id: facts.id,
                method: facts.method.to_owned(),
                name: facts.name.map(str::to_owned),
                headers: facts.headers.to_vec(),
                revision: facts.revision,
            },
            OutgoingKind::Notification(method) => Kind::Notification(method.to_owned()),
            OutgoingKind::Answer => Kind::Answer,
        };
        Self { text: Bytes::copy_from_slice(outgoing.text), kind, is_repeated: false, waiting: None }
    }

    pub(super) fn id(&self) -> Option<u64> {
        match self.kind {
            Kind::Request { id, .. } => Some(id),
            Kind::Notification(_) | Kind::Answer => None,
        }
    }

    pub(super) fn is(&self, wanted: jackfield_protocol::Method) -> bool {
        match &self.kind {
            Kind::Request { method, .. } | Kind::Notification(method) => method == wanted.name(),
            Kind::Answer => false,
        }
    }

    /// Whether it is a request that stands by itself, of the modern era.
    pub(super) fn is_modern(&self) -> bool {
        matches!(self.kind, Kind::Request { revision, .. } if !revision.has_handshake())
    }

    /// Makes the POST. `agreed` is the revision in use, and `session` the id of the session, if there is one.
    pub(super) fn post(
        &self,
        uri: &Uri,
        user: &HeaderMap,
        agreed: Option<Revision>,
        session: Option<&HeaderValue>,
    ) -> Request<Bytes> {
        let mut headers = user.clone();
        headers.insert(CONTENT_TYPE, JSON);
        headers.insert(ACCEPT, BOTH);
        if self.is_modern() {
            self.describe(&mut headers);
        } else {
            belong(&mut headers, agreed, session);
        }
        request(Method::POST, uri, headers, self.text.clone())
    }

    /// Adds the headers that repeat parts of a modern request, so that others can route by them.
    fn describe(&self, headers: &mut HeaderMap) {
        let Kind::Request { method, name, headers: arguments, revision, .. } = &self.kind else { return };
        headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(revision.as_str()));
        let mut put = |header: HeaderName, text: &str| {
            // Encoded, every text is a header value.
            if let Ok(value) = HeaderValue::from_str(text) {
                headers.insert(header, value);
            }
        };
        put(METHOD, &encode_header(method));
        if let Some(name) = name {
            put(NAME, &encode_header(name));
        }
        for (name, value) in arguments {
            if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
                put(name, value);
            }
        }
    }
}

/// Adds the headers of a request that belongs to a session.
fn belong(headers: &mut HeaderMap, agreed: Option<Revision>, session: Option<&HeaderValue>) {
    if let Some(revision) = agreed.filter(|revision| revision.has_version_header()) {
        headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(revision.as_str()));
    }
    if let Some(session) = session {
        headers.insert(SESSION_ID, session.clone());
    }
}

/// Makes the GET that opens an event stream, or comes back for the rest of one.
pub(super) fn get(
    uri: &Uri,
    user: &HeaderMap,
    agreed: Option<Revision>,
    session: Option<&HeaderValue>,
    last_event_id: Option<HeaderValue>,
) -> Request<Bytes> {
    let mut headers = user.clone();
    headers.insert(ACCEPT, EVENTS);
    belong(&mut headers, agreed, session);
    if let Some(id) = last_event_id {
        headers.insert(LAST_EVENT_ID, id);
    }
    request(Method::GET, uri, headers, Bytes::new())
}

/// Makes the DELETE that ends a session.
pub(super) fn delete(uri: &Uri, user: &HeaderMap, agreed: Option<Revision>, session: &HeaderValue) -> Request<Bytes> {
    let mut headers = user.clone();
    belong(&mut headers, agreed, Some(session));
    request(Method::DELETE, uri, headers, Bytes::new())
}

fn request(method: Method, uri: &Uri, headers: HeaderMap, body: Bytes) -> Request<Bytes> {
    let mut request = Request::new(body);
    *request.method_mut() = method;
    *request.uri_mut() = uri.clone();
    *request.headers_mut() = headers;
    request
}

/// The longest session id that is carried around.
const LONGEST_SESSION_ID: usize = 4096;

/// Reads a session id: it is sent back with every request, so it must be what the specification allows.
pub(super) fn session_id(value: &HeaderValue) -> Option<HeaderValue> {
    let is_visible = value.as_bytes().iter().all(|byte| matches!(byte, 0x21..=0x7e));
    let mut id = value.clone();
    id.set_sensitive(true);
    (is_visible && !value.is_empty() && value.len() <= LONGEST_SESSION_ID).then_some(id)
}

/// Returns an event id as a header; none if there is none, or if no header can carry it.
pub(super) fn event_id(id: &str) -> Option<HeaderValue> {
    if id.is_empty() || id.len() > LONGEST_EVENT_ID {
        return None;
    }
    HeaderValue::from_bytes(id.as_bytes()).ok()
}

/// Counts bytes that wait to be sent, until it is dropped.
#[derive(Debug)]
pub(super) struct Waiting {
    all: Arc<AtomicUsize>,
    bytes: usize,
}

impl Waiting {
    /// Counts more bytes, unless there are more than `limit` already.
    pub(super) fn count(all: &Arc<AtomicUsize>, bytes: usize, limit: usize) -> Option<Self> {
        if all.load(Ordering::Relaxed) > limit {
            return None;
        }
        all.fetch_add(bytes, Ordering::Relaxed);
        Some(Self { all: all.clone(), bytes })
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
