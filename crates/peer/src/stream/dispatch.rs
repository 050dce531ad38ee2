//! What a connection does with each message, without any I/O.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use jackfield_protocol::envelope::{
    About, Memo, Message, MethodName, RawId, RawNotification, RawResponse, Rejected, Request,
};
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, Method, RequestId, Revision};
use tokio::task::{AbortHandle, JoinError, JoinSet};

use super::lines::Line;
use super::output::{Output, write_error, write_reply};
use super::stream_outlet::{Place, Queued, StreamOutlet};
use crate::call::{self, BatchKey, Batches, Guarded};
use crate::tape::{Recorder, Side};
use crate::{Answering, CallerResolver, Cancellation, Handler, Incoming, Limits, Outlet, Reply, RequestKey};

/// The state of one connection: who is admitted, what runs, and what waits to be written.
pub(crate) struct StreamDispatch {
    handler: Arc<dyn Handler>,
    limits: Limits,
    resolver: CallerResolver,
    meta: Memo,
    questions: Arc<StreamOutlet>,
    outlet: Arc<dyn Outlet>,
    running: HashMap<RequestKey, Running>,
    keys: HashMap<RequestId, RequestKey>,
    next_key: u64,
    batches: Batches,
    /// Messages that have to follow the answer to a request.
    held: Vec<(RequestKey, Vec<u8>)>,
    pub(crate) tasks: JoinSet<Finished>,
    pub(crate) output: Output,
    recorder: Option<Recorder>,
}

/// A request whose handler was not ready at once.
struct Running {
    id: RawId,
    decoded: RequestId,
    revision: Revision,
    batch: Option<BatchKey>,
    abort: AbortHandle,
    opens_session: bool,
}

/// What the task of a request ends with.
pub(crate) struct Finished {
    key: RequestKey,
    reply: Reply,
}

impl StreamDispatch {
    pub(crate) fn new(
        handler: Arc<dyn Handler>,
        limits: Limits,
        resolver: CallerResolver,
        outlet: Arc<StreamOutlet>,
        recorder: Option<Recorder>,
    ) -> Self {
        Self {
            handler,
            limits,
            resolver,
            meta: Memo::default(),
            questions: outlet.clone(),
            outlet,
            running: HashMap::new(),
            keys: HashMap::new(),
            next_key: 0,
            batches: Batches::default(),
            held: Vec::new(),
            tasks: JoinSet::new(),
            output: Output::default(),
            recorder,
        }
    }

    /// Serves one line.
    pub(crate) fn line(&mut self, line: Line, queue: &mut impl FnMut() -> Option<Queued>) {
        match line {
            Line::Whole(text) => {
                if text.iter().any(|byte| !byte.is_ascii_whitespace()) {
                    self.heard(&text);
                    self.text(&text, None, queue);
                }
            }
            Line::TooLong(start) => {
                self.heard(&start);
                let about = match Message::read(&start, 1) {
                    Ok(Message::Request(request)) => About::Request(request.id),
                    Ok(Message::Answer(RawResponse { id: Some(id), .. })) => About::Answer(id),
                    Ok(_) => About::Unknown,
                    Err(rejected) => rejected.about,
                };
                let message = format!("the message is longer than {} bytes", self.limits.line_bytes);
                self.rejected(Rejected { about, error: ErrorObject::invalid_request(message) }, None);
            }
        }
    }

    fn text(&mut self, text: &Bytes, batch: Option<BatchKey>, queue: &mut impl FnMut() -> Option<Queued>) {
        match Message::read_with(text, self.limits.batch_entries, &mut self.meta) {
            Ok(Message::Request(request)) => self.request(request, batch, queue),
            Ok(Message::Notification(incident)) => self.notification(incident),
            Ok(Message::Answer(answer)) => self.questions.questions.answer(answer),
            Ok(Message::Batch(entries)) if batch.is_none() && self.has_batches() => self.batch(&entries, queue),
            Ok(Message::Batch(_)) => {
                let error = ErrorObject::invalid_request("batches are not part of this protocol version");
                self.refuse(None, &error, batch);
            }
            Err(rejected) => self.rejected(rejected, batch),
        }
    }

    /// Answers what cannot be served with its error, and ends the wait for an answer that cannot be read.
    fn rejected(&mut self, rejected: Rejected, batch: Option<BatchKey>) {
        match rejected.into_answer() {
            Ok(answer) => self.questions.questions.answer(answer),
            Err(Rejected { about, error }) => self.refuse(about.asked(), &error, batch),
        }
    }

    fn batch(&mut self, entries: &[Bytes], queue: &mut impl FnMut() -> Option<Queued>) {
        let key = self.batches.begin();
        for entry in entries {
            self.text(entry, Some(key), queue);
        }
        self.settle(Some(key));
    }

    fn request(&mut self, request: Request, batch: Option<BatchKey>, queue: &mut impl FnMut() -> Option<Queued>) {
        let Request { id, method, params } = request;
        if let Err(error) = self.check_place(&id, &method, batch) {
            return self.refuse(Some(&id), &error, batch);
        }
        let admitted = match self.resolver.request(&method, &params, &self.outlet) {
            Ok(admitted) => admitted,
            Err(error) => return self.refuse(Some(&id), &error, batch),
        };
        let revision = admitted.caller.revision;
        let opens_session = method == MethodName::Known(Method::Initialize);
        let key = RequestKey(self.next_key);
        self.next_key = self.next_key.wrapping_add(1);
        let outlet = self.outlet.clone();
        let incoming =
            Incoming::new(Some(id.clone()), Some(key), method, params, admitted.caller, outlet, admitted.session);
        match begin(&*self.handler, incoming) {
            Begun::Ready(reply) => {
                while let Some(queued) = queue() {
                    self.message(queued, Some(key));
                }
                self.finish(&id, reply, revision, batch, opens_session);
                self.let_go(key);
            }
            Begun::Pending(future) => {
                let Some(decoded) = id.decode() else { return };
                let abort = self.spawn(key, future);
                self.keys.insert(decoded.clone(), key);
                self.running.insert(key, Running { id, decoded, revision, batch, abort, opens_session });
                if let Some(batch) = batch {
                    self.batches.expect(batch);
                }
            }
        }
    }

    /// Refuses requests that come at the wrong place, whoever sends them.
    fn check_place(&self, id: &RawId, method: &MethodName, batch: Option<BatchKey>) -> Result<(), ErrorObject> {
        if batch.is_some() && *method == MethodName::Known(Method::Initialize) {
            return Err(ErrorObject::invalid_request("initialize must not be part of a batch"));
        }
        if self.running.is_empty() {
            return Ok(());
        }
        if id.decode().is_some_and(|id| self.keys.contains_key(&id)) {
            return Err(ErrorObject::invalid_request("a request with this id is still running"));
        }
        if self.running.len() >= self.limits.requests_in_flight {
            let message = format!("more than {} requests are running", self.limits.requests_in_flight);
            return Err(ErrorObject::new(code::TOO_MANY_REQUESTS, message));
        }
        if batch.is_some_and(|batch| self.batches.held_beside(batch) >= self.limits.queued_bytes) {
            return Err(ErrorObject::new(code::TOO_MANY_REQUESTS, "too many answers wait for the rest of their batch"));
        }
        Ok(())
    }

    fn spawn(&mut self, key: RequestKey, future: Guarded) -> AbortHandle {
        let limit = self.limits.request_timeout;
        self.tasks.spawn(async move { Finished { key, reply: within(limit, future).await } })
    }

    fn notification(&mut self, incident: RawNotification) {
        if incident.method == MethodName::Known(Method::Cancelled) {
            return self.cancel(&incident);
        }
        let Some(admitted) = self.resolver.notification(&incident.params) else {
            return tracing::debug!(method = incident.method.as_str(), "a notification came before the handshake");
        };
        if let (MethodName::Known(Method::Initialized), Some(session)) = (&incident.method, &admitted.session) {
            session.set_ready();
        }
        // The tasks that are no requests are notifications. They have the same bound, and nobody who could be told of it.
        if self.tasks.len().saturating_sub(self.running.len()) >= self.limits.requests_in_flight {
            return tracing::debug!(method = incident.method.as_str(), "dropped: too many notifications are under way");
        }
        let RawNotification { method, params } = incident;
        let incoming =
            Incoming::new(None, None, method, params, admitted.caller, self.outlet.clone(), admitted.session);
        if let Begun::Pending(future) = begin(&*self.handler, incoming) {
            let key = RequestKey(self.next_key);
            self.next_key = self.next_key.wrapping_add(1);
            self.spawn(key, future);
        }
    }

    /// Drops the work on a request. Its answer, and what its handler has still to say, is suppressed.
    fn cancel(&mut self, incident: &RawNotification) {
        // Unknown, finished and malformed ones are ignored, as the specification asks.
        let Some(cancellation) = Cancellation::read(&incident.params) else { return };
        let key = self.keys.remove(&cancellation.request);
        let running = key.and_then(|key| self.running.remove(&key));
        let (Some(key), Some(running)) = (key, running) else { return };
        self.held.retain(|(held, _)| *held != key);
        cancellation.log();
        running.abort.abort();
        self.settle(running.batch);
    }

    /// Writes the answer of a task that ended.
    pub(crate) fn finished(&mut self, ended: Result<Finished, JoinError>, queue: &mut impl FnMut() -> Option<Queued>) {
        while let Some(queued) = queue() {
            self.message(queued, None);
        }
        // An error means that the task was cancelled; panics are caught inside.
        let Ok(Finished { key, reply }) = ended else { return };
        let Some(running) = self.running.remove(&key) else { return };
        self.keys.remove(&running.decoded);
        self.finish(&running.id, reply, running.revision, running.batch, running.opens_session);
        self.settle(running.batch);
        self.let_go(key);
    }

    fn finish(&mut self, id: &RawId, reply: Reply, revision: Revision, batch: Option<BatchKey>, opens_session: bool) {
        if opens_session && reply.is_err() {
            self.resolver.close();
        }
        let handler = self.handler.clone();
        self.emit(batch, |out| write_reply(out, id, reply, revision, handler.identity(revision)));
    }

    /// Writes a message of a handler at its place; what comes too late is thrown away. `current` is being answered now.
    pub(crate) fn message(&mut self, (place, text): Queued, current: Option<RequestKey>) {
        let runs = |key| current == Some(key) || self.running.contains_key(&key);
        match place {
            Place::Before(key) if !runs(key) => {}
            // Such messages may be lost, so that a request which is never answered cannot fill the memory with them.
            Place::After(key) if runs(key) && self.held.len() >= self.limits.queued_messages => {}
            Place::After(key) if runs(key) => self.held.push((key, text)),
            _ => self.write_line(|out| out.extend_from_slice(&text)),
        }
    }

    /// Writes what had to wait for the answer to a request.
    fn let_go(&mut self, key: RequestKey) {
        if self.held.is_empty() {
            return;
        }
        let mut held = std::mem::take(&mut self.held);
        for (_, text) in held.extract_if(.., |(held, _)| *held == key) {
            self.write_line(|out| out.extend_from_slice(&text));
        }
        self.held = held;
    }

    fn refuse(&mut self, id: Option<&RawId>, error: &ErrorObject, batch: Option<BatchKey>) {
        let revision = self.resolver.session().map_or(Revision::LATEST, |session| session.caller().revision);
        self.emit(batch, |out| write_error(out, id, error, revision));
    }

    fn emit(&mut self, batch: Option<BatchKey>, write: impl FnOnce(&mut Vec<u8>)) {
        match batch {
            Some(key) => self.batches.add(key, write),
            None => self.write_line(write),
        }
    }

    fn settle(&mut self, batch: Option<BatchKey>) {
        if let Some(text) = batch.and_then(|key| self.batches.settle(key)) {
            self.write_line(|out| out.extend_from_slice(&text));
        }
    }

    fn write_line(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let line = self.output.line(write);
        if let Some(recorder) = &self.recorder {
            recorder.record(Side::Server, line);
        }
    }

    fn heard(&self, text: &[u8]) {
        if let Some(recorder) = &self.recorder {
            recorder.record(Side::Client, text);
        }
    }

    fn has_batches(&self) -> bool {
        self.resolver.session().is_some_and(|session| session.caller().revision.has_batches())
    }

    /// Whether so much waits to be written that nothing more should be taken in.
    pub(crate) fn is_full(&self) -> bool {
        self.output.waiting().len() >= self.limits.queued_bytes
    }
}

#[expect(clippy::allow_attributes, reason = "how large depends on the features of serde_json")]
#[allow(clippy::large_enum_variant, reason = "one at a time, on the stack")]
enum Begun {
    Ready(Reply),
    Pending(Guarded),
}

/// Begins to answer, and polls once in place: most handlers are ready at once and need no task.
fn begin(handler: &dyn Handler, incoming: Incoming) -> Begun {
    match call::handle(handler, incoming) {
        Answering::Ready(reply) => Begun::Ready(reply),
        Answering::Later(future) => {
            let mut future = Guarded(future);
            // No wake-up is lost: a pending future becomes a task, which polls it again at once with its own waker.
            match Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(reply) => Begun::Ready(reply),
                Poll::Pending => Begun::Pending(future),
            }
        }
    }
}

async fn within(limit: Option<Duration>, future: Guarded) -> Reply {
    match limit {
        None => future.await,
        Some(limit) => tokio::time::timeout(limit, future)
            .await
            .unwrap_or_else(|_| Err(ErrorObject::internal("the request took too long and was ended"))),
    }
}
