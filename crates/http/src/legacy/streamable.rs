//! Streamable HTTP of the legacy era: sessions, streams, and coming back to them.

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use jackfield_peer::Principal;
use jackfield_protocol::envelope::{Message, MethodName, RawId, RawNotification, RawResponse, Request};
use jackfield_protocol::{ErrorObject, Method, Revision};
use jackfield_store::{StoreError, StreamName};

use super::exchange::{Answered, Exchange};
use super::legacy_dispatch::letter;
use crate::endpoint::{Arrived, Endpoint, Posted, id_of};
use crate::events::{Elsewhere, EventBody, EventId, Format, Reader, Stream, StreamKey};
use crate::nodes::{Node, Remote, Replica};
use crate::request::{self, Accepts, LAST_EVENT_ID, McpHeaders, NamedSession, SESSION_ID, Version};
use crate::response::{Served, respond};
use crate::session::{Closing, LocalSession, Transport};
use crate::telemetry::OpenStream;
use crate::{Body, SessionId};

type Refusal = Box<Response<Body>>;

impl Endpoint {
    /// Serves a POST of the legacy era.
    pub(crate) fn legacy_post(
        self: &Arc<Self>,
        arrived: Arrived,
        known: &McpHeaders<'_>,
        now: u64,
        message: Message,
    ) -> Posted {
        match self.find_here(&arrived.parts, known, &arrived.version, now) {
            Ok(Found::Here(live)) => {
                live.touch_at(now);
                self.in_session(live, arrived, message)
            }
            Ok(Found::Elsewhere(id)) => {
                let endpoint = self.clone();
                Posted::Later(Box::pin(async move {
                    match endpoint.restore(id, arrived.principal()).await {
                        Ok(Some(live)) => match endpoint.in_session(live, arrived, message) {
                            Posted::Legacy(exchange) => endpoint.answer(&exchange).await.whole(),
                            Posted::Later(response) => response.await,
                            Posted::Done(served) => served.whole(),
                            Posted::Modern(under_way, accepts) => crate::modern::wait(under_way, accepts).await,
                        },
                        Ok(None) => *session_over(),
                        Err(_) => store_away(id_of(&message)),
                    }
                }))
            }
            Ok(Found::Nowhere) => match message {
                Message::Request(request) if is_initialize(&request.method) => {
                    let endpoint = self.clone();
                    Posted::Later(Box::pin(async move { endpoint.open_session(arrived, request).await }))
                }
                message => Posted::Done(no_session(&message).into()),
            },
            Err(refusal) => Posted::Done(refusal.into()),
        }
    }

    fn in_session(self: &Arc<Self>, live: Arc<LocalSession>, arrived: Arrived, message: Message) -> Posted {
        let exchange = match message {
            Message::Request(request) => self.start_single(live, arrived.accepts, request, arrived.parts),
            Message::Batch(entries) if live.revision().has_batches() => {
                let exchange = Exchange::new(live, arrived.accepts, true);
                if self.start_batch(&exchange, &entries, &arrived.parts) {
                    return Posted::Done(too_many_notifications(self.limits().requests_in_flight).into());
                }
                exchange
            }
            Message::Batch(_) => {
                let message = "batches are not part of this protocol version";
                return Posted::Done(respond::refusal(StatusCode::BAD_REQUEST, message).into());
            }
            Message::Notification(incident) => return self.noticed(live, incident, &arrived.parts),
            Message::Answer(answer) => return self.brought(&live, answer),
        };
        match exchange.answered_at_once() {
            Some(answered) => Posted::Done(self.respond(exchange.live(), answered)),
            None => Posted::Legacy(exchange),
        }
    }

    /// Hands an answer of the client to the node that asked.
    fn brought(self: &Arc<Self>, live: &Arc<LocalSession>, answer: RawResponse) -> Posted {
        let Some((other, node)) = live.asked_elsewhere(&answer).zip(self.shared.node.clone()) else {
            live.questions.answer(answer);
            return Posted::Done(respond::empty(StatusCode::ACCEPTED).into());
        };
        let (other, letter) = (other.to_owned(), letter(live, &answer));
        Posted::Later(Box::pin(async move {
            match node.send(&other, &letter).await {
                Ok(()) => respond::empty(StatusCode::ACCEPTED),
                Err(_) => store_away(None),
            }
        }))
    }

    fn noticed(self: &Arc<Self>, live: Arc<LocalSession>, incident: RawNotification, parts: &Arc<Parts>) -> Posted {
        let becomes_ready = incident.method == MethodName::Known(Method::Initialized);
        let response = match self.notice(&live, incident, parts) {
            true => respond::empty(StatusCode::ACCEPTED),
            false => too_many_notifications(self.limits().requests_in_flight),
        };
        if !becomes_ready || !live.is_replicated() {
            return Posted::Done(response.into());
        }
        let endpoint = self.clone();
        Posted::Later(Box::pin(async move {
            match endpoint.keep_ready(&live).await {
                Ok(()) => response,
                Err(_) => store_away(None),
            }
        }))
    }

    /// Waits for the answers of an exchange.
    pub(crate) async fn answer(&self, exchange: &Exchange) -> Served {
        let answered = exchange.answered(self.limits().sse_keep_alive).await;
        self.respond(exchange.live(), answered)
    }

    fn respond(&self, live: &Arc<LocalSession>, answered: Answered) -> Served {
        match answered {
            Answered::Json(status, text) => Served::Json(status, text.into()),
            Answered::Events(stream) => self.read_stream(live, stream, None).into(),
            Answered::Nothing => respond::empty(StatusCode::ACCEPTED).into(),
            Answered::Closed(Closing::Ended) => session_over().into(),
            Answered::Closed(Closing::Left) => {
                respond::unavailable(None, "the session is not served here any more; try again").into()
            }
        }
    }

    async fn open_session(&self, arrived: Arrived, request: Request) -> Response<Body> {
        let id = request.id.clone();
        let Arrived { parts, accepts, .. } = arrived;
        let principal = parts.extensions.get::<Principal>().cloned();
        let Ok(session_id) = SessionId::random() else {
            return respond::refusal(StatusCode::INTERNAL_SERVER_ERROR, "no random numbers");
        };
        let replica = self.shared.node.as_ref().map(|_| Replica::new(self.shared.now()));
        let revisions = self.handler.revisions();
        let live = LocalSession::new(session_id, Transport::Streamable, principal, revisions, &self.shared, replica);
        let (text, failed) = self.initialize(&live, request, Some(parts)).await;
        if let Some(code) = failed {
            // Nothing is left of a session that was not opened.
            live.end();
            return respond::json(respond::legacy_status(code), text);
        }
        // Where there is no room a store need not be asked.
        if self.shared.node.is_some()
            && let Err(full) = self.sessions.has_room(live.principal.as_ref(), self.shared.now(), self.limits())
        {
            tracing::warn!(?full, "no room for another session");
            live.end();
            return respond::too_many_sessions(Some(&id));
        }
        // What this node has in its table all nodes must be able to find: one that is not in the store is taken to be over.
        match self.keep_new(&live).await {
            Ok(()) => {}
            Err(StoreError::Full(_) | StoreError::TooMany { .. }) => {
                live.end();
                return respond::too_many_sessions(Some(&id));
            }
            Err(error) => {
                tracing::warn!(%error, "a session could not be kept");
                live.end();
                return store_away(Some(&id));
            }
        }
        if let Err(full) = self.sessions.insert(live.clone(), self.limits()) {
            tracing::warn!(?full, "no room for another session");
            live.end();
            if let Err(error) = self.end_everywhere(&live).await {
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
        match self.find_here(parts, known, version, self.shared.now())? {
            Found::Nowhere => Ok(None),
            Found::Here(live) => Ok(Some(live)),
            Found::Elsewhere(id) => match self.restore(id, parts.extensions.get::<Principal>()).await {
                Ok(Some(live)) => Ok(Some(live)),
                Ok(None) => Err(session_over()),
                Err(_) => Err(Box::new(store_away(None))),
            },
        }
    }

    fn find_here(&self, parts: &Parts, known: &McpHeaders<'_>, version: &Version, now: u64) -> Result<Found, Refusal> {
        check_version(version, self.handler.revisions())?;
        let named = request::session(known, &parts.headers)
            .map_err(|error| Box::new(respond::error(StatusCode::BAD_REQUEST, None, &error, Revision::LATEST)))?;
        let id = match named {
            None => return Ok(Found::Nowhere),
            Some(NamedSession::Invalid) => return Err(session_over()),
            Some(NamedSession::Id(id)) => id,
        };
        let Some(live) = self.sessions.get(id) else {
            return if self.shared.node.is_some() { Ok(Found::Elsewhere(id)) } else { Err(session_over()) };
        };
        // The session of another user is as unknown as one that never was.
        let same_user = live.principal.as_ref() == parts.extensions.get::<Principal>();
        if live.transport != Transport::Streamable || !same_user {
            return Err(session_over());
        }
        if live.is_over(now) {
            self.sessions.forget(id);
            // Other nodes may have been used meanwhile.
            return if live.is_replicated() { Ok(Found::Elsewhere(id)) } else { Err(session_over()) };
        }
        Ok(Found::Here(live))
    }

    /// Serves a GET: the stream of messages that belong to no request, or the rest of a stream that was cut.
    pub(crate) async fn get(self: &Arc<Self>, parts: &Parts, known: &McpHeaders<'_>) -> Response<Body> {
        self.sweep_sometimes(self.shared.now());
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
        if !live.is_replicated() {
            return self.read_stream(live, live.standalone().clone(), None);
        }
        match self.keep_listening(live).await {
            Ok(sent) => self.read_stream(live, live.standalone().clone(), Some(sent)),
            Err(_) => store_away(None),
        }
    }

    async fn resume(&self, live: &Arc<LocalSession>, id: EventId) -> Response<Body> {
        let standalone = live.replica.as_ref().is_some_and(|replica| replica.standalone == id.stream);
        match live.stream(id.stream) {
            _ if standalone => match self.keep_listening(live).await {
                Ok(_) => self.read_stream(live, live.standalone().clone(), Some(id.sequence)),
                Err(_) => store_away(None),
            },
            Some(stream) if id.sequence <= stream.newest() => self.read_stream(live, stream, Some(id.sequence)),
            Some(_) => unknown_event(),
            None => self.resume_elsewhere(live, id).await,
        }
    }

    /// Reads a stream that another node writes, or wrote.
    async fn resume_elsewhere(&self, live: &Arc<LocalSession>, id: EventId) -> Response<Body> {
        let Some(node) = self.shared.node.as_ref().filter(|_| live.is_replicated()) else { return unknown_event() };
        let session = live.id.to_text();
        let name = StreamName::new(&session, id.stream);
        match node.ask(node.stores.events().read(name, id.sequence, 1)).await {
            Ok(Some(_)) => {
                let key = StreamKey { session: live.id, stream: id.stream };
                self.read_events(live, key, None, 0, id.sequence)
            }
            Ok(None) => unknown_event(),
            Err(_) => store_away(None),
        }
    }

    /// Reads a stream from a place, or from where the connection before it ended.
    fn read_stream(&self, live: &Arc<LocalSession>, stream: Arc<Stream>, place: Option<u64>) -> Response<Body> {
        let (number, sent) = stream.attach();
        self.read_events(live, stream.key, Some(stream), number, place.unwrap_or(sent))
    }

    fn read_events(
        &self,
        live: &Arc<LocalSession>,
        key: StreamKey,
        stream: Option<Arc<Stream>>,
        number: u64,
        place: u64,
    ) -> Response<Body> {
        let standalone = live.opened_standalone().is_some_and(|standalone| standalone.key == key);
        let (node, shared, revision) = (self.shared.node.clone(), self.shared.clone(), live.revision());
        let remote = move |node: Arc<Node>| Remote::new(node, key, &shared, revision, standalone);
        let (remote, elsewhere): (Option<Remote>, Option<Elsewhere>) = match node.filter(|_| live.is_replicated()) {
            None => (None, None),
            Some(node) => match &stream {
                Some(stream) if !standalone && !stream.is_shared() => (None, None),
                Some(_) if !standalone => (None, Some(Box::new(move || remote(node)))),
                _ => {
                    // A connection elsewhere may have read it before, and the writer has to know whom it writes for.
                    let remote = remote(node);
                    remote.announce();
                    (Some(remote), None)
                }
            },
        };
        let mut reader = Reader {
            key,
            log: self.shared.log.clone(),
            remote,
            elsewhere,
            stream,
            number,
            place,
            unsaid: None,
            format: Format::Resumable,
            head: Vec::new(),
            keep_alive: self.limits().sse_keep_alive,
            shutdown: standalone.then(|| self.shared.shutdown.clone()),
            _held: Some(Box::new((live.active(), OpenStream::begin()))),
            ended: false,
        };
        reader.greet(live.revision().has_polling(), self.config.retry);
        respond::events(Body::events(EventBody::new(reader)))
    }

    /// Serves a DELETE: the session is over.
    pub(crate) async fn delete(self: &Arc<Self>, parts: &Parts, known: &McpHeaders<'_>) -> Response<Body> {
        let version = match Version::of(known, &parts.headers) {
            Ok(version) if version.is_modern() => return respond::method_not_allowed("POST"),
            Ok(version) => version,
            Err(error) => return respond::error(StatusCode::BAD_REQUEST, None, &error, Revision::LATEST),
        };
        match self.find(parts, known, &version).await {
            Ok(Some(live)) => {
                // It is over here when it is over for all: otherwise another node would bring it back.
                if self.end_everywhere(&live).await.is_err() {
                    return store_away(None);
                }
                self.sessions.remove(live.id);
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
    Elsewhere(SessionId),
}

pub(crate) fn is_initialize(method: &MethodName) -> bool {
    *method == MethodName::Known(Method::Initialize)
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

fn session_over() -> Refusal {
    Box::new(respond::refusal(StatusCode::NOT_FOUND, "the session is not known, or is over; send initialize again"))
}

fn store_away(id: Option<&RawId>) -> Response<Body> {
    respond::unavailable(id, "sessions are not available at the moment; try again in a moment")
}

fn unknown_event() -> Response<Body> {
    respond::refusal(StatusCode::BAD_REQUEST, "last-event-id names no event that is still kept")
}

pub(crate) fn too_many_notifications(limit: usize) -> Response<Body> {
    respond::too_many(None, format!("more than {limit} notifications are running"))
}
