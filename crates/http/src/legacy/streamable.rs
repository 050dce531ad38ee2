//! Streamable HTTP of the legacy era: sessions, streams, and coming back to them.

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use jackfield_peer::Principal;
use jackfield_protocol::envelope::{Message, MethodName, RawNotification, RawResponse, Request};
use jackfield_protocol::{ErrorObject, Method, Revision};
use jackfield_store::{StoreError, StreamName};

use super::exchange::Exchange;
use super::reading::{read_elsewhere, read_stream};
use super::session_host::{SessionHost, letter};
use crate::endpoint::{Arrived, id_of};
use crate::events::{EventId, StreamKey};
use crate::nodes::{Cluster, Replica};
use crate::request::{self, Accepts, LAST_EVENT_ID, McpHeaders, NamedSession, SESSION_ID, Version};
use crate::response::{HttpAnswer, respond};
use crate::session::{LocalSession, Transport};
use crate::{Body, SessionId};

type Refusal = Box<Response<Body>>;

/// Streamable HTTP of the legacy era.
pub(crate) struct StreamableEndpoint {
    host: Arc<SessionHost>,
    cluster: Option<Arc<Cluster>>,
}

impl StreamableEndpoint {
    pub(crate) fn new(host: Arc<SessionHost>, cluster: Option<Arc<Cluster>>) -> Arc<Self> {
        Arc::new(Self { host, cluster })
    }

    /// Serves a POST.
    pub(crate) fn post(self: &Arc<Self>, arrived: Arrived, known: &McpHeaders<'_>, message: Message) -> HttpAnswer {
        // The clock is read once.
        let now = self.host.shared.now();
        self.host.sweep_sometimes(now);
        match self.find_here(&arrived.parts, known, &arrived.version, now) {
            Ok(Found::Here(live)) => {
                live.touch_at(now);
                self.in_session(live, arrived, message)
            }
            Ok(Found::Elsewhere(id, cluster)) => {
                let endpoint = self.clone();
                HttpAnswer::pending(async move {
                    match cluster.restore(id, arrived.principal()).await {
                        Ok(Some(live)) => endpoint.in_session(live, arrived, message).response().await,
                        Ok(None) => respond::session_over(),
                        Err(_) => respond::store_away(id_of(&message)),
                    }
                })
            }
            Ok(Found::Nowhere) => match message {
                Message::Request(request) if request.method == MethodName::Known(Method::Initialize) => {
                    let endpoint = self.clone();
                    HttpAnswer::pending(async move { endpoint.open_session(arrived, request).await })
                }
                message => no_session(&message).into(),
            },
            Err(refusal) => refusal.into(),
        }
    }

    fn in_session(&self, live: Arc<LocalSession>, arrived: Arrived, message: Message) -> HttpAnswer {
        let exchange = match message {
            Message::Request(request) => self.host.start_single(live, arrived.accepts, request, arrived.parts),
            Message::Batch(entries) if live.revision().has_batches() => {
                let exchange = Exchange::new(live, arrived.accepts, true);
                if self.host.start_batch(&exchange, &entries, &arrived.parts) {
                    return respond::too_many_notifications(self.host.calls().requests_in_flight).into();
                }
                exchange
            }
            Message::Batch(_) => {
                let message = "batches are not part of this protocol version";
                return respond::refusal(StatusCode::BAD_REQUEST, message).into();
            }
            Message::Notification(incident) => return self.noticed(live, incident, &arrived.parts),
            Message::Answer(answer) => return self.brought(&live, answer),
        };
        match exchange.answer_at_once() {
            Some(answer) => answer,
            None => HttpAnswer::pending(async move { exchange.response().await }),
        }
    }

    /// Hands an answer of the client to the node that asked.
    fn brought(&self, live: &Arc<LocalSession>, answer: RawResponse) -> HttpAnswer {
        let Some((other, cluster)) = live.asked_elsewhere(&answer).zip(self.cluster.clone()) else {
            live.questions.answer(answer);
            return respond::empty(StatusCode::ACCEPTED).into();
        };
        let (other, letter) = (other.to_owned(), letter(live, &answer));
        HttpAnswer::pending(async move {
            match cluster.node.send(&other, &letter).await {
                Ok(()) => respond::empty(StatusCode::ACCEPTED),
                Err(_) => respond::store_away(None),
            }
        })
    }

    fn noticed(&self, live: Arc<LocalSession>, incident: RawNotification, parts: &Arc<Parts>) -> HttpAnswer {
        let becomes_ready = incident.method == MethodName::Known(Method::Initialized);
        let response = match self.host.notice(&live, incident, parts) {
            true => respond::empty(StatusCode::ACCEPTED),
            false => respond::too_many_notifications(self.host.calls().requests_in_flight),
        };
        match self.cluster_of(&live).filter(|_| becomes_ready).cloned() {
            None => response.into(),
            Some(cluster) => HttpAnswer::pending(async move {
                match cluster.keep_ready(&live).await {
                    Ok(()) => response,
                    Err(_) => respond::store_away(None),
                }
            }),
        }
    }

    /// Returns the cluster, if it serves a session.
    fn cluster_of(&self, live: &LocalSession) -> Option<&Arc<Cluster>> {
        self.cluster.as_ref().filter(|_| live.is_replicated())
    }

    async fn open_session(&self, arrived: Arrived, request: Request) -> Response<Body> {
        let id = request.id.clone();
        let Arrived { parts, accepts, .. } = arrived;
        let principal = parts.extensions.get::<Principal>().cloned();
        let Ok(session_id) = SessionId::random() else {
            return respond::refusal(StatusCode::INTERNAL_SERVER_ERROR, "no random numbers");
        };
        let Self { host, cluster } = self;
        let replica = cluster.as_ref().map(|_| Replica::new(host.shared.now()));
        let revisions = host.handler.revisions();
        let live = LocalSession::new(session_id, Transport::Streamable, principal, revisions, &host.shared, replica);
        let (text, failed) = host.initialize(&live, request, Some(parts)).await;
        if let Some(code) = failed {
            // Nothing is left of a session that was not opened.
            live.end();
            return respond::json(respond::legacy_status(code), text);
        }
        if let Some(cluster) = cluster {
            // Where there is no room a store need not be asked.
            if let Err(full) = host.sessions.has_room(live.principal.as_ref(), host.shared.now(), host.limits()) {
                tracing::warn!(?full, "no room for another session");
                live.end();
                return respond::too_many_sessions(Some(&id));
            }
            // What this node has in its table all nodes must be able to find: one that is not in the store is taken to be over.
            match cluster.keep_new(&live).await {
                Ok(()) => {}
                Err(StoreError::Full(_) | StoreError::TooMany { .. }) => {
                    live.end();
                    return respond::too_many_sessions(Some(&id));
                }
                Err(error) => {
                    tracing::warn!(%error, "a session could not be kept");
                    live.end();
                    return respond::store_away(Some(&id));
                }
            }
        }
        if let Err(full) = host.sessions.insert(live.clone(), host.limits()) {
            tracing::warn!(?full, "no room for another session");
            live.end();
            if let Some(cluster) = cluster
                && let Err(error) = cluster.end_everywhere(&live).await
            {
                tracing::debug!(%error, "a session that was not opened stays in the store until it is too old");
            }
            return respond::too_many_sessions(Some(&id));
        }
        let mut response = match accepts {
            Accepts::Events => {
                let mut event = Vec::new();
                crate::sse::write_event(&mut event, None, None, &text);
                respond::events(Body::full(event))
            }
            Accepts::Both | Accepts::Json => respond::json(StatusCode::OK, text),
        };
        if let Ok(value) = HeaderValue::from_str(&live.id.to_text()) {
            response.headers_mut().insert(SESSION_ID, value);
        }
        response
    }

    /// Finds the session that a request names; `None` if it names none.
    async fn find(
        &self,
        parts: &Parts,
        known: &McpHeaders<'_>,
        version: &Version,
    ) -> Result<Option<Arc<LocalSession>>, Refusal> {
        match self.find_here(parts, known, version, self.host.shared.now())? {
            Found::Nowhere => Ok(None),
            Found::Here(live) => Ok(Some(live)),
            Found::Elsewhere(id, cluster) => match cluster.restore(id, parts.extensions.get::<Principal>()).await {
                Ok(Some(live)) => Ok(Some(live)),
                Ok(None) => Err(Box::new(respond::session_over())),
                Err(_) => Err(Box::new(respond::store_away(None))),
            },
        }
    }

    fn find_here(&self, parts: &Parts, known: &McpHeaders<'_>, version: &Version, now: u64) -> Result<Found, Refusal> {
        check_version(version, self.host.handler.revisions())?;
        let named = request::session(known, &parts.headers)
            .map_err(|error| Box::new(respond::error(StatusCode::BAD_REQUEST, None, &error, Revision::LATEST)))?;
        let id = match named {
            None => return Ok(Found::Nowhere),
            Some(NamedSession::Invalid) => return Err(Box::new(respond::session_over())),
            Some(NamedSession::Id(id)) => id,
        };
        let elsewhere = |cluster: Option<&Arc<Cluster>>| match cluster {
            Some(cluster) => Ok(Found::Elsewhere(id, cluster.clone())),
            None => Err(Box::new(respond::session_over())),
        };
        let Some(live) = self.host.sessions.get(id) else {
            return elsewhere(self.cluster.as_ref());
        };
        // The session of another user is as unknown as one that never was.
        let same_user = live.principal.as_ref() == parts.extensions.get::<Principal>();
        if live.transport != Transport::Streamable || !same_user {
            return Err(Box::new(respond::session_over()));
        }
        if live.is_over(now) {
            self.host.sessions.forget(id);
            // Other nodes may have been used meanwhile.
            return elsewhere(self.cluster_of(&live));
        }
        Ok(Found::Here(live))
    }

    /// Serves a GET: the stream of messages that belong to no request, or the rest of a stream that was cut.
    pub(crate) async fn get(&self, parts: &Parts, known: &McpHeaders<'_>) -> Response<Body> {
        self.host.sweep_sometimes(self.host.shared.now());
        if !matches!(Accepts::of(known.accept, &parts.headers), Some(Accepts::Both | Accepts::Events)) {
            return respond::refusal(StatusCode::NOT_ACCEPTABLE, "the answer is a stream; accept text/event-stream");
        }
        let version = match Version::of(known, &parts.headers) {
            Ok(version) if version.is_modern() => return respond::method_not_allowed("POST"),
            Ok(version) => version,
            Err(error) => return respond::error(StatusCode::BAD_REQUEST, None, &error, Revision::LATEST),
        };
        let live = match self.find(parts, known, &version).await {
            Ok(Some(live)) => live,
            Ok(None) => return respond::refusal(StatusCode::BAD_REQUEST, "mcp-session-id is missing"),
            Err(refusal) => return *refusal,
        };
        live.touch();
        match request::single(&parts.headers, &LAST_EVENT_ID) {
            Ok(None) => self.listen(&live).await,
            Ok(Some(text)) => match EventId::parse(text.as_bytes()) {
                Some(id) => self.resume(&live, id).await,
                None => unknown_event(),
            },
            Err(_) => unknown_event(),
        }
    }

    /// Opens the stream of messages that belong to no request.
    async fn listen(&self, live: &Arc<LocalSession>) -> Response<Body> {
        let Some(cluster) = self.cluster_of(live) else { return read_stream(live, live.standalone().clone(), None) };
        match cluster.keep_listening(live).await {
            Ok(sent) => read_stream(live, live.standalone().clone(), Some(sent)),
            Err(_) => respond::store_away(None),
        }
    }

    async fn resume(&self, live: &Arc<LocalSession>, id: EventId) -> Response<Body> {
        let cluster = self.cluster_of(live);
        if let Some(cluster) = cluster.filter(|_| live.replica.as_ref().is_some_and(|own| own.standalone == id.stream))
        {
            return match cluster.keep_listening(live).await {
                Ok(_) => read_stream(live, live.standalone().clone(), Some(id.sequence)),
                Err(_) => respond::store_away(None),
            };
        }
        match (live.stream(id.stream), cluster) {
            (Some(stream), _) if id.sequence <= stream.newest() => read_stream(live, stream, Some(id.sequence)),
            (None, Some(cluster)) => self.resume_elsewhere(cluster, live, id).await,
            _ => unknown_event(),
        }
    }

    /// Reads a stream that another node writes, or wrote.
    async fn resume_elsewhere(&self, cluster: &Cluster, live: &Arc<LocalSession>, id: EventId) -> Response<Body> {
        let (node, session) = (&cluster.node, live.id.to_text());
        let name = StreamName::new(&session, id.stream);
        match node.ask(node.stores.events().read(name, id.sequence, 1)).await {
            Ok(Some(_)) => read_elsewhere(live, StreamKey { session: live.id, stream: id.stream }, id.sequence),
            Ok(None) => unknown_event(),
            Err(_) => respond::store_away(None),
        }
    }

    /// Serves a DELETE: the session is over.
    pub(crate) async fn delete(&self, parts: &Parts, known: &McpHeaders<'_>) -> Response<Body> {
        let version = match Version::of(known, &parts.headers) {
            Ok(version) if version.is_modern() => return respond::method_not_allowed("POST"),
            Ok(version) => version,
            Err(error) => return respond::error(StatusCode::BAD_REQUEST, None, &error, Revision::LATEST),
        };
        match self.find(parts, known, &version).await {
            Ok(Some(live)) => {
                // It is over here when it is over for all: otherwise another node would bring it back.
                if let Some(cluster) = &self.cluster
                    && cluster.end_everywhere(&live).await.is_err()
                {
                    return respond::store_away(None);
                }
                self.host.sessions.remove(live.id);
                respond::empty(StatusCode::NO_CONTENT)
            }
            Ok(None) => respond::refusal(StatusCode::BAD_REQUEST, "mcp-session-id is missing"),
            Err(refusal) => *refusal,
        }
    }
}

/// Where the session is that a request names.
enum Found {
    /// It names none.
    Nowhere,
    Here(Arc<LocalSession>),
    /// Not in this process; perhaps in the table.
    Elsewhere(SessionId, Arc<Cluster>),
}

/// A version that the server does not speak is refused; without one, the session's own is meant.
fn check_version(version: &Version, spoken: &[Revision]) -> Result<(), Refusal> {
    let unsupported = match version {
        Version::Known(revision) if !spoken.contains(revision) => revision.as_str(),
        Version::Unknown(text) => text,
        Version::Absent | Version::Known(_) => return Ok(()),
    };
    let error = ErrorObject::unsupported_version(unsupported, spoken);
    Err(Box::new(respond::error(StatusCode::BAD_REQUEST, None, &error, Revision::LATEST)))
}

fn no_session(message: &Message) -> Response<Body> {
    let id = id_of(message);
    let message = "no session: send initialize first, then its mcp-session-id with every request; or name the protocol \
                   version in `_meta` and the headers";
    respond::error(StatusCode::BAD_REQUEST, id, &ErrorObject::invalid_request(message), Revision::LATEST)
}

fn unknown_event() -> Response<Body> {
    respond::refusal(StatusCode::BAD_REQUEST, "last-event-id names no event that is still kept")
}
