//! Requests of the modern era: each speaks for itself.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Waker};

use http::request::Parts;
use http::{Response, StatusCode};
use jackfield_peer::{Admission, Admitted, Answering, Guarded, Incoming, Outlet, Principal, Reply};
use jackfield_protocol::envelope::{Incident, Message, MethodName, Params, RawId, Request};
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, Method, Revision, meta::key};

use crate::endpoint::Endpoint;
use crate::headers::{self, Version};
use crate::modern_stream::{AnswerTo, First, ModernOutlet, ModernStream, Work};
use crate::negotiation::Accepts;
use crate::owner::Permit;
use crate::queue::Queue;
use crate::telemetry::{OpenStream, Operation};
use crate::{Body, respond};

impl Endpoint {
    /// Serves a POST of the modern era.
    pub(crate) async fn modern(
        self: &Arc<Self>,
        parts: Parts,
        version: &Version,
        accepts: Accepts,
        message: Message,
    ) -> Response<Body> {
        match message {
            Message::Request(request) => self.modern_request(parts, version, accepts, request).await,
            Message::Notification(incident) => self.modern_notification(parts, version, incident).await,
            Message::Answer(_) => {
                respond::refusal(StatusCode::BAD_REQUEST, "a client sends no answers in this version")
            }
            Message::Batch(_) => {
                respond::refusal(StatusCode::BAD_REQUEST, "batches are not part of this protocol version")
            }
        }
    }

    async fn modern_request(
        self: &Arc<Self>,
        parts: Parts,
        version: &Version,
        accepts: Accepts,
        request: Request,
    ) -> Response<Body> {
        let Request { id, method, params } = request;
        let outlet = Arc::new(ModernOutlet {
            queue: Queue::new(self.limits()),
            shutdown: self.shared.shutdown.clone(),
            silent: accepts == Accepts::Json,
        });
        let admitted = match self.admit_modern(&parts, version, &method, &params, &outlet) {
            Ok(admitted) => admitted,
            Err(error) => return refused(&id, &error),
        };
        let permits = match self.permits(&parts, &method, accepts) {
            Ok(permits) => permits,
            Err(response) => return *response,
        };
        let revision = admitted.caller.revision;
        let answer = AnswerTo { handler: self.handler.clone(), id, revision };
        let operation = Operation::begin(&method, &params, &answer.id, revision, None, &parts.headers);
        let key = self.shared.next_key();
        let mut incoming =
            Incoming::new(Some(answer.id.clone()), Some(key), method, params, admitted.caller, outlet.clone(), None);
        incoming.extensions.insert(parts);
        let work = match operation.span.in_scope(|| jackfield_peer::handle(&*self.handler, incoming)) {
            Answering::Ready(reply) => Work::Ready(reply),
            Answering::Later(future) => self.begin(future, &operation),
        };
        if let Work::Ready(reply) = work {
            if outlet.queue.is_empty() && accepts != Accepts::Events {
                return json(&answer, reply, &operation);
            }
            return stream(self.modern_stream(Work::Ready(reply), outlet, answer, operation, permits));
        }
        let mut under_way = self.modern_stream(work, outlet, answer, operation, permits);
        let may_stream = accepts != Accepts::Json;
        if accepts == Accepts::Events {
            return stream(under_way);
        }
        match poll_fn(|cx| under_way.poll_first(cx, may_stream)).await {
            First::Answer(reply) => json(&under_way.answer, reply, &under_way.operation),
            First::Stream => stream(under_way),
        }
    }

    /// Polls once in place: most handlers are ready at once.
    fn begin(&self, future: Pin<Box<dyn Future<Output = Reply> + Send>>, operation: &Operation) -> Work {
        let mut future = match self.limits().request_timeout {
            None => Guarded::new(future),
            Some(limit) => Guarded::new(Box::pin(crate::endpoint::within(limit, Guarded::new(future)))),
        };
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
        permits: [Option<Permit>; 2],
    ) -> Box<ModernStream> {
        let keep_alive = self.limits().sse_keep_alive;
        let silence = Box::pin(tokio::time::sleep(keep_alive));
        Box::new(ModernStream { work, outlet, answer, operation, silence, keep_alive, _permits: permits, _open: None })
    }

    fn admit_modern(
        &self,
        parts: &Parts,
        version: &Version,
        method: &MethodName,
        params: &Params,
        outlet: &Arc<ModernOutlet>,
    ) -> Result<Admitted, ErrorObject> {
        headers::check_version(version, params)?;
        if params.meta(key::PROTOCOL_VERSION).is_none() {
            return Err(match (version, method) {
                (Version::Absent, _) => headers::missing(&headers::PROTOCOL_VERSION),
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
        let admitted = match parts.extensions.get::<Principal>() {
            Some(principal) => {
                Admission::new(self.handler.revisions(), Some(principal.clone())).request(method, params, &outlet)
            }
            None => {
                // Clients repeat themselves; what was decoded for one request need not be decoded again for the next.
                let slot = params.meta(key::CLIENT_INFO).map_or(0, <[u8]>::len) % self.admissions.len();
                let [first, ..] = &self.admissions;
                let slot = self.admissions.get(slot).unwrap_or(first);
                slot.lock().unwrap_or_else(PoisonError::into_inner).request(method, params, &outlet)
            }
        }?;
        headers::check_request(&parts.headers, method, params, &*self.handler)?;
        Ok(admitted)
    }

    fn permits(
        &self,
        parts: &Parts,
        method: &MethodName,
        accepts: Accepts,
    ) -> Result<[Option<Permit>; 2], Box<Response<Body>>> {
        let mut permits = [None, None];
        if *method == MethodName::Known(Method::Listen) {
            if accepts == Accepts::Json {
                let message = "the answer is a stream; accept text/event-stream";
                return Err(Box::new(respond::refusal(StatusCode::NOT_ACCEPTABLE, message)));
            }
            let limit = self.limits().listen_streams;
            let permit = self.listening.take(self.owner(parts), limit);
            permits[0] = Some(permit.ok_or_else(|| too_many(format!("more than {limit} listen streams are open")))?);
        } else if let Some(principal) = parts.extensions.get::<Principal>() {
            let limit = self.limits().requests_in_flight;
            let permit = self.in_flight.take(crate::owner::Owner::Principal(principal.clone()), limit);
            permits[1] = Some(permit.ok_or_else(|| too_many(format!("more than {limit} requests are running")))?);
        }
        Ok(permits)
    }

    async fn modern_notification(
        self: &Arc<Self>,
        parts: Parts,
        version: &Version,
        incident: Incident,
    ) -> Response<Body> {
        let Incident { method, params } = incident;
        let checked = headers::check_version(version, &params)
            .and_then(|()| headers::check_notification(&parts.headers, &method));
        if let Err(error) = checked {
            return respond::error(StatusCode::BAD_REQUEST, None, &error, Revision::LATEST);
        }
        let principal = parts.extensions.get::<Principal>().cloned();
        let Some(admitted) = Admission::new(self.handler.revisions(), principal).notification(&params) else {
            // Without `_meta` nothing says who sent it. There is no notification of this kind that would mean something.
            return respond::empty(StatusCode::ACCEPTED);
        };
        let outlet = Arc::new(ModernOutlet {
            queue: Queue::new(self.limits()),
            shutdown: self.shared.shutdown.clone(),
            silent: true,
        });
        let mut incoming = Incoming::new(None, None, method, params, admitted.caller, outlet, None);
        incoming.extensions.insert(parts);
        if let Answering::Later(future) = jackfield_peer::handle(&*self.handler, incoming) {
            // A notification has no answer; it is over when the work is, or when the client goes.
            let _ = Guarded::new(future).await;
        }
        respond::empty(StatusCode::ACCEPTED)
    }
}

fn too_many(message: String) -> Box<Response<Body>> {
    Box::new(respond::later(StatusCode::TOO_MANY_REQUESTS, message))
}

/// An error found before the handler saw the request.
fn refused(id: &RawId, error: &ErrorObject) -> Response<Body> {
    let status = match error.code {
        code::METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        _ => StatusCode::BAD_REQUEST,
    };
    respond::error(status, Some(id), error, Revision::LATEST)
}

fn json(answer: &AnswerTo, reply: Reply, operation: &Operation) -> Response<Body> {
    let error = reply.as_ref().err();
    operation.end(error.map(|error| error.code));
    let status = error.map_or(StatusCode::OK, respond::modern_status);
    let mut text = Vec::with_capacity(512);
    answer.write(&mut text, reply);
    respond::json(status, text)
}

fn stream(mut under_way: Box<ModernStream>) -> Response<Body> {
    under_way._open = Some(OpenStream::begin());
    respond::events(Body::modern(under_way))
}
