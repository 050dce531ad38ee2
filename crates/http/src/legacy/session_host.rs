//! The sessions of this process, and the work on their requests and notifications.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use jackfield_peer::{
    ActiveRequest, Background, CallLimits, Cancellation, Guarded, Handler, Incoming, Reply, RequestKey, ResolvedCaller,
    Work, check_batch_entry, received, write_error,
};
use jackfield_protocol::envelope::{Message, MethodName, RawId, RawNotification, RawResponse, Rejected, Request};
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, Method, Revision};

use super::exchange::Exchange;
use crate::HttpLimits;
use crate::nodes::{Letter, What};
use crate::request::Accepts;
use crate::session::{Active, Closing, LocalSession, Sessions, Shared};
use crate::telemetry::HttpOrigin;

/// The sessions of this process, whichever transport they came by, and what serves their requests.
pub(crate) struct SessionHost {
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) sessions: Sessions,
    /// Calls, which outlive the connections that they came by.
    tasks: Background,
    swept: AtomicU64,
}

/// How often idle sessions are checked for.
pub(crate) const SWEEP: Duration = Duration::from_secs(5);

impl SessionHost {
    pub(crate) fn new(handler: Arc<dyn Handler>, shared: Arc<Shared>) -> Arc<Self> {
        let (sessions, tasks) = (Sessions::default(), Background::default());
        Arc::new(Self { handler, shared, sessions, tasks, swept: AtomicU64::new(0) })
    }

    pub(crate) fn limits(&self) -> &HttpLimits {
        &self.shared.limits
    }

    pub(crate) fn calls(&self) -> &CallLimits {
        &self.shared.calls
    }

    /// Ends sessions that have been idle for too long, if nobody has looked for a while.
    pub(super) fn sweep_sometimes(&self, now: u64) {
        let last = self.swept.load(Ordering::Relaxed);
        let due = Duration::from_millis(now.saturating_sub(last)) >= SWEEP;
        if due && self.swept.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            self.sweep();
        }
    }

    pub(crate) fn sweep(&self) {
        for id in self.sessions.sweep(self.shared.now()) {
            tracing::debug!(session = ?id, "an idle session ended");
        }
    }

    /// Waits for calls that go on without a connection, then ends all sessions.
    pub(crate) async fn shut_down(&self, limit: Duration) {
        self.tasks.drain(limit).await;
        self.sessions.clear();
    }

    /// Begins the work on all messages of a batch. Returns whether notifications were dropped, and there is no answer to say so beside.
    pub(crate) fn start_batch(&self, exchange: &Arc<Exchange>, entries: &[Bytes], parts: &Arc<Parts>) -> bool {
        let live = exchange.live();
        let (mut drops, mut answers) = (false, false);
        for entry in entries {
            match received(Message::read(entry, 0)) {
                Ok(Message::Request(request)) => {
                    answers = true;
                    let key = self.shared.next_key();
                    exchange.expect(key, Some(&request.id));
                    self.start(exchange, key, request, parts.clone(), true);
                }
                Ok(Message::Notification(incident)) => drops |= !self.notice(live, incident, parts),
                Ok(Message::Answer(answer)) => self.answered(live, answer),
                Ok(Message::Batch(_)) => {
                    answers = true;
                    let error = ErrorObject::invalid_request("a batch must not hold another");
                    self.refuse(exchange, None, &error);
                }
                Err(Rejected { about, error }) => {
                    answers = true;
                    self.refuse(exchange, about.asked(), &error);
                }
            }
        }
        exchange.filled();
        drops && !answers
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
        let checked = self.check(exchange, &request, in_batch);
        let from = match checked.and_then(|()| exchange.live().resolve(&request.method, &request.params)) {
            Ok(from) => from,
            Err(error) => return refuse(exchange, key, Some(&request.id), &error),
        };
        let (active, work) = self.begin(exchange, key, request, from, Some(parts));
        match work {
            Work::Ready(reply) => finish(&active, exchange, reply, &*self.handler),
            Work::Pending(work) => self.go_on(active, exchange, work),
        }
    }

    #[inline]
    fn begin(
        &self,
        exchange: &Arc<Exchange>,
        key: RequestKey,
        request: Request,
        from: ResolvedCaller,
        parts: Option<Arc<Parts>>,
    ) -> (ActiveRequest, Work) {
        let headers = parts.as_ref().map(|parts| &parts.headers);
        let origin = HttpOrigin { session: Some(exchange.live().id), headers };
        let active = ActiveRequest::new(key, &request, from.caller.revision, &origin);
        let mut incoming = Incoming::request(key, request, from, exchange.clone());
        if let Some(parts) = parts {
            incoming.extensions.insert_shared(parts);
        }
        let work = active.begin(&*self.handler, incoming, self.calls().request_timeout);
        (active, work)
    }

    /// Serves the `initialize` that opens a session. Returns the text of the answer, and the code of the error if it is one.
    pub(crate) async fn initialize(
        &self,
        live: &Arc<LocalSession>,
        request: Request,
        parts: Option<Arc<Parts>>,
    ) -> (Vec<u8>, Option<i64>) {
        let mut text = Vec::with_capacity(512);
        let from = match live.resolve(&request.method, &request.params) {
            Ok(from) => from,
            Err(error) => {
                write_error(&mut text, Some(&request.id), &error, Revision::LATEST_WITH_HANDSHAKE);
                return (text, Some(error.code));
            }
        };
        // Messages before the answer have nowhere to go: the client does not know its session yet.
        let exchange = Exchange::new(live.clone(), Accepts::Json, false);
        let key = self.shared.next_key();
        exchange.expect(key, None);
        let (active, work) = self.begin(&exchange, key, request, from, parts);
        let reply = work.reply().await;
        let failed = reply.as_ref().err().map(|error| error.code);
        active.answer(reply, &*self.handler)(&mut text);
        (text, failed)
    }

    /// Refuses a request that comes at the wrong place or at the wrong time.
    fn check(&self, exchange: &Exchange, request: &Request, in_batch: bool) -> Result<(), ErrorObject> {
        if in_batch {
            check_batch_entry(&request.method, exchange.held_beside(), self.limits().queued_bytes)?;
        }
        if !exchange.live().is_in_use() {
            return Ok(());
        }
        exchange.live().calls().running.check_request(&request.id, self.calls().requests_in_flight)
    }

    fn go_on(&self, request: ActiveRequest, exchange: &Arc<Exchange>, work: Guarded) {
        let Some(id) = request.id.decode() else { return };
        let (live, key) = (exchange.live(), request.key);
        let listed = Listed { active: live.active(), key };
        // It is in the list before it begins, because it takes itself out. It begins without the lock, because a runtime that has ended drops
        // it at once, and what it holds may look at the list.
        let mut calls = live.calls();
        if let Some(closing) = calls.closed() {
            drop(calls);
            return self.give_up(&request, exchange, closing);
        }
        // Another may have begun while this one was polled for the first time.
        if let Err(error) = calls.running.insert(key, Some(id), None, Some(exchange.clone())) {
            drop(calls);
            return finish(&request, exchange, Err(error), &*self.handler);
        }
        drop(calls);
        let (handler, answered) = (self.handler.clone(), exchange.clone());
        let abort = self.tasks.spawn(async move {
            let reply = work.await;
            drop(listed);
            finish(&request, &answered, reply, &*handler);
        });
        live.calls().running.started(key, abort);
    }

    /// Ends a request whose session has come to its end while its handler ran for the first time.
    fn give_up(&self, request: &ActiveRequest, exchange: &Exchange, closing: Closing) {
        match closing {
            Closing::Ended => exchange.close(),
            Closing::Left => {
                let error = ErrorObject::new(code::UNAVAILABLE, "the session is not served here any more; try again");
                finish(request, exchange, Err(error), &*self.handler);
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
        let Some(from) = live.resolve_notification(&incident) else { return true };
        let most = self.calls().requests_in_flight;
        if live.is_in_use() && !live.calls().running.has_room_for_notification(&incident.method, most) {
            return false;
        }
        let mut incoming = Incoming::notification(incident, from, live.outlet().clone());
        incoming.extensions.insert_shared(parts.clone());
        if let Work::Pending(work) = Work::on_notification(&*self.handler, incoming, self.calls().request_timeout) {
            self.go_on_noticing(live, work);
        }
        true
    }

    /// Drops the work on a request, wherever it runs.
    fn cancel(&self, live: &LocalSession, cancellation: Cancellation) {
        let shared = self.shared.node.as_ref().filter(|_| live.is_replicated());
        if live.cancel(&cancellation.request) {
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

    fn go_on_noticing(&self, live: &Arc<LocalSession>, work: Guarded) {
        let key = self.shared.next_key();
        let listed = Listed { active: live.active(), key };
        let mut calls = live.calls();
        // A notification has no id that could be taken.
        if calls.closed().is_some() || calls.running.insert(key, None, None, None).is_err() {
            drop(calls);
            return;
        }
        drop(calls);
        let abort = self.tasks.spawn(async move {
            let _ = work.await;
            drop(listed);
        });
        live.calls().running.started(key, abort);
    }
}

/// Keeps something that runs in the list of its session until it is dropped, at its end or with its runtime.
struct Listed {
    active: Active,
    key: RequestKey,
}

impl Drop for Listed {
    fn drop(&mut self) {
        // What was taken out is dropped when the list is free again.
        let _ended = self.active.live().calls().running.remove(self.key);
    }
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

/// Answers a request.
fn finish(request: &ActiveRequest, exchange: &Exchange, reply: Reply, handler: &dyn Handler) {
    let code = reply.as_ref().err().map(|error| error.code);
    if request.opens_session && code.is_some() {
        exchange.live().reopen();
    }
    exchange.answer(request.key, code, request.answer(reply, handler));
}

/// Answers a request with an error before anyone has worked on it.
fn refuse(exchange: &Exchange, key: RequestKey, id: Option<&RawId>, error: &ErrorObject) {
    exchange.answer(key, Some(error.code), |out| write_error(out, id, error, exchange.live().revision()));
}
