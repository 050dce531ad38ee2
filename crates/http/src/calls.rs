//! The work on requests and notifications of a session.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::request::Parts;
use jackfield_peer::{Answering, Cancellation, Guarded, Incoming, Reply, RequestKey, write_error, write_reply};
use jackfield_protocol::envelope::{Answer, Incident, Message, MethodName, RawId, Rejected, Request};
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, Method, Revision};
use tracing::Instrument;

use crate::endpoint::Endpoint;
use crate::exchange::Exchange;
use crate::legacy::is_initialize;
use crate::nodes::{Letter, What};
use crate::session::{CallId, Closing, Live};
use crate::telemetry::Operation;

impl Endpoint {
    /// Begins the work on all messages of a batch.
    pub(crate) fn start_batch(
        &self,
        exchange: &Arc<Exchange>,
        live: &Arc<Live>,
        entries: &[Bytes],
        parts: &Arc<Parts>,
    ) {
        for entry in entries {
            match Message::read(entry, 0) {
                Ok(Message::Request(request)) => self.start(exchange, live, request, parts, true),
                Ok(Message::Notification(incident)) => drop(self.notice(live, incident, parts)),
                Ok(Message::Answer(answer)) => self.answered(live, answer),
                Ok(Message::Batch(_)) => {
                    let error = ErrorObject::invalid_request("a batch must not hold another");
                    self.refuse(exchange, live, None, &error);
                }
                Err(rejected) => match rejected.into_answer() {
                    Ok(answer) => self.answered(live, answer),
                    Err(Rejected { about, error }) => self.refuse(exchange, live, about.asked(), &error),
                },
            }
        }
        exchange.filled();
    }

    pub(crate) fn refuse(&self, exchange: &Arc<Exchange>, live: &Live, id: Option<&RawId>, error: &ErrorObject) {
        let key = self.shared.next_key();
        exchange.expect(key, id);
        exchange.answer(key, Some(error.code), |out| write_error(out, id, error, live.revision()));
    }

    /// Begins the work on a request. If it is not ready at once it goes on in a task, so that it survives the connection.
    pub(crate) fn start(
        &self,
        exchange: &Arc<Exchange>,
        live: &Arc<Live>,
        request: Request,
        parts: &Arc<Parts>,
        in_batch: bool,
    ) {
        let Request { id, method, params } = request;
        let opens = is_initialize(&method);
        let admitted =
            self.check_place(exchange, live, &id, opens && in_batch).and_then(|()| live.admit(&method, &params));
        let admitted = match admitted {
            Ok(admitted) => admitted,
            Err(error) => return self.refuse(exchange, live, Some(&id), &error),
        };
        let key = self.shared.next_key();
        exchange.expect(key, Some(&id));
        let revision = admitted.caller.revision;
        let operation = Operation::begin(&method, &params, &id, revision, Some(live.id), &parts.headers);
        let (caller, session) = (admitted.caller, admitted.session);
        let mut incoming =
            Incoming::new(Some(id.clone()), Some(key), method, params, caller, exchange.clone(), session);
        incoming.extensions.insert_shared(parts.clone());
        let answering = operation.span.in_scope(|| jackfield_peer::handle(&*self.handler, incoming));
        let call = Call { key, id, revision, opens, operation, exchange: exchange.clone(), live: live.clone() };
        match answering {
            Answering::Ready(reply) => self.finish(call, reply),
            Answering::Later(future) => {
                let mut future = self.guarded(future);
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
    fn check_place(
        &self,
        exchange: &Exchange,
        live: &Live,
        id: &RawId,
        initialize_in_batch: bool,
    ) -> Result<(), ErrorObject> {
        if initialize_in_batch {
            return Err(ErrorObject::invalid_request("initialize must not be part of a batch"));
        }
        let calls = live.calls();
        if calls.is_empty() {
            return Ok(());
        }
        if id.decode().is_some_and(|id| calls.contains(&CallId::Request(id))) {
            return Err(ErrorObject::invalid_request("a request with this id is still running"));
        }
        if calls.len() >= self.limits().requests_in_flight {
            let message = format!("more than {} requests are running", self.limits().requests_in_flight);
            return Err(ErrorObject::new(code::TOO_MANY_REQUESTS, message));
        }
        drop(calls);
        if exchange.is_one_too_many(self.limits().queued_bytes) {
            return Err(ErrorObject::new(code::TOO_MANY_REQUESTS, "too many answers wait for the rest of their batch"));
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
        // It is in the list before it begins, because it takes itself out. It begins without the lock, because a runtime that has ended drops
        // it at once, and what it holds may look at the list.
        let mut calls = live.calls();
        if let Some(closing) = calls.closed() {
            drop(calls);
            return self.give_up(call, closing);
        }
        calls.insert(id.clone(), key, Some(exchange));
        drop(calls);
        let handler = self.handler.clone();
        let active = live.active();
        let listed = id.clone();
        let span = call.operation.span.clone();
        let task = async move {
            let reply = future.await;
            active.live().calls().finished(&listed, call.key);
            let identity = handler.identity(call.revision);
            finish(&call, reply, identity);
        };
        let abort = self.tasks.spawn(task.instrument(span));
        live.calls().begun(&id, key, abort);
    }

    /// Ends a request whose session has come to its end while its handler ran for the first time.
    fn give_up(&self, call: Call, closing: Closing) {
        match closing {
            Closing::Ended => call.exchange.close(),
            Closing::Left => {
                let error = ErrorObject::new(code::UNAVAILABLE, "the session is not served here any more; try again");
                self.finish(call, Err(error));
            }
        }
    }

    /// Hands a notification to the handler. Returns whether there was room for it.
    pub(crate) fn notice(&self, live: &Arc<Live>, incident: Incident, parts: &Arc<Parts>) -> bool {
        if incident.method == MethodName::Known(Method::Cancelled) {
            if let Some(cancellation) = Cancellation::read(&incident.params) {
                self.cancel(live, cancellation);
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
        incoming.extensions.insert_shared(parts.clone());
        if let Answering::Later(future) = jackfield_peer::handle(&*self.handler, incoming) {
            let mut future = self.guarded(future);
            if Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop())).is_pending() {
                self.go_on_noticing(live, future);
            }
        }
        true
    }

    /// Drops the work on a request, wherever it runs.
    fn cancel(&self, live: &Live, cancellation: Cancellation) {
        let shared = self.shared.node.as_ref().filter(|_| live.is_replicated());
        if live.cancel(cancellation.request.clone()) {
            cancellation.log();
        } else if let Some(node) = shared {
            cancellation.log();
            node.tell(live.id, What::Cancelled(cancellation.request));
        }
    }

    /// Hands an answer to the one who waits for it, whom nobody waits for to be told.
    pub(crate) fn answered(&self, live: &Live, answer: Answer) {
        match (live.asked_elsewhere(&answer), &self.shared.node) {
            (Some(other), Some(node)) => {
                let (to, letter, node_) = (other.to_owned(), letter(live, &answer), node.clone());
                node.spawn(async move {
                    if let Err(error) = node_.send(&to, &letter).await {
                        tracing::warn!(%error, "an answer did not reach the node that waits for it");
                    }
                });
            }
            _ => live.questions.answer(answer),
        }
    }

    fn go_on_noticing(&self, live: &Arc<Live>, future: Guarded) {
        let key = self.shared.next_key();
        let mut calls = live.calls();
        if calls.closed().is_some() {
            return;
        }
        let id = CallId::Notification(key);
        calls.insert(id.clone(), key, None);
        drop(calls);
        let active = live.active();
        let listed = id.clone();
        let abort = self.tasks.spawn(async move {
            let _ = future.await;
            active.live().calls().finished(&listed, key);
        });
        live.calls().begun(&id, key, abort);
    }
}

/// What the node that asked has to know.
pub(crate) fn letter(live: &Live, answer: &Answer) -> Letter {
    let mut text = br#"{"jsonrpc":"2.0","id":"#.to_vec();
    let id = answer.id.as_ref().map(RawId::from);
    text.extend_from_slice(id.as_ref().map_or(b"null", RawId::as_json));
    match &answer.outcome {
        Ok(result) => {
            text.extend_from_slice(br#","result":"#);
            text.extend_from_slice(result);
        }
        Err(error) => {
            text.extend_from_slice(br#","error":"#);
            text.extend_from_slice(&serde_json::to_vec(error).unwrap_or_default());
        }
    }
    text.push(b'}');
    let message = String::from_utf8_lossy(&text).into_owned();
    Letter { session: live.id.to_text(), message, headers: Vec::new() }
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
    call.operation.end(&reply);
    call.exchange.answer(call.key, code, |out| write_reply(out, &call.id, reply, call.revision, identity));
}
