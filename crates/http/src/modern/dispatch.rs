//! Requests of the modern era: each speaks for itself.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Waker};

use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use jackfield_peer::{Answering, CallerResolver, Incoming, Outlet, Reply, ResolvedCaller};
use jackfield_protocol::envelope::{Message, MethodName, Params, RawId, RawNotification, Request};
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, Method, Revision, meta::key};

use super::queue::Queue;
use super::stream::{AnswerTo, First, ModernOutlet, ModernStream, Work};
use crate::Body;
use crate::endpoint::{Arrived, Endpoint, Posted};
use crate::request::{self, Accepts, ClientMemo, McpHeaders, Permit, Version};
use crate::response::{Served, respond, written};
use crate::telemetry::{OpenStream, Operation};

impl Endpoint {
    /// Serves a POST of the modern era.
    pub(crate) fn modern(
        self: &Arc<Self>,
        mut arrived: Arrived,
        known: &McpHeaders<'_>,
        from: Option<&ClientMemo>,
        message: Message,
    ) -> Posted {
        match message {
            Message::Request(mut request) => {
                // Its stream may be open for hours. It must not hold the buffer that its request came in.
                if request.method == MethodName::Known(Method::Listen) {
                    arrived.parts = Arc::new(detached(&arrived.parts));
                    request.detach();
                }
                self.modern_request(&arrived, known, from, request)
                    .unwrap_or_else(|refusal| Posted::Done(refusal.into()))
            }
            Message::Notification(incident) => {
                let endpoint = self.clone();
                Posted::Later(Box::pin(async move { endpoint.modern_notification(&arrived, incident).await }))
            }
            Message::Answer(_) => {
                let message = "a client sends no answers in this version";
                Posted::Done(respond::refusal(StatusCode::BAD_REQUEST, message).into())
            }
            Message::Batch(_) => {
                let message = "batches are not part of this protocol version";
                Posted::Done(respond::refusal(StatusCode::BAD_REQUEST, message).into())
            }
        }
    }

    fn modern_request(
        &self,
        arrived: &Arrived,
        known: &McpHeaders<'_>,
        from: Option<&ClientMemo>,
        request: Request,
    ) -> Result<Posted, Box<Response<Body>>> {
        let Request { id, method, params } = request;
        let accepts = arrived.accepts;
        let outlet = self.modern_outlet(accepts == Accepts::Json);
        let admitted =
            self.admit_modern(arrived, known, from, &method, &params, &outlet).map_err(|error| refused(&id, &error))?;
        let mut permit = self.permit(arrived, &method, &id)?;
        let revision = admitted.caller.revision;
        let operation = Operation::begin(&method, &params, &id, revision, None, &arrived.parts.headers);
        let (key, messages) = (self.shared.next_key(), outlet.clone());
        let mut incoming = Incoming::new(Some(id.clone()), Some(key), method, params, admitted.caller, messages, None);
        incoming.extensions.insert_shared(arrived.parts.clone());
        let work = match operation.handle(&*self.handler, incoming) {
            Answering::Ready(reply) => Work::Ready(reply),
            Answering::Later(future) => self.begin(future, &operation),
        };
        // Work that is ready at once is over before the next begins, so that only the rest has to be counted.
        if permit.is_none() && matches!(work, Work::Pending(_)) {
            permit = self.in_flight.take(arrived.owner(), usize::MAX);
        }
        let answer = AnswerTo { handler: self.handler.clone(), id, revision };
        match work {
            Work::Ready(reply) if outlet.queue.is_empty() && accepts != Accepts::Events => {
                Ok(Posted::Done(json(&answer, reply, &operation)))
            }
            work => {
                let streams = matches!(work, Work::Ready(_)) || accepts == Accepts::Events;
                let under_way = self.modern_stream(work, outlet, answer, operation, permit);
                Ok(if streams { Posted::Done(stream(under_way).into()) } else { Posted::Modern(under_way, accepts) })
            }
        }
    }

    fn modern_outlet(&self, silent: bool) -> Arc<ModernOutlet> {
        Arc::new(ModernOutlet { queue: Queue::new(self.limits()), shared: self.shared.clone(), silent })
    }

    /// Polls once in place: most handlers are ready at once.
    fn begin(&self, future: Pin<Box<dyn Future<Output = Reply> + Send>>, operation: &Operation) -> Work {
        let mut future = self.guarded(future);
        // No wake-up is lost: a pending future is polled again at once with the waker of the connection.
        let mut cx = Context::from_waker(Waker::noop());
        match operation.span.in_scope(|| Pin::new(&mut future).poll(&mut cx)) {
            Poll::Ready(reply) => Work::Ready(reply),
            Poll::Pending => Work::Pending(future),
        }
    }

    fn modern_stream(
        &self,
        work: Work,
        outlet: Arc<ModernOutlet>,
        answer: AnswerTo,
        operation: Operation,
        permit: Option<Permit>,
    ) -> Box<ModernStream> {
        let keep_alive = self.limits().sse_keep_alive;
        let silence = Box::pin(tokio::time::sleep(keep_alive));
        Box::new(ModernStream { work, outlet, answer, operation, silence, keep_alive, _permit: permit, _open: None })
    }

    fn admit_modern(
        &self,
        arrived: &Arrived,
        known: &McpHeaders<'_>,
        from: Option<&ClientMemo>,
        method: &MethodName,
        params: &Params,
        outlet: &Arc<ModernOutlet>,
    ) -> Result<ResolvedCaller, ErrorObject> {
        let is_anonymous = arrived.principal().is_none();
        let memory = from.zip(arrived.meta).filter(|_| is_anonymous);
        let before = memory.and_then(|(from, meta)| from.caller(meta));
        let admitted = match before {
            Some(caller) if arrived.version == Version::Known(caller.revision) => {
                CallerResolver::again(method, &caller)?
            }
            _ => {
                let admitted = self.admit_stranger(arrived, method, params, outlet)?;
                if let Some((from, meta)) = memory {
                    from.remember(meta, &admitted.caller);
                }
                admitted
            }
        };
        request::check_request(known, &arrived.parts.headers, method, params, &*self.handler)?;
        Ok(admitted)
    }

    /// Finds out who sends a request that is not like the one before.
    fn admit_stranger(
        &self,
        arrived: &Arrived,
        method: &MethodName,
        params: &Params,
        outlet: &Arc<ModernOutlet>,
    ) -> Result<ResolvedCaller, ErrorObject> {
        request::check_version(&arrived.version, params)?;
        if params.meta(key::PROTOCOL_VERSION).is_none() {
            return Err(match (&arrived.version, method) {
                (Version::Absent, _) => request::missing(&request::PROTOCOL_VERSION),
                (Version::Known(old), _) if old.has_handshake() => {
                    ErrorObject::unsupported_version(old.as_str(), self.handler.revisions())
                }
                (Version::Unknown(requested), _) => {
                    ErrorObject::unsupported_version(requested, self.handler.revisions())
                }
                (_, MethodName::Known(known)) if known.is_defined(Revision::LATEST) && known.is_for_server() => {
                    ErrorObject::invalid_params(format!("missing `_meta` member `{}`", key::PROTOCOL_VERSION))
                }
                _ => ErrorObject::method_not_found(method.as_str()),
            });
        }
        let outlet: Arc<dyn Outlet> = outlet.clone();
        match arrived.principal() {
            Some(principal) => {
                CallerResolver::new(self.handler.revisions(), Some(principal.clone())).request(method, params, &outlet)
            }
            None => {
                // Clients repeat themselves; what was decoded for one request need not be decoded again for the next.
                let slot = params.meta(key::CLIENT_INFO).map_or(0, <[u8]>::len) % self.admissions.len();
                let [first, ..] = &self.admissions;
                let slot = self.admissions.get(slot).unwrap_or(first);
                slot.lock().unwrap_or_else(PoisonError::into_inner).request(method, params, &outlet)
            }
        }
    }

    /// OwnerCounts what a user must not have too much of: listen streams, and requests under way.
    fn permit(
        &self,
        arrived: &Arrived,
        method: &MethodName,
        id: &RawId,
    ) -> Result<Option<Permit>, Box<Response<Body>>> {
        let limits = self.limits();
        if *method == MethodName::Known(Method::Listen) {
            if arrived.accepts == Accepts::Json {
                let message = "the answer is a stream; accept text/event-stream";
                return Err(Box::new(respond::refusal(StatusCode::NOT_ACCEPTABLE, message)));
            }
            let permit = self.listening.take(arrived.owner(), limits.listen_streams);
            return permit
                .map(Some)
                .ok_or_else(|| too_many(Some(id), limits.listen_streams, "listen streams are open"));
        }
        if arrived.principal().is_none() {
            let limit = limits.requests_per_address;
            let has_room = self.in_flight.has_room(|| arrived.owner(), limit);
            return if has_room { Ok(None) } else { Err(too_many(Some(id), limit, "requests are running")) };
        }
        let permit = self.in_flight.take(arrived.owner(), limits.requests_in_flight);
        permit.map(Some).ok_or_else(|| too_many(Some(id), limits.requests_in_flight, "requests are running"))
    }

    async fn modern_notification(&self, arrived: &Arrived, incident: RawNotification) -> Response<Body> {
        let RawNotification { method, params } = incident;
        let checked = request::check_version(&arrived.version, &params)
            .and_then(|()| request::check_notification(&arrived.parts.headers, &method));
        if let Err(error) = checked {
            return respond::error(StatusCode::BAD_REQUEST, None, &error, Revision::LATEST);
        }
        let principal = arrived.principal().cloned();
        let Some(admitted) = CallerResolver::new(self.handler.revisions(), principal).notification(&params) else {
            // Without `_meta` nothing says who sent it. There is no notification of this kind that would mean something.
            return respond::empty(StatusCode::ACCEPTED);
        };
        // Its handler is work under way as that of a request is.
        let limits = self.limits();
        let is_anonymous = arrived.principal().is_none();
        let limit = if is_anonymous { limits.requests_per_address } else { limits.requests_in_flight };
        let Some(_permit) = self.in_flight.take(arrived.owner(), limit) else {
            return *too_many(None, limit, "requests are running");
        };
        let outlet = self.modern_outlet(true);
        let mut incoming = Incoming::new(None, None, method, params, admitted.caller, outlet, None);
        incoming.extensions.insert_shared(arrived.parts.clone());
        if let Answering::Later(future) = jackfield_peer::handle(&*self.handler, incoming) {
            // A notification has no answer; it is over when the work is, or when the client goes.
            let _ = self.guarded(future).await;
        }
        respond::empty(StatusCode::ACCEPTED)
    }
}

/// Waits until it is clear whether the answer is one text or a stream.
pub(crate) async fn wait(mut under_way: Box<ModernStream>, accepts: Accepts) -> Response<Body> {
    match poll_fn(|cx| under_way.poll_first(cx, accepts != Accepts::Json)).await {
        First::Answer(reply) => json(&under_way.answer, reply, &under_way.operation).whole(),
        First::Stream => stream(under_way),
    }
}

/// Copies the head of a request out of the buffer it was received in.
fn detached(parts: &Parts) -> Parts {
    let mut parts = parts.clone();
    for value in parts.headers.values_mut() {
        if let Ok(mut copy) = HeaderValue::from_bytes(value.as_bytes()) {
            copy.set_sensitive(value.is_sensitive());
            *value = copy;
        }
    }
    if let Ok(copy) = parts.uri.to_string().parse() {
        parts.uri = copy;
    }
    parts
}

fn too_many(id: Option<&RawId>, limit: usize, what: &str) -> Box<Response<Body>> {
    Box::new(respond::too_many(id, format!("more than {limit} {what}")))
}

/// An error found before the handler saw the request.
fn refused(id: &RawId, error: &ErrorObject) -> Box<Response<Body>> {
    let status = match error.code {
        code::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::BAD_REQUEST,
    };
    Box::new(respond::error(status, Some(id), error, Revision::LATEST))
}

fn json(answer: &AnswerTo, reply: Reply, operation: &Operation) -> Served {
    let error = reply.as_ref().err();
    operation.end(&reply);
    let status = error.map_or(StatusCode::OK, respond::modern_status);
    Served::Json(status, written(|out| answer.write(out, reply)).into())
}

fn stream(mut under_way: Box<ModernStream>) -> Response<Body> {
    under_way._open = Some(OpenStream::begin());
    respond::events(Body::modern(under_way))
}
