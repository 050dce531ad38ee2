//! What a connection does with each message, without any I/O.

use std::sync::Arc;

use bytes::Bytes;
use jackfield_protocol::envelope::{
    About, Memo, Message, MethodName, RawId, RawNotification, RawResponse, Rejected, Request,
};
use jackfield_protocol::{ErrorObject, Method, Revision};
use tokio::task::{JoinError, JoinSet};

use super::batches::{BatchKey, Batches};
use super::lines::Line;
use super::output::Output;
use super::stream_outlet::{Place, Queued, StreamOutlet};
use crate::call::{
    ActiveRequest, Cancellation, Guarded, Origin, Running, Work, check_batch_entry, received, write_error,
};
use crate::tape::{Recorder, Side};
use crate::{CallLimits, CallerResolver, Handler, Incoming, Outlet, Reply, RequestKey, StreamLimits};

/// The state of one connection: who is calling, what runs, and what waits to be written.
pub(crate) struct StreamDispatch {
    handler: Arc<dyn Handler>,
    limits: StreamLimits,
    calls: CallLimits,
    resolver: CallerResolver,
    meta: Memo,
    questions: Arc<StreamOutlet>,
    outlet: Arc<dyn Outlet>,
    /// A notification has nothing to be answered with.
    running: Running<Option<InFlight>>,
    next_key: u64,
    batches: Batches,
    /// Messages that have to follow the answer to a request.
    held: Vec<(RequestKey, Vec<u8>)>,
    pub(crate) tasks: JoinSet<Finished>,
    pub(crate) output: Output,
    recorder: Option<Recorder>,
}

/// A request whose handler was not ready at once.
struct InFlight {
    request: ActiveRequest,
    batch: Option<BatchKey>,
}

/// Where the requests of a byte stream come from.
struct ByteStreamOrigin;

impl Origin for ByteStreamOrigin {
    fn transport(&self) -> &'static str {
        "pipe"
    }
}

/// What the task of a request ends with.
pub(crate) struct Finished {
    key: RequestKey,
    reply: Reply,
}

impl StreamDispatch {
    pub(crate) fn new(
        handler: Arc<dyn Handler>,
        limits: StreamLimits,
        calls: CallLimits,
        resolver: CallerResolver,
        outlet: Arc<StreamOutlet>,
        recorder: Option<Recorder>,
    ) -> Self {
        Self {
            handler,
            limits,
            calls,
            resolver,
            meta: Memo::default(),
            questions: outlet.clone(),
            outlet,
            running: Running::default(),
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
                let rejected = Rejected { about, error: ErrorObject::invalid_request(message) };
                match received(Err(rejected)) {
                    Ok(Message::Answer(answer)) => self.questions.questions.answer(answer),
                    Ok(_) => {}
                    Err(Rejected { about, error }) => self.refuse(about.asked(), &error, None),
                }
            }
        }
    }

    fn text(&mut self, text: &Bytes, batch: Option<BatchKey>, queue: &mut impl FnMut() -> Option<Queued>) {
        match received(Message::read_with(text, self.calls.batch_entries, &mut self.meta)) {
            Ok(Message::Request(request)) => self.request(request, batch, queue),
            Ok(Message::Notification(incident)) => self.notification(incident),
            Ok(Message::Answer(answer)) => self.questions.questions.answer(answer),
            Ok(Message::Batch(entries)) if batch.is_none() && self.has_batches() => self.batch(&entries, queue),
            Ok(Message::Batch(_)) => {
                let error = ErrorObject::invalid_request("batches are not part of this protocol version");
                self.refuse(None, &error, batch);
            }
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
        if let Err(error) = self.check(&request, batch) {
            return self.refuse(Some(&request.id), &error, batch);
        }
        let from = match self.resolver.request(&request.method, &request.params, &self.outlet) {
            Ok(from) => from,
            Err(error) => return self.refuse(Some(&request.id), &error, batch),
        };
        let key = self.next_key();
        let active = ActiveRequest::new(key, &request, from.caller.revision, &ByteStreamOrigin);
        let incoming = Incoming::request(key, request, from, self.outlet.clone());
        match active.begin(&*self.handler, incoming, self.calls.request_timeout) {
            Work::Ready(reply) => {
                while let Some(queued) = queue() {
                    self.message(queued, Some(key));
                }
                self.finish(&active, reply, batch);
                self.let_go(key);
            }
            Work::Pending(work) => {
                if let Some(batch) = batch {
                    self.batches.expect(batch);
                }
                self.spawn(key, work, Some(InFlight { request: active, batch }));
            }
        }
    }

    /// Refuses a request that comes at the wrong place or at the wrong time.
    fn check(&self, request: &Request, batch: Option<BatchKey>) -> Result<(), ErrorObject> {
        if let Some(batch) = batch {
            check_batch_entry(&request.method, self.batches.held_beside(batch), self.limits.queued_bytes)?;
        }
        self.running.check_request(&request.id, self.calls.requests_in_flight)
    }

    fn next_key(&mut self) -> RequestKey {
        let key = RequestKey(self.next_key);
        self.next_key = self.next_key.wrapping_add(1);
        key
    }

    fn spawn(&mut self, key: RequestKey, work: Guarded, request: Option<InFlight>) {
        let id = request.as_ref().and_then(|request| request.request.id.decode());
        let abort = self.tasks.spawn(async move { Finished { key, reply: work.await } });
        // Its id was free a moment ago, and nothing else has happened since.
        let _ = self.running.insert(key, id, Some(abort), request);
    }

    fn notification(&mut self, incident: RawNotification) {
        if incident.method == MethodName::Known(Method::Cancelled) {
            return self.cancel(&incident);
        }
        let Some(from) = self.resolver.notification(&incident) else {
            return tracing::debug!(method = incident.method.as_str(), "a notification came before the handshake");
        };
        if !self.running.has_room_for_notification(&incident.method, self.calls.requests_in_flight) {
            return;
        }
        let incoming = Incoming::notification(incident, from, self.outlet.clone());
        if let Work::Pending(work) = Work::on_notification(&*self.handler, incoming, self.calls.request_timeout) {
            let key = self.next_key();
            self.spawn(key, work, None);
        }
    }

    /// Drops the work on a request. Its answer, and what its handler has still to say, is suppressed.
    fn cancel(&mut self, incident: &RawNotification) {
        // Unknown, finished and malformed ones are ignored, as the specification asks.
        let Some(cancellation) = Cancellation::read(&incident.params) else { return };
        let Some((key, running)) = self.running.remove_request(&cancellation.request) else { return };
        self.held.retain(|(held, _)| *held != key);
        cancellation.log();
        running.abort();
        self.settle(running.value.and_then(|request| request.batch));
    }

    /// Writes the answer of a task that ended.
    pub(crate) fn finished(&mut self, ended: Result<Finished, JoinError>, queue: &mut impl FnMut() -> Option<Queued>) {
        while let Some(queued) = queue() {
            self.message(queued, None);
        }
        // An error means that the task was cancelled; panics are caught inside.
        let Ok(Finished { key, reply }) = ended else { return };
        let Some(InFlight { request, batch }) = self.running.remove(key).and_then(|entry| entry.value) else { return };
        self.finish(&request, reply, batch);
        self.settle(batch);
        self.let_go(key);
    }

    fn finish(&mut self, request: &ActiveRequest, reply: Reply, batch: Option<BatchKey>) {
        if request.opens_session && reply.is_err() {
            self.resolver.close();
        }
        let handler = self.handler.clone();
        self.emit(batch, request.answer(reply, &*handler));
    }

    /// Writes a message of a handler at its place; what comes too late is thrown away. `current` is being answered now.
    pub(crate) fn message(&mut self, (place, text): Queued, current: Option<RequestKey>) {
        let runs = |key| current == Some(key) || self.running.contains(key);
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
