//! The HTTP+SSE transport of 2024-11-05: one stream for all messages of the server, and a path for those of the client.

use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use jackfield_peer::{Principal, received};
use jackfield_protocol::envelope::{Message, Rejected};

use super::exchange::Exchange;
use super::session_host::SessionHost;
use crate::events::{EventBody, Format, Reader};
use crate::nodes::{Cluster, Letter};
use crate::request::Accepts;
use crate::response::respond;
use crate::session::{Active, LocalSession, Transport};
use crate::telemetry::OpenStream;
use crate::{Body, SessionId, SsePaths};

/// The HTTP+SSE transport. Its sessions are served where their stream is.
pub(crate) struct SseEndpoint {
    host: Arc<SessionHost>,
    cluster: Option<Arc<Cluster>>,
    paths: SsePaths,
}

impl SseEndpoint {
    pub(crate) fn new(host: Arc<SessionHost>, cluster: Option<Arc<Cluster>>, paths: SsePaths) -> Self {
        Self { host, cluster, paths }
    }

    pub(crate) fn paths(&self) -> &SsePaths {
        &self.paths
    }

    /// Opens the stream. The session lives as long as it does.
    pub(crate) async fn open(&self, parts: &Parts) -> Response<Body> {
        let Self { host, .. } = self;
        host.sweep_sometimes(host.shared.now());
        let principal = parts.extensions.get::<Principal>().cloned();
        let Ok(id) = SessionId::random() else {
            return respond::refusal(StatusCode::INTERNAL_SERVER_ERROR, "no random numbers");
        };
        let live = LocalSession::new(id, Transport::HttpSse, principal, host.handler.revisions(), &host.shared, None);
        let active = live.active();
        if host.sessions.insert(live.clone(), host.limits()).is_err() {
            return respond::too_many_sessions(None);
        }
        // From here on the session ends when this is dropped, whatever happens.
        let opened = Opened { host: host.clone(), _active: active, _open: OpenStream::begin(), id };
        if let Some(cluster) = &self.cluster
            && cluster.keep_home(&live).await.is_err()
        {
            return respond::unavailable(None, "sessions are not available at the moment; try again later");
        }
        let stream = live.standalone().clone();
        let (number, _) = stream.attach();
        let mut head = Vec::new();
        let target = format!("{}?sessionId={}", self.paths.message, id.to_text());
        crate::sse::write_event(&mut head, Some("endpoint"), None, target.as_bytes());
        let reader = Reader {
            key: stream.key,
            log: host.shared.log.clone(),
            remote: None,
            elsewhere: None,
            stream: Some(stream),
            number,
            place: 0,
            unsaid: None,
            format: Format::Message,
            head,
            keep_alive: host.limits().sse_keep_alive,
            shutdown: Some(host.shared.shutdown.clone()),
            _held: Some(Box::new(opened)),
            ended: false,
        };
        respond::events(Body::events(EventBody::new(reader)))
    }

    /// Takes a message of the client. Its answer goes to the stream.
    pub(crate) async fn message(&self, parts: &Arc<Parts>, text: &Bytes) -> Response<Body> {
        let Some(id) = parts.uri.query().and_then(session_in) else {
            return respond::refusal(StatusCode::BAD_REQUEST, "the parameter sessionId is missing");
        };
        let unknown = || respond::refusal(StatusCode::NOT_FOUND, "the session is not known, or is over");
        let Some(id) = SessionId::parse(id.as_bytes()) else { return unknown() };
        let principal = parts.extensions.get::<Principal>();
        match (self.host.sessions.get(id), &self.cluster) {
            (Some(live), _) if live.transport == Transport::HttpSse && live.principal.as_ref() == principal => {
                take_http_sse(&self.host, &live, parts, text)
            }
            (None, Some(cluster)) => match cluster.home_of(id, principal).await {
                Ok(Some(home)) => forward(cluster, &home, id, parts, text).await,
                Ok(None) => unknown(),
                Err(_) => respond::unavailable(None, "sessions are not available at the moment; try again later"),
            },
            _ => unknown(),
        }
    }
}

/// Sends a message of the client to the node that has its stream.
async fn forward(cluster: &Cluster, home: &str, id: SessionId, parts: &Parts, text: &Bytes) -> Response<Body> {
    let Ok(message) = String::from_utf8(text.to_vec()) else {
        return respond::refusal(StatusCode::BAD_REQUEST, "the body is not UTF-8");
    };
    let header =
        |(name, value): (&HeaderName, &HeaderValue)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()));
    let headers = parts.headers.iter().filter_map(header).collect();
    match cluster.node.send(home, &Letter { session: id.to_text(), message, headers }).await {
        Ok(()) => respond::empty(StatusCode::ACCEPTED),
        Err(_) => respond::unavailable(None, "sessions are not available at the moment; try again later"),
    }
}

/// Takes a message of a client whose stream is here.
pub(crate) fn take_http_sse(
    host: &SessionHost,
    live: &Arc<LocalSession>,
    parts: &Arc<Parts>,
    text: &Bytes,
) -> Response<Body> {
    live.touch();
    let read = Message::read(text, host.calls().batch_entries);
    let status = if read.is_ok() { StatusCode::ACCEPTED } else { StatusCode::BAD_REQUEST };
    match received(read) {
        Ok(Message::Batch(entries)) if live.revision().has_batches() => {
            let exchange = Exchange::new(live.clone(), Accepts::Both, true);
            if host.start_batch(&exchange, &entries, parts) {
                return respond::too_many_notifications(host.calls().requests_in_flight);
            }
        }
        Ok(Message::Batch(_)) => {
            return respond::refusal(StatusCode::BAD_REQUEST, "batches are not part of this protocol version");
        }
        Ok(Message::Request(request)) => {
            host.start_single(live.clone(), Accepts::Both, request, parts.clone());
        }
        Ok(Message::Notification(incident)) => {
            if !host.notice(live, incident, parts) {
                return respond::too_many_notifications(host.calls().requests_in_flight);
            }
        }
        Ok(Message::Answer(answer)) => live.questions.answer(answer),
        Err(rejected) => reject(host, live, &rejected),
    }
    respond::empty(status)
}

/// Answers on the stream, where the client looks for the answer, if it can be told to which request.
fn reject(host: &SessionHost, live: &Arc<LocalSession>, rejected: &Rejected) {
    if let Some(id) = rejected.about.asked() {
        let exchange = Exchange::new(live.clone(), Accepts::Both, false);
        host.refuse(&exchange, Some(id), &rejected.error);
        exchange.filled();
    }
}

pub(crate) fn session_in(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("sessionId="))
}

/// Ends the session when its stream is gone.
struct Opened {
    host: Arc<SessionHost>,
    _active: Active,
    _open: OpenStream,
    id: SessionId,
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.host.sessions.remove(self.id);
        if let Some(node) = &self.host.shared.node {
            let (stores, id) = (node.stores.clone(), self.id.to_text());
            node.spawn(async move {
                // If it fails, the session expires there.
                let _ = stores.sessions().remove(&id).await;
            });
        }
    }
}
