//! One POST of the legacy era: its requests, their messages, and their answers.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use jackfield_peer::{AskError, Closed, Outlet, RequestKey, Shutdown, write_error};
use jackfield_protocol::ErrorObject;
use jackfield_protocol::envelope::RawId;
use jackfield_protocol::error::code;
use tokio::sync::Notify;

use crate::events::Stream;
use crate::request::Accepts;
use crate::response::{respond, written};
use crate::session::{Closing, LocalSession, Transport};

/// One POST of the legacy era: it collects the answers of its requests, and carries the messages of their handlers.
///
/// As long as there are only answers, they go back as JSON. The first message makes it a stream, which the client can leave
/// and come back to.
#[derive(Debug)]
pub(crate) struct Exchange {
    live: Arc<LocalSession>,
    accepts: Accepts,
    batch: bool,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// The requests that have not been answered.
    open: Open,
    /// The ids of all requests, where other nodes have to know them.
    requests: Vec<(RequestKey, RawId)>,
    /// More requests may still be added.
    filling: bool,
    answers: Vec<u8>,
    /// How much of them counts as held by the session.
    held: usize,
    /// The error code of the only answer.
    code: Option<i64>,
    stream: Option<Arc<Stream>>,
    /// The session has ended.
    closed: bool,
    /// Somebody found that it is not clear yet how to answer, and waits.
    awaited: bool,
}

/// Requests that have not been answered. Mostly there is one, which needs no allocation.
#[derive(Debug, Default)]
struct Open {
    first: Option<RequestKey>,
    more: Vec<RequestKey>,
}

impl Open {
    fn push(&mut self, key: RequestKey) {
        match self.first {
            None => self.first = Some(key),
            Some(_) => self.more.push(key),
        }
    }

    /// Takes a request out; returns whether it was there.
    fn remove(&mut self, key: RequestKey) -> bool {
        if self.first == Some(key) {
            self.first = None;
            return true;
        }
        let place = self.more.iter().position(|open| *open == key);
        place.is_some_and(|at| self.more.swap_remove(at) == key)
    }

    fn contains(&self, key: RequestKey) -> bool {
        self.first == Some(key) || self.more.contains(&key)
    }

    fn is_empty(&self) -> bool {
        self.first.is_none() && self.more.is_empty()
    }
}

/// How a POST is answered.
#[derive(Debug)]
pub(crate) enum Answered {
    /// With one JSON text.
    Json(StatusCode, Vec<u8>),
    /// With a stream.
    Events(Arc<Stream>),
    /// With nothing: all its requests were cancelled.
    Nothing,
    /// Not at all: the session has come to its end here.
    Closed(Closing),
}

impl Exchange {
    /// One that is filled with requests before it is answered.
    pub(crate) fn new(live: Arc<LocalSession>, accepts: Accepts, batch: bool) -> Arc<Self> {
        Self::with(live, accepts, batch, State { filling: true, ..State::default() })
    }

    /// One with a single request.
    pub(crate) fn single(live: Arc<LocalSession>, accepts: Accepts, key: RequestKey, id: &RawId) -> Arc<Self> {
        let open = Open { first: Some(key), more: Vec::new() };
        let requests = if live.is_replicated() { vec![(key, id.clone())] } else { Vec::new() };
        Self::with(live, accepts, false, State { open, requests, ..State::default() })
    }

    fn with(live: Arc<LocalSession>, accepts: Accepts, batch: bool, state: State) -> Arc<Self> {
        Arc::new(Self { live, accepts, batch, state: Mutex::new(state), changed: Notify::new() })
    }

    /// Returns the session.
    pub(crate) fn live(&self) -> &Arc<LocalSession> {
        &self.live
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request that will be answered.
    pub(crate) fn expect(&self, key: RequestKey, id: Option<&RawId>) {
        let mut state = self.state();
        state.open.push(key);
        if let Some(id) = id.filter(|_| self.live.is_replicated()) {
            state.requests.push((key, id.clone()));
            if let Some(stream) = &state.stream {
                stream.expect(&state.ids());
            }
        }
    }

    /// Answers a request, unless it was cancelled. `code` is the error's, if it is one.
    pub(crate) fn answer(&self, key: RequestKey, code: Option<i64>, write: impl FnOnce(&mut Vec<u8>)) {
        let mut state = self.state();
        if !state.open.remove(key) {
            return;
        }
        state.code = code;
        match state.stream.clone() {
            Some(stream) => {
                let mut text = Vec::new();
                write(&mut text);
                match state.requests.iter().find(|(known, _)| *known == key) {
                    Some((_, id)) => stream.answer(id, text),
                    None => stream.append(text),
                }
            }
            None => self.write_answer(&mut state, write),
        }
        self.settle(state);
    }

    /// Notes that a request will not be answered.
    pub(crate) fn cancelled(&self, key: RequestKey) {
        let mut state = self.state();
        state.open.remove(key);
        self.settle(state);
    }

    /// Notes that no more requests will be added.
    pub(crate) fn filled(&self) {
        let mut state = self.state();
        state.filling = false;
        self.settle(state);
    }

    /// Ends the exchange, because its session has ended.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.open = Open::default();
        state.closed = true;
        self.settle(state);
    }

    /// Ends the exchange in this process, because the node leaves the session to others. Whoever reads its stream is told there that
    /// the node has stopped, unless the answer came before.
    pub(crate) fn leave(&self) {
        let mut state = self.state();
        state.closed = true;
        let open = std::mem::take(&mut state.open);
        if state.stream.is_none() {
            let error = ErrorObject::new(code::UNAVAILABLE, "the server is stopping; try again");
            let requests = std::mem::take(&mut state.requests);
            for (_, id) in requests.iter().filter(|(key, _)| open.contains(*key)) {
                state.code = Some(error.code);
                self.write_answer(&mut state, |out| write_error(out, Some(id), &error, self.live.revision()));
            }
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Adds an answer to those that go back as JSON.
    fn write_answer(&self, state: &mut State, write: impl FnOnce(&mut Vec<u8>)) {
        if !self.batch {
            state.answers = written(write);
            return;
        }
        let separator = if state.answers.is_empty() { b'[' } else { b',' };
        state.answers.push(separator);
        let before = state.answers.len();
        write(&mut state.answers);
        let more = state.answers.len().saturating_sub(before);
        self.live.held.fetch_add(more, Ordering::Relaxed);
        state.held = state.held.saturating_add(more);
    }

    /// Whether it is a batch beside others that hold back so many bytes of answers.
    pub(crate) fn is_one_too_many(&self, limit: usize) -> bool {
        self.batch && self.live.held.load(Ordering::Relaxed).saturating_sub(self.state().held) >= limit
    }

    fn settle(&self, mut state: MutexGuard<'_, State>) {
        if state.filling || !state.open.is_empty() {
            return;
        }
        if self.live.transport == Transport::HttpSse {
            let answers = self.take_answers(&mut state);
            // A client that does not read loses its session, because it cannot come back for the rest.
            if !answers.is_empty() && self.live.standalone().try_append(answers).is_err() {
                drop(state);
                return self.live.end();
            }
        } else if let Some(stream) = &state.stream {
            stream.finish();
        }
        let awaited = state.awaited;
        drop(state);
        if awaited {
            self.changed.notify_one();
        }
    }

    fn take_answers(&self, state: &mut State) -> Vec<u8> {
        self.live.release(std::mem::take(&mut state.held));
        let mut answers = std::mem::take(&mut state.answers);
        if self.batch && !answers.is_empty() {
            answers.push(b']');
        }
        answers
    }

    /// Waits until it is clear how to answer. An answer that takes longer than `patience` becomes a stream, so that proxies
    /// do not give up, and the client can come back for it.
    pub(crate) async fn answered(&self, patience: Duration) -> Answered {
        if let Some(answered) = self.answered_at_once() {
            return answered;
        }
        let patience = tokio::time::sleep(patience);
        tokio::pin!(patience);
        let mut is_patient = self.accepts != Accepts::Json;
        loop {
            tokio::select! {
                () = self.changed.notified() => {}
                // A session that ends at the same time opens no stream, and says so.
                () = &mut patience, if is_patient => {
                    is_patient = false;
                    self.open_stream();
                }
            }
            if let Some(answered) = self.decided() {
                return answered;
            }
        }
    }

    /// Returns the answer if it is clear already.
    pub(crate) fn answered_at_once(&self) -> Option<Answered> {
        if self.accepts == Accepts::Events {
            self.open_stream();
        }
        self.decided()
    }

    fn decided(&self) -> Option<Answered> {
        let mut state = self.state();
        if let Some(stream) = &state.stream {
            return Some(Answered::Events(stream.clone()));
        }
        if state.filling || !state.open.is_empty() {
            state.awaited = true;
            return None;
        }
        // There was no stream any more for a client that takes nothing else.
        if state.closed && (state.answers.is_empty() || self.accepts == Accepts::Events) {
            self.take_answers(&mut state);
            return Some(Answered::Closed(self.live.calls().closed().unwrap_or(Closing::Ended)));
        }
        let status = match state.code {
            Some(code) if !self.batch => respond::legacy_status(code),
            _ => StatusCode::OK,
        };
        let answers = self.take_answers(&mut state);
        Some(if answers.is_empty() { Answered::Nothing } else { Answered::Json(status, answers) })
    }

    /// Returns the stream, which is opened now if it was not; `None` if the client takes none or all is over.
    fn open_stream(&self) -> Option<Arc<Stream>> {
        if self.live.transport == Transport::HttpSse {
            return Some(self.live.standalone().clone());
        }
        let mut state = self.state();
        if let Some(stream) = &state.stream {
            return Some(stream.clone());
        }
        let over = !state.filling && state.open.is_empty();
        if self.accepts == Accepts::Json || (over && self.accepts != Accepts::Events) {
            return None;
        }
        let Some(stream) = self.live.open_stream(&state.ids()) else {
            state.closed = true;
            return None;
        };
        // Answers of a batch that came before the first message go first.
        let answers = self.take_answers(&mut state);
        if !answers.is_empty() {
            stream.append(answers);
        }
        if over {
            stream.finish();
        }
        state.stream = Some(stream.clone());
        drop(state);
        self.changed.notify_one();
        Some(stream)
    }

    /// Where a message about a request goes; `None` if it is for nobody.
    fn stream_about(&self, key: RequestKey) -> Option<Arc<Stream>> {
        let is_open = self.state().open.contains(key);
        if is_open { self.open_stream() } else { None }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        // Nobody may have come for the answers.
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.live.release(state.held);
    }
}

impl State {
    fn ids(&self) -> Vec<RawId> {
        self.requests.iter().map(|(_, id)| id.clone()).collect()
    }
}

impl Outlet for Exchange {
    fn notify(
        &self,
        about: Option<RequestKey>,
        message: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<(), Closed>> + Send + '_>> {
        let Some(key) = about else { return self.live.outlet().notify(None, message) };
        Box::pin(async move {
            if let Some(stream) = self.stream_about(key) {
                stream.append_when_room(message).await?;
            }
            if self.state().closed { Err(Closed) } else { Ok(()) }
        })
    }

    fn try_notify(&self, about: Option<RequestKey>, message: Vec<u8>) -> bool {
        let Some(key) = about else { return self.live.outlet().try_notify(None, message) };
        self.stream_about(key).is_some_and(|stream| stream.try_append(message).is_ok())
    }

    fn ask<'a>(
        &'a self,
        method: &'static str,
        params: Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<Bytes, AskError>> + Send + 'a>> {
        Box::pin(async move {
            let stream = self.open_stream().ok_or(AskError::Closed)?;
            self.live.ask(&stream, method, &params).await
        })
    }

    fn shutdown(&self) -> Shutdown {
        self.live.shared.shutdown.clone()
    }

    fn release(&self, retry: Duration) -> bool {
        if self.live.transport == Transport::HttpSse || !self.live.revision().has_polling() {
            return false;
        }
        let Some(stream) = self.open_stream() else { return false };
        stream.release_when_read(retry);
        true
    }
}
