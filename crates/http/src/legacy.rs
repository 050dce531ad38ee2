//! Streamable HTTP of the legacy era: sessions, streams, and coming back to them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use jackfield_peer::{Answering, Guarded, Incoming, Principal, Reply, RequestKey, write_error, write_reply};
use jackfield_protocol::envelope::{Incident, Message, MethodName, Params, RawId, Rejected, Request};
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, Method, RequestId, Revision};
use tracing::Instrument;

use crate::endpoint::{Endpoint, within};
use crate::events::{EventBody, EventId, Format, Reader, Stream, StreamKey};
use crate::exchange::{Answered, Exchange};
use crate::headers::{self, LAST_EVENT_ID, SESSION_ID, Version};
use crate::negotiation::Accepts;
use crate::session::{CallId, Live, Running, Transport};
use crate::telemetry::{OpenStream, Operation};
use crate::{Body, SessionId, SessionRecord, respond};

type Refusal = Box<Response<Body>>;

impl Endpoint {
    /// Serves a POST of the legacy era.
    pub(crate) async fn legacy_post(
        self: &Arc<Self>,
        parts: Parts,
        accepts: Accepts,
        message: Message,
    ) -> Response<Body> {
        match (self.find(&parts).await, message) {
            (Ok(Some(live)), message) => {
                live.touch();
                self.in_session(&live, parts, accepts, message).await
            }
            (Ok(None), Message::Request(request)) if is_initialize(&request.method) => {
                self.open_session(parts, accepts, request).await
            }
            (Ok(None), message) => {
                let id = match &message {
                    Message::Request(request) => Some(&request.id),
                    _ => None,
                };
                let message = "no session: send initialize first, then its mcp-session-id with every request; or name \
                               the protocol version in `_meta` and the headers";
                respond::error(StatusCode::BAD_REQUEST, id, &ErrorObject::invalid_request(message), Revision::LATEST)
            }
            (Err(refusal), _) => *refusal,
        }
    }

    async fn in_session(
        self: &Arc<Self>,
        live: &Arc<Live>,
        parts: Parts,
        accepts: Accepts,
        message: Message,
    ) -> Response<Body> {
        match message {
            Message::Request(request) => {
                let exchange = Exchange::new(live.clone(), accepts, false);
                self.start(&exchange, live, request, parts, false);
                exchange.filled();
                self.answer(live, &exchange).await
            }
            Message::Batch(entries) => {
                if !live.revision().has_batches() {
                    let message = "batches are not part of this protocol version";
                    return respond::refusal(StatusCode::BAD_REQUEST, message);
                }
                let exchange = Exchange::new(live.clone(), accepts, true);
                self.start_batch(&exchange, live, &entries, &parts);
                self.answer(live, &exchange).await
            }
            Message::Notification(incident) => {
                let becomes_ready = incident.method == MethodName::Known(Method::Initialized);
                let accepted = self.notice(live, incident, parts);
                if becomes_ready {
                    self.save(live).await;
                }
                if accepted { respond::empty(StatusCode::ACCEPTED) } else { too_many(self.limits().requests_in_flight) }
            }
            Message::Answer(answer) => {
                live.questions.answer(answer);
                respond::empty(StatusCode::ACCEPTED)
            }
        }
    }

    async fn answer(&self, live: &Arc<Live>, exchange: &Arc<Exchange>) -> Response<Body> {
        match exchange.answered(self.limits().sse_keep_alive).await {
            Answered::Json(status, text) => respond::json(status, text),
            Answered::Events(stream) => self.read_stream(live, stream, None),
            Answered::Nothing => respond::empty(StatusCode::ACCEPTED),
            Answered::Closed => *session_over(),
        }
    }

    /// Begins the work on all messages of a batch.
    pub(crate) fn start_batch(&self, exchange: &Arc<Exchange>, live: &Arc<Live>, entries: &[Bytes], parts: &Parts) {
        for entry in entries {
            match Message::read(entry, 0) {
                Ok(Message::Request(request)) => self.start(exchange, live, request, parts.clone(), true),
                Ok(Message::Notification(incident)) => drop(self.notice(live, incident, parts.clone())),
                Ok(Message::Answer(answer)) => live.questions.answer(answer),
                Ok(Message::Batch(_)) => {
                    let error = ErrorObject::invalid_request("a batch must not hold another");
                    self.refuse(exchange, live, &Rejected { id: None, error });
                }
                Err(rejected) => self.refuse(exchange, live, &rejected),
            }
        }
        exchange.filled();
    }

    pub(crate) fn refuse(&self, exchange: &Arc<Exchange>, live: &Live, rejected: &Rejected) {
        let key = self.shared.next_key();
        exchange.expect(key);
        let write = |out: &mut Vec<u8>| write_error(out, rejected.id.as_ref(), &rejected.error, live.revision());
        exchange.answer(key, Some(rejected.error.code), write);
    }

    /// Begins the work on a request. If it is not ready at once it goes on in a task, so that it survives the connection.
    pub(crate) fn start(
        &self,
        exchange: &Arc<Exchange>,
        live: &Arc<Live>,
        request: Request,
        parts: Parts,
        in_batch: bool,
    ) {
        let Request { id, method, params } = request;
        let opens = is_initialize(&method);
        let admitted = self.check_place(live, &id, opens && in_batch).and_then(|()| live.admit(&method, &params));
        let admitted = match admitted {
            Ok(admitted) => admitted,
            Err(error) => return self.refuse(exchange, live, &Rejected { id: Some(id), error }),
        };
        let key = self.shared.next_key();
        exchange.expect(key);
        let revision = admitted.caller.revision;
        let operation = Operation::begin(&method, &params, &id, revision, Some(live.id), &parts.headers);
        let (caller, session) = (admitted.caller, admitted.session);
        let mut incoming =
            Incoming::new(Some(id.clone()), Some(key), method, params, caller, exchange.clone(), session);
        incoming.extensions.insert(parts);
        let answering = operation.span.in_scope(|| jackfield_peer::handle(&*self.handler, incoming));
        let call = Call { key, id, revision, opens, operation, exchange: exchange.clone(), live: live.clone() };
        match answering {
            Answering::Ready(reply) => self.finish(call, reply),
            Answering::Later(future) => {
                let mut future = Guarded::new(future);
                if let Some(limit) = self.limits().request_timeout {
                    future = Guarded::new(Box::pin(within(limit, future)));
                }
                // No wake-up is lost: a pending future becomes a task, which polls it again at once with its own waker.
                let mut cx = Context::from_waker(Waker::noop());
                match call.operation.span.in_scope(|| Pin::new(&mut future).poll(&mut cx)) {
                    Poll::Ready(reply) => self.finish(call, reply),
                    Poll::Pending => self.go_on(call, future),
                }
            }
        }
    }

    /// Refuses requests that come at the wrong place, whoever sends them.
    fn check_place(&self, live: &Live, id: &RawId, initialize_in_batch: bool) -> Result<(), ErrorObject> {
        if initialize_in_batch {
            return Err(ErrorObject::invalid_request("initialize must not be part of a batch"));
        }
        let calls = live.calls();
        if calls.is_empty() {
            return Ok(());
        }
        if id.decode().is_some_and(|id| calls.contains_key(&CallId::Request(id))) {
            return Err(ErrorObject::invalid_request("a request with this id is still running"));
        }
        if calls.len() >= self.limits().requests_in_flight {
            let message = format!("more than {} requests are running", self.limits().requests_in_flight);
            return Err(ErrorObject::new(code::TOO_MANY_REQUESTS, message));
        }
        Ok(())
    }

    fn finish(&self, call: Call, reply: Reply) {
        finish(&call, reply, self.handler.identity(call.revision));
    }

    fn go_on(&self, call: Call, future: Guarded) {
        let Some(id) = call.id.decode() else { return };
        let id = CallId::Request(id);
        let (live, key, exchange) = (call.live.clone(), call.key, call.exchange.clone());
        let handler = self.handler.clone();
        let active = live.active();
        // The task can not end before it is in the list, because it needs the lock for that.
        let mut calls = live.calls();
        let listed = id.clone();
        let span = call.operation.span.clone();
        let task = async move {
            let reply = future.await;
            {
                let mut calls = active.live().calls();
                if calls.get(&listed).is_some_and(|running| running.key == call.key) {
                    calls.remove(&listed);
                }
            }
            let identity = handler.identity(call.revision);
            finish(&call, reply, identity);
        };
        let abort = self.tasks.spawn(task.instrument(span));
        calls.insert(id, Running { key, abort, exchange: Some(exchange) });
    }

    /// Hands a notification to the handler. Returns whether there was room for it.
    pub(crate) fn notice(&self, live: &Arc<Live>, incident: Incident, parts: Parts) -> bool {
        if incident.method == MethodName::Known(Method::Cancelled) {
            if let Some(id) = incident.params.get("requestId").and_then(RequestId::from_json) {
                live.cancel(id);
            }
            return true;
        }
        let Some(admitted) = live.admit_notification(&incident.params) else { return true };
        if let (MethodName::Known(Method::Initialized), Some(session)) = (&incident.method, &admitted.session) {
            session.set_ready();
        }
        if live.calls().len() >= self.limits().requests_in_flight {
            return false;
        }
        let Incident { method, params } = incident;
        let (caller, session) = (admitted.caller, admitted.session);
        let mut incoming = Incoming::new(None, None, method, params, caller, live.outlet().clone(), session);
        incoming.extensions.insert(parts);
        if let Answering::Later(future) = jackfield_peer::handle(&*self.handler, incoming) {
            let mut future = Guarded::new(future);
            if Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop())).is_pending() {
                self.go_on_noticing(live, future);
            }
        }
        true
    }

    fn go_on_noticing(&self, live: &Arc<Live>, future: Guarded) {
        let key = self.shared.next_key();
        let active = live.active();
        let mut calls = live.calls();
        let abort = self.tasks.spawn(async move {
            let _ = future.await;
            active.live().calls().remove(&CallId::Notification(key));
        });
        calls.insert(CallId::Notification(key), Running { key, abort, exchange: None });
    }

    async fn open_session(self: &Arc<Self>, parts: Parts, accepts: Accepts, request: Request) -> Response<Body> {
        let Request { id, method, params } = request;
        let principal = parts.extensions.get::<Principal>().cloned();
        let Ok(session_id) = SessionId::random() else {
            return respond::refusal(StatusCode::INTERNAL_SERVER_ERROR, "no random numbers");
        };
        let live = Live::new(session_id, Transport::Streamable, principal, self.handler.revisions(), &self.shared);
        let (reply, revision) = self.initialize(&live, &id, method, params, Some(parts)).await;
        let failed = reply.as_ref().err().map(|error| error.code);
        let mut text = Vec::with_capacity(512);
        write_reply(&mut text, &id, reply, revision, self.handler.identity(revision));
        if let Some(code) = failed {
            // Nothing is left of a session that was not opened.
            live.end();
            return respond::json(respond::legacy_status(code), text);
        }
        if let Err(full) = self.sessions.insert(live.clone(), self.limits()) {
            tracing::warn!(?full, "no room for another session");
            live.end();
            return respond::later(StatusCode::SERVICE_UNAVAILABLE, "too many sessions are open");
        }
        self.save(&live).await;
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

    async fn initialize(
        &self,
        live: &Arc<Live>,
        id: &RawId,
        method: MethodName,
        params: Params,
        parts: Option<Parts>,
    ) -> (Reply, Revision) {
        let admitted = match live.admit(&method, &params) {
            Ok(admitted) => admitted,
            Err(error) => return (Err(error), Revision::LATEST_WITH_HANDSHAKE),
        };
        let revision = admitted.caller.revision;
        // Messages before the answer have nowhere to go: the client does not know its session yet.
        let exchange = Exchange::new(live.clone(), Accepts::Json, false);
        let key = self.shared.next_key();
        exchange.expect(key);
        let (caller, session) = (admitted.caller, admitted.session);
        let mut incoming = Incoming::new(Some(id.clone()), Some(key), method, params, caller, exchange, session);
        if let Some(parts) = parts {
            incoming.extensions.insert(parts);
        }
        let reply = match jackfield_peer::handle(&*self.handler, incoming) {
            Answering::Ready(reply) => reply,
            Answering::Later(future) => Guarded::new(future).await,
        };
        (reply, revision)
    }

    /// Finds the session that a request names; `None` if it names none.
    async fn find(&self, parts: &Parts) -> Result<Option<Arc<Live>>, Refusal> {
        check_version(&parts.headers, self.handler.revisions())?;
        let Some(text) = session_header(&parts.headers)? else { return Ok(None) };
        let id = SessionId::parse(text.as_bytes()).ok_or_else(session_over)?;
        let live = match self.sessions.get(id) {
            Some(live) => live,
            None => self.restore(id).await.ok_or_else(session_over)?,
        };
        // The session of another user is as unknown as one that never was.
        let same_user = live.principal.as_ref() == parts.extensions.get::<Principal>();
        if live.transport != Transport::Streamable || !same_user {
            return Err(session_over());
        }
        if live.is_over(self.shared.now()) {
            self.sessions.remove(id);
            return Err(session_over());
        }
        Ok(Some(live))
    }

    /// Goes on with a session that another process opened.
    async fn restore(&self, id: SessionId) -> Option<Arc<Live>> {
        let record = self.config.sessions.as_ref()?.load(id).await?;
        let params = Params::from_json(record.initialize).ok()?;
        let live = Live::new(id, Transport::Streamable, record.principal, self.handler.revisions(), &self.shared);
        let method = MethodName::Known(Method::Initialize);
        let nobody = RawId::from(&RequestId::Integer(0));
        let (reply, _) = self.initialize(&live, &nobody, method, params, None).await;
        reply.ok()?;
        if let (true, Some(session)) = (record.ready, live.session()) {
            session.set_ready();
        }
        self.sessions.insert(live.clone(), self.limits()).ok()?;
        Some(live)
    }

    async fn save(&self, live: &Live) {
        let (Some(table), Some(session)) = (&self.config.sessions, live.session()) else { return };
        let caller = session.caller();
        let initialize = serde_json::json!({
            "protocolVersion": caller.revision,
            "capabilities": caller.capabilities,
            "clientInfo": caller.client_info,
        });
        let record = SessionRecord::new(initialize.to_string().into(), live.principal.clone(), session.is_ready());
        table.save(live.id, record).await;
    }

    /// Serves a GET: the stream of messages that belong to no request, or the rest of a stream that was cut.
    pub(crate) async fn get(self: &Arc<Self>, parts: Parts) -> Response<Body> {
        self.sweep_sometimes();
        if !matches!(Accepts::read(&parts.headers), Some(Accepts::Both | Accepts::Events)) {
            return respond::refusal(StatusCode::NOT_ACCEPTABLE, "the answer is a stream; accept text/event-stream");
        }
        if Version::read(&parts.headers).is_ok_and(|version| version.is_modern()) {
            return respond::method_not_allowed("POST");
        }
        let live = match self.find(&parts).await {
            Ok(Some(live)) => live,
            Ok(None) => return respond::refusal(StatusCode::BAD_REQUEST, "mcp-session-id is missing"),
            Err(refusal) => return *refusal,
        };
        live.touch();
        match headers::single(&parts.headers, &LAST_EVENT_ID) {
            Ok(None) => self.read_stream(&live, live.standalone().clone(), None),
            Ok(Some(text)) => match EventId::parse(text.as_bytes()) {
                Some(id) => self.resume(&live, id).await,
                None => unknown_event(),
            },
            Err(_) => unknown_event(),
        }
    }

    async fn resume(&self, live: &Arc<Live>, id: EventId) -> Response<Body> {
        match live.stream(id.stream) {
            Some(stream) if id.sequence <= stream.newest() => self.read_stream(live, stream, Some(id.sequence)),
            Some(_) => unknown_event(),
            None => {
                // Another process may write it; then the log knows it.
                let key = StreamKey { session: live.id, stream: id.stream };
                match self.shared.log.read(key, id.sequence).await {
                    Ok(_) => self.read_events(live, key, None, 0, id.sequence),
                    Err(_) => unknown_event(),
                }
            }
        }
    }

    /// Reads a stream from a place, or from where the connection before it ended.
    fn read_stream(&self, live: &Arc<Live>, stream: Arc<Stream>, place: Option<u64>) -> Response<Body> {
        let (number, sent) = stream.attach();
        self.read_events(live, stream.key, Some(stream), number, place.unwrap_or(sent))
    }

    fn read_events(
        &self,
        live: &Arc<Live>,
        key: StreamKey,
        stream: Option<Arc<Stream>>,
        number: u64,
        place: u64,
    ) -> Response<Body> {
        let standalone = live.opened_standalone().is_some_and(|standalone| standalone.key == key);
        let mut reader = Reader {
            key,
            log: self.shared.log.clone(),
            stream,
            number,
            place,
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
    pub(crate) async fn delete(self: &Arc<Self>, parts: &Parts) -> Response<Body> {
        if Version::read(&parts.headers).is_ok_and(|version| version.is_modern()) {
            return respond::method_not_allowed("POST");
        }
        match self.find(parts).await {
            Ok(Some(live)) => {
                self.sessions.remove(live.id);
                if let Some(table) = &self.config.sessions {
                    table.remove(live.id).await;
                }
                respond::empty(StatusCode::NO_CONTENT)
            }
            Ok(None) => respond::refusal(StatusCode::BAD_REQUEST, "mcp-session-id is missing"),
            Err(refusal) => *refusal,
        }
    }
}

/// A request under way.
struct Call {
    key: RequestKey,
    id: RawId,
    revision: Revision,
    opens: bool,
    operation: Operation,
    exchange: Arc<Exchange>,
    live: Arc<Live>,
}

fn finish(call: &Call, reply: Reply, identity: Option<&[u8]>) {
    let code = reply.as_ref().err().map(|error| error.code);
    if call.opens && code.is_some() {
        call.live.reopen();
    }
    call.operation.end(code);
    call.exchange.answer(call.key, code, |out| write_reply(out, &call.id, reply, call.revision, identity));
}

pub(crate) fn is_initialize(method: &MethodName) -> bool {
    *method == MethodName::Known(Method::Initialize)
}

/// A version that the server does not speak is refused; without one, the session's own is meant.
fn check_version(headers: &HeaderMap, spoken: &[Revision]) -> Result<(), Refusal> {
    let refused =
        |error: &ErrorObject| Box::new(respond::error(StatusCode::BAD_REQUEST, None, error, Revision::LATEST));
    match Version::read(headers).map_err(|error| refused(&error))? {
        Version::Known(revision) if !spoken.contains(&revision) => {
            Err(refused(&ErrorObject::unsupported_version(revision.as_str(), spoken)))
        }
        Version::Unknown(text) => Err(refused(&ErrorObject::unsupported_version(&text, spoken))),
        Version::Absent | Version::Known(_) => Ok(()),
    }
}

fn session_header(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    headers::single(headers, &SESSION_ID)
        .map_err(|error| Box::new(respond::error(StatusCode::BAD_REQUEST, None, &error, Revision::LATEST)))
}

fn session_over() -> Refusal {
    Box::new(respond::refusal(StatusCode::NOT_FOUND, "the session is not known, or is over; send initialize again"))
}

fn unknown_event() -> Response<Body> {
    respond::refusal(StatusCode::BAD_REQUEST, "last-event-id names no event that is still kept")
}

fn too_many(limit: usize) -> Response<Body> {
    respond::later(StatusCode::TOO_MANY_REQUESTS, format!("more than {limit} requests are running"))
}
