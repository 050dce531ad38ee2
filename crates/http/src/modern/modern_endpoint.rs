//! Requests of the modern era: each speaks for itself.

use std::future::poll_fn;
use std::sync::Arc;

use http::request::Parts;
use http::{HeaderValue, Response, StatusCode};
use jackfield_peer::{
    ActiveRequest, CallLimits, Caller, CallerMemo, Handler, Incoming, Reply, ResolvedCaller, Work, check_method,
};
use jackfield_protocol::envelope::{Message, MethodName, Params, RawId, RawNotification, Request};
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, Method, Revision, meta::key};

use super::queue::Queue;
use super::stream::{First, ModernOutlet, ModernStream};
use crate::endpoint::Arrived;
use crate::request::{self, Accepts, ClientMemo, McpHeaders, OwnerCounts, Permit, Version};
use crate::response::{HttpAnswer, respond, written};
use crate::session::Shared;
use crate::sync::{Mutex, MutexGuard};
use crate::telemetry::{HttpOrigin, OpenStream};
use crate::{Body, HttpLimits};

/// Serves requests of the modern era, each by itself.
pub(crate) struct ModernEndpoint {
    handler: Arc<dyn Handler>,
    shared: Arc<Shared>,
    /// What each user, or address, has open.
    listening: Arc<OwnerCounts>,
    in_flight: Arc<OwnerCounts>,
    notifications: Arc<OwnerCounts>,
    /// The callers of requests whose connections are not ours.
    callers: Mutex<CallerMemo>,
}

impl ModernEndpoint {
    pub(crate) fn new(handler: Arc<dyn Handler>, shared: Arc<Shared>) -> Self {
        let [listening, in_flight, notifications] = Default::default();
        Self { handler, shared, listening, in_flight, notifications, callers: Mutex::new(CallerMemo::default()) }
    }

    fn limits(&self) -> &HttpLimits {
        &self.shared.limits
    }

    fn calls(&self) -> &CallLimits {
        &self.shared.calls
    }

    /// Serves a POST.
    pub(crate) fn post(
        &self,
        mut arrived: Arrived,
        known: &McpHeaders<'_>,
        from: Option<&ClientMemo>,
        message: Message,
    ) -> HttpAnswer {
        match message {
            Message::Request(mut request) => {
                // Its stream may be open for hours. It must not hold the buffer that its request came in.
                if request.method == MethodName::Known(Method::Listen) {
                    arrived.parts = Arc::new(detached(&arrived.parts));
                    request.detach();
                }
                self.request(&arrived, known, from, request).unwrap_or_else(HttpAnswer::from)
            }
            Message::Notification(incident) => self.notification(&arrived, from, incident),
            Message::Answer(_) => {
                let message = "a client sends no answers in this version";
                respond::refusal(StatusCode::BAD_REQUEST, message).into()
            }
            Message::Batch(_) => {
                let message = "batches are not part of this protocol version";
                respond::refusal(StatusCode::BAD_REQUEST, message).into()
            }
        }
    }

    fn request(
        &self,
        arrived: &Arrived,
        known: &McpHeaders<'_>,
        from: Option<&ClientMemo>,
        request: Request,
    ) -> Result<HttpAnswer, Box<Response<Body>>> {
        let accepts = arrived.accepts;
        let from = self.caller_of(arrived, known, from, &request).map_err(|error| refused(&request.id, &error))?;
        let mut permit = self.permit(arrived, &request.method, &request.id)?;
        let outlet = self.outlet(accepts == Accepts::Json);
        let key = self.shared.next_key();
        let origin = HttpOrigin { session: None, headers: Some(&arrived.parts.headers) };
        let active = ActiveRequest::new(key, &request, from.caller.revision, &origin);
        let mut incoming = Incoming::request(key, request, from, outlet.clone());
        incoming.extensions.insert_shared(arrived.parts.clone());
        let work = active.begin(&*self.handler, incoming, self.calls().request_timeout);
        // Work that is ready at once is over before the next begins, so that only the rest has to be counted.
        if permit.is_none() && matches!(work, Work::Pending(_)) {
            permit = self.in_flight.take(arrived.owner(), usize::MAX);
        }
        match work {
            Work::Ready(reply) if outlet.queue.is_empty() && accepts != Accepts::Events => {
                Ok(json(&active, reply, &*self.handler))
            }
            work => {
                let streams = matches!(work, Work::Ready(_)) || accepts == Accepts::Events;
                let under_way = self.stream(work, outlet, active, permit);
                Ok(if streams { stream(under_way).into() } else { HttpAnswer::pending(wait(under_way, accepts)) })
            }
        }
    }

    fn outlet(&self, silent: bool) -> Arc<ModernOutlet> {
        Arc::new(ModernOutlet { queue: Queue::new(self.limits()), shared: self.shared.clone(), silent })
    }

    fn stream(
        &self,
        work: Work,
        outlet: Arc<ModernOutlet>,
        request: ActiveRequest,
        permit: Option<Permit>,
    ) -> Box<ModernStream> {
        let (handler, keep_alive) = (self.handler.clone(), self.limits().sse_keep_alive);
        let silence = Box::pin(tokio::time::sleep(keep_alive));
        let work = Some(work);
        Box::new(ModernStream { work, outlet, request, handler, silence, keep_alive, _permit: permit, _open: None })
    }

    /// Finds out who sends a request, and whether its headers say the same as its body.
    fn caller_of(
        &self,
        arrived: &Arrived,
        known: &McpHeaders<'_>,
        from: Option<&ClientMemo>,
        request: &Request,
    ) -> Result<ResolvedCaller, ErrorObject> {
        let Request { method, params, .. } = request;
        let before = self.callers(from).get(params, arrived.principal());
        let caller = match before {
            // The members of `_meta` are those of a request that was checked, so that only the header can differ.
            Some(caller) if arrived.version == Version::Known(caller.revision) => caller,
            _ => self.new_caller(arrived, from, method, params)?,
        };
        check_method(method, &caller)?;
        request::check_request(known, &arrived.parts.headers, method, params, &*self.handler)?;
        Ok(ResolvedCaller { caller, session: None })
    }

    /// The callers that are remembered: those of the connection, or of all that are not ours.
    fn callers<'a>(&'a self, from: Option<&'a ClientMemo>) -> MutexGuard<'a, CallerMemo> {
        from.map_or(&self.callers, |from| &from.callers).lock()
    }

    /// Finds out who sends a request that is not like one of those before.
    #[cold]
    fn new_caller(
        &self,
        arrived: &Arrived,
        from: Option<&ClientMemo>,
        method: &MethodName,
        params: &Params,
    ) -> Result<Arc<Caller>, ErrorObject> {
        request::check_version(&arrived.version, params)?;
        if params.meta(key::PROTOCOL_VERSION).is_some() {
            return self.callers(from).resolve(params, arrived.principal(), self.handler.revisions());
        }
        Err(match (&arrived.version, method) {
            (Version::Absent, _) => request::missing(&request::PROTOCOL_VERSION),
            (Version::Known(old), _) if old.has_handshake() => {
                ErrorObject::unsupported_version(old.as_str(), self.handler.revisions())
            }
            (Version::Unknown(requested), _) => ErrorObject::unsupported_version(requested, self.handler.revisions()),
            (_, MethodName::Known(known)) if known.is_defined(Revision::LATEST) && known.is_for_server() => {
                ErrorObject::invalid_params(format!("missing `_meta` member `{}`", key::PROTOCOL_VERSION))
            }
            _ => ErrorObject::method_not_found(method.as_str()),
        })
    }

    /// Counts what a user must not have too much of: listen streams, and requests under way.
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
            let permit = self.listening.take(arrived.owner(), self.calls().listen_streams);
            return permit
                .map(Some)
                .ok_or_else(|| too_many(Some(id), self.calls().listen_streams, "listen streams are open"));
        }
        if arrived.principal().is_none() {
            let limit = limits.requests_per_address;
            let has_room = self.in_flight.has_room(|| arrived.owner(), limit);
            return if has_room { Ok(None) } else { Err(too_many(Some(id), limit, "requests are running")) };
        }
        let permit = self.in_flight.take(arrived.owner(), self.calls().requests_in_flight);
        permit.map(Some).ok_or_else(|| too_many(Some(id), self.calls().requests_in_flight, "requests are running"))
    }

    fn notification(&self, arrived: &Arrived, from: Option<&ClientMemo>, incident: RawNotification) -> HttpAnswer {
        let params = &incident.params;
        let checked = request::check_version(&arrived.version, params)
            .and_then(|()| request::check_notification(&arrived.parts.headers, &incident.method));
        if let Err(error) = checked {
            return respond::error(StatusCode::BAD_REQUEST, None, &error, Revision::LATEST).into();
        }
        let accepted = || respond::empty(StatusCode::ACCEPTED);
        let resolved = self.callers(from).resolve(params, arrived.principal(), self.handler.revisions());
        let Ok(caller) = resolved else {
            // Without `_meta` nothing says who sent it. There is no notification of this kind that would mean something.
            return accepted().into();
        };
        // As many may be under way as requests, and beside them.
        let limits = self.limits();
        let is_anonymous = arrived.principal().is_none();
        let limit = if is_anonymous { limits.requests_per_address } else { self.calls().requests_in_flight };
        let Some(permit) = self.notifications.take(arrived.owner(), limit) else {
            return too_many(None, limit, "notifications are running").into();
        };
        let outlet = self.outlet(true);
        let mut incoming = Incoming::notification(incident, ResolvedCaller { caller, session: None }, outlet);
        incoming.extensions.insert_shared(arrived.parts.clone());
        match Work::on_notification(&*self.handler, incoming, self.calls().request_timeout) {
            Work::Ready(_) => accepted().into(),
            // A notification has no answer; it is over when the work is, or when the client goes.
            Work::Pending(work) => HttpAnswer::pending(async move {
                let _permit = permit;
                let _ = work.await;
                accepted()
            }),
        }
    }
}

/// Waits until it is clear whether the answer is one text or a stream.
async fn wait(mut under_way: Box<ModernStream>, accepts: Accepts) -> Response<Body> {
    match poll_fn(|cx| under_way.poll_first(cx, accepts != Accepts::Json)).await {
        First::Answer(reply) => json(&under_way.request, reply, &*under_way.handler).response().await,
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

fn json(request: &ActiveRequest, reply: Reply, handler: &dyn Handler) -> HttpAnswer {
    let status = reply.as_ref().err().map_or(StatusCode::OK, respond::modern_status);
    HttpAnswer::Json(status, written(request.answer(reply, handler)).into())
}

fn stream(mut under_way: Box<ModernStream>) -> Response<Body> {
    under_way._open = Some(OpenStream::begin());
    respond::events(Body::modern(under_way))
}
