//! The work on requests and notifications of a session.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::request::Parts;
use jackfield_peer::{Answering, Cancellation, Guarded, Incoming, Reply, RequestKey, write_error, write_reply};
use jackfield_protocol::envelope::{Message, MethodName, RawId, RawNotification, RawResponse, Rejected, Request};
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, Method, Revision};
use tracing::Instrument;

use super::exchange::Exchange;
use super::streamable::is_initialize;
use crate::endpoint::Endpoint;
use crate::nodes::{Letter, What};
use crate::request::Accepts;
use crate::session::{Active, Closing, InFlightId, LocalSession};
use crate::telemetry::Operation;

impl Endpoint {
    /// Begins the work on all messages of a batch.
    pub(crate) fn start_batch(&self, exchange: &Arc<Exchange>, entries: &[Bytes], parts: &Arc<Parts>) {
        let live = exchange.live();
        for entry in entries {
            match Message::read(entry, 0) {
                Ok(Message::Request(request)) => {
                    let key = self.shared.next_key();
                    exchange.expect(key, Some(&request.id));
                    self.start(exchange, key, request, parts.clone(), true);
                }
                Ok(Message::Notification(incident)) => drop(self.notice(live, incident, parts)),
                Ok(Message::Answer(answer)) => self.answered(live, answer),
                Ok(Message::Batch(_)) => {
                    let error = ErrorObject::invalid_request("a batch must not hold another");
                    self.refuse(exchange, None, &error);
                }
                Err(rejected) => match rejected.into_answer() {
                    Ok(answer) => self.answered(live, answer),
                    Err(Rejected { about, error }) => self.refuse(exchange, about.asked(), &error),
                },
            }
        }
        exchange.filled();
    }

    pub(crate) fn refuse(&self, exchange: &Exchange, id: Option<&RawId>, error: &ErrorObject) {
        let key = self.shared.next_key();
        exchange.expect(key, id);
        refuse(exchange, key, id, error);
    }

    /// Serves the only request of an exchange.
    pub(crate) fn start_single(
        &self,
        live: Arc<LocalSession>,
        accepts: Accepts,
        request: Request,
        parts: Arc<Parts>,
    ) -> Arc<Exchange> {
        let key = self.shared.next_key();
        let exchange = Exchange::single(live, accepts, key, &request.id);
        self.start(&exchange, key, request, parts, false);
        exchange
    }

    /// Begins the work on a request. If it is not ready at once it goes on in a task, so that it survives the connection.
    fn start(&self, exchange: &Arc<Exchange>, key: RequestKey, request: Request, parts: Arc<Parts>, in_batch: bool) {
        let live = exchange.live();
        let Request { id, method, params } = request;
        let opens = is_initialize(&method);
        let admitted = self.check_place(exchange, &id, opens && in_batch).and_then(|()| live.admit(&method, &params));
        let admitted = match admitted {
            Ok(admitted) => admitted,
            Err(error) => return refuse(exchange, key, Some(&id), &error),
        };
        let revision = admitted.caller.revision;
        let operation = Operation::begin(&method, &params, &id, revision, Some(live.id), &parts.headers);
        let (caller, session) = (admitted.caller, admitted.session);
        let mut incoming =
            Incoming::new(Some(id.clone()), Some(key), method, params, caller, exchange.clone(), session);
        incoming.extensions.insert_shared(parts);
        let answering = operation.handle(&*self.handler, incoming);
        let call = Call { key, id, revision, opens, operation, exchange };
        match answering {
            Answering::Ready(reply) => self.finish(&call, reply),
            Answering::Later(future) => {
                let mut future = self.guarded(future);
                // No wake-up is lost: a pending future becomes a task, which polls it again at once with its own waker.
                let mut cx = Context::from_waker(Waker::noop());
                match call.operation.span.in_scope(|| Pin::new(&mut future).poll(&mut cx)) {
                    Poll::Ready(reply) => self.finish(&call, reply),
                    Poll::Pending => self.go_on(call, future),
                }
            }
        }
    }

    /// Refuses requests that come at the wrong place, whoever sends them.
    fn check_place(&self, exchange: &Exchange, id: &RawId, initialize_in_batch: bool) -> Result<(), ErrorObject> {
        if initialize_in_batch {
            return Err(ErrorObject::invalid_request("initialize must not be part of a batch"));
        }
        if !exchange.live().is_in_use() {
            return Ok(());
        }
        let calls = exchange.live().calls();
        if calls.is_empty() {
            return Ok(());
        }
        if id.decode().is_some_and(|id| calls.contains(&InFlightId::Request(id))) {
            return Err(still_running());
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

    fn finish(&self, call: &Call<'_>, reply: Reply) {
        call.finish(reply, self.handler.identity(call.revision));
    }

    fn go_on(&self, call: Call<'_>, future: Guarded) {
        let Some(id) = call.id.decode() else { return };
        let id = InFlightId::Request(id);
        let live = call.exchange.live();
        let listed = Listed { active: live.active(), id: id.clone(), key: call.key };
        // It is in the list before it begins, because it takes itself out. It begins without the lock, because a runtime that has ended drops
        // it at once, and what it holds may look at the list.
        let mut calls = live.calls();
        if let Some(closing) = calls.closed() {
            drop(calls);
            return self.give_up(&call, closing);
        }
        // Another may have begun while this one was polled for the first time.
        if calls.contains(&id) {
            drop(calls);
            return self.finish(&call, Err(still_running()));
        }
        calls.insert(id.clone(), call.key, Some(call.exchange.clone()));
        drop(calls);
        let handler = self.handler.clone();
        let Call { key, id: raw_id, revision, opens, operation, exchange } = call;
        let (span, answered) = (operation.span.clone(), exchange.clone());
        let task = async move {
            let reply = future.await;
            drop(listed);
            let call = Call { key, id: raw_id, revision, opens, operation, exchange: &answered };
            call.finish(reply, handler.identity(revision));
        };
        let abort = self.tasks.spawn(task.instrument(span));
        live.calls().begun(&id, key, abort);
    }

    /// Ends a request whose session has come to its end while its handler ran for the first time.
    fn give_up(&self, call: &Call<'_>, closing: Closing) {
        match closing {
            Closing::Ended => call.exchange.close(),
            Closing::Left => {
                let error = ErrorObject::new(code::UNAVAILABLE, "the session is not served here any more; try again");
                self.finish(call, Err(error));
            }
        }
    }

    /// Hands a notification to the handler. Returns whether there was room for it.
    pub(crate) fn notice(&self, live: &Arc<LocalSession>, incident: RawNotification, parts: &Arc<Parts>) -> bool {
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
        let RawNotification { method, params } = incident;
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
    fn cancel(&self, live: &LocalSession, cancellation: Cancellation) {
        let shared = self.shared.node.as_ref().filter(|_| live.is_replicated());
        if live.cancel(cancellation.request.clone()) {
            cancellation.log();
        } else if let Some(node) = shared {
            cancellation.log();
            node.tell(live.id, What::Cancelled(cancellation.request));
        }
    }

    /// Hands an answer to the one who waits for it, whom nobody waits for to be told.
    pub(crate) fn answered(&self, live: &LocalSession, answer: RawResponse) {
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

    fn go_on_noticing(&self, live: &Arc<LocalSession>, future: Guarded) {
        let key = self.shared.next_key();
        let id = InFlightId::Notification(key);
        let listed = Listed { active: live.active(), id: id.clone(), key };
        let mut calls = live.calls();
        if calls.closed().is_some() {
            return;
        }
        calls.insert(id.clone(), key, None);
        drop(calls);
        let abort = self.tasks.spawn(async move {
            let _ = future.await;
            drop(listed);
        });
        live.calls().begun(&id, key, abort);
    }
}

/// Keeps something that runs in the list of its session until it is dropped, at its end or with its runtime.
struct Listed {
    active: Active,
    id: InFlightId,
    key: RequestKey,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.active.live().calls().finished(&self.id, self.key);
    }
}

fn still_running() -> ErrorObject {
    ErrorObject::invalid_request("a request with this id is still running")
}

/// What the node that asked has to know.
pub(crate) fn letter(live: &LocalSession, answer: &RawResponse) -> Letter {
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
            text.extend_from_slice(&serde_json::to_vec(&error.clone().into_error_object()).unwrap_or_default());
        }
    }
    text.push(b'}');
    let message = String::from_utf8_lossy(&text).into_owned();
    Letter { session: live.id.to_text(), message, headers: Vec::new() }
}

/// A request under way.
struct Call<'a> {
    key: RequestKey,
    id: RawId,
    revision: Revision,
    opens: bool,
    operation: Operation,
    exchange: &'a Arc<Exchange>,
}

impl Call<'_> {
    /// Answers the request.
    fn finish(&self, reply: Reply, identity: Option<&[u8]>) {
        let code = reply.as_ref().err().map(|error| error.code);
        if self.opens && code.is_some() {
            self.exchange.live().reopen();
        }
        self.operation.end(&reply);
        self.exchange.answer(self.key, code, |out| write_reply(out, &self.id, reply, self.revision, identity));
    }
}

/// Answers a request with an error before anyone has worked on it.
fn refuse(exchange: &Exchange, key: RequestKey, id: Option<&RawId>, error: &ErrorObject) {
    exchange.answer(key, Some(error.code), |out| write_error(out, id, error, exchange.live().revision()));
}
