//! One POST of the legacy era: its requests, their messages, and their answers.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{Response, StatusCode};
use jackfield_peer::{AskError, Closed, Outlet, RequestKey, Shutdown, write_error};
use jackfield_protocol::ErrorObject;
use jackfield_protocol::envelope::RawId;
use jackfield_protocol::error::code;
use tokio::sync::Notify;

use super::answers::Answers;
use super::reading::read_stream;
use crate::Body;
use crate::events::Stream;
use crate::request::Accepts;
use crate::response::{HttpAnswer, respond};
use crate::session::{Closing, LocalSession, Transport};

/// One POST of the legacy era: it collects the answers of its requests, and carries the messages of their handlers.
#[derive(Debug)]
pub(crate) struct Exchange {
    live: Arc<LocalSession>,
    accepts: Accepts,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug)]
struct State {
    answers: Answers,
    delivery: Delivery,
    /// The ids of all requests, where other nodes have to know them.
    requests: Vec<(RequestKey, RawId)>,
    /// How many bytes of the answers count as held by the session.
    held: usize,
    /// The session has ended.
    closed: bool,
    /// Somebody found that it is not clear yet how to answer, and waits.
    awaited: bool,
}

/// Where answers go.
#[derive(Clone, Debug)]
enum Delivery {
    /// Back as JSON, as long as there is nothing else. The first message makes it a stream.
    Json,
    /// To a stream of their own, each when it is there. The client can leave it and come back.
    Stream(Arc<Stream>),
    /// To the only stream of the session, all together: HTTP+SSE.
    Standalone(Arc<Stream>),
}

impl Exchange {
    /// One that is filled with requests before it is answered.
    pub(crate) fn new(live: Arc<LocalSession>, accepts: Accepts, batch: bool) -> Arc<Self> {
        Self::with(live, accepts, Answers::filling(batch), Vec::new())
    }

    /// One with a single request.
    pub(crate) fn single(live: Arc<LocalSession>, accepts: Accepts, key: RequestKey, id: &RawId) -> Arc<Self> {
        let requests = if live.is_replicated() { vec![(key, id.clone())] } else { Vec::new() };
        Self::with(live, accepts, Answers::single(key), requests)
    }

    fn with(
        live: Arc<LocalSession>,
        accepts: Accepts,
        answers: Answers,
        requests: Vec<(RequestKey, RawId)>,
    ) -> Arc<Self> {
        let delivery = match live.transport {
            Transport::Streamable => Delivery::Json,
            Transport::HttpSse => Delivery::Standalone(live.standalone().clone()),
        };
        let state = State { answers, delivery, requests, held: 0, closed: false, awaited: false };
        Arc::new(Self { live, accepts, state: Mutex::new(state), changed: Notify::new() })
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
        state.answers.expect(key);
        if let Some(id) = id.filter(|_| self.live.is_replicated()) {
            state.requests.push((key, id.clone()));
            if let Delivery::Stream(stream) = &state.delivery {
                stream.expect(&state.ids());
            }
        }
    }

    /// Answers a request, unless it was cancelled. `code` is the error's, if it is one.
    pub(crate) fn answer(&self, key: RequestKey, code: Option<i64>, write: impl FnOnce(&mut Vec<u8>)) {
        let mut state = self.state();
        if !state.answers.remove(key) {
            return;
        }
        if let Delivery::Stream(stream) = &state.delivery {
            let mut text = Vec::new();
            write(&mut text);
            match state.requests.iter().find(|(known, _)| *known == key) {
                Some((_, id)) => stream.answer(id, text),
                None => stream.append(text),
            }
        } else {
            self.hold(&mut state, code, write);
        }
        self.settle(state);
    }

    /// Notes that a request will not be answered.
    pub(crate) fn cancelled(&self, key: RequestKey) {
        let mut state = self.state();
        state.answers.remove(key);
        self.settle(state);
    }

    /// Notes that no more requests will be added.
    pub(crate) fn filled(&self) {
        let mut state = self.state();
        state.answers.filled();
        self.settle(state);
    }

    /// Ends the exchange, because its session has ended.
    pub(crate) fn close(&self) {
        let mut state = self.state();
        state.answers.take_open();
        state.closed = true;
        self.settle(state);
    }

    /// Ends the exchange in this process, because the node leaves the session to others. Whoever reads its stream is told there that
    /// the node has stopped, unless the answer came before.
    pub(crate) fn leave(&self) {
        let mut state = self.state();
        state.closed = true;
        let open = state.answers.take_open();
        if matches!(state.delivery, Delivery::Json) {
            let error = ErrorObject::new(code::UNAVAILABLE, "the server is stopping; try again");
            let requests = std::mem::take(&mut state.requests);
            for (_, id) in requests.iter().filter(|(key, _)| open.contains(key)) {
                let write = |out: &mut Vec<u8>| write_error(out, Some(id), &error, self.live.revision());
                self.hold(&mut state, Some(error.code), write);
            }
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Keeps an answer until it goes back with the others.
    fn hold(&self, state: &mut State, code: Option<i64>, write: impl FnOnce(&mut Vec<u8>)) {
        let more = state.answers.write(code, write);
        if more > 0 {
            self.live.held.fetch_add(more, Ordering::Relaxed);
            state.held = state.held.saturating_add(more);
        }
    }

    /// Returns how many bytes of answers other batches of the session hold back.
    pub(crate) fn held_beside(&self) -> usize {
        self.live.held.load(Ordering::Relaxed).saturating_sub(self.state().held)
    }

    fn settle(&self, mut state: MutexGuard<'_, State>) {
        if !state.answers.are_complete() {
            return;
        }
        match state.delivery.clone() {
            Delivery::Json => {}
            Delivery::Stream(stream) => stream.finish(),
            Delivery::Standalone(stream) => {
                let refused = self.take_answers(&mut state).is_some_and(|answers| stream.try_append(answers).is_err());
                // A client that does not read loses its session, because it cannot come back for the rest.
                if refused {
                    drop(state);
                    self.live.end();
                }
                return;
            }
        }
        let awaited = state.awaited;
        drop(state);
        if awaited {
            self.changed.notify_one();
        }
    }

    fn take_answers(&self, state: &mut State) -> Option<Vec<u8>> {
        self.live.release(std::mem::take(&mut state.held));
        state.answers.take_text()
    }

    /// Waits until it is clear how to answer. An answer that takes longer than a stream may be silent becomes a stream, so that proxies do not
    /// give up, and the client can come back for it.
    pub(crate) async fn response(&self) -> Response<Body> {
        let patience = tokio::time::sleep(self.live.shared.limits.sse_keep_alive);
        tokio::pin!(patience);
        let mut is_patient = self.accepts != Accepts::Json;
        loop {
            if let Some(answer) = self.decided() {
                return answer.response().await;
            }
            tokio::select! {
                () = self.changed.notified() => {}
                // A session that ends at the same time opens no stream, and says so.
                () = &mut patience, if is_patient => {
                    is_patient = false;
                    self.open_stream();
                }
            }
        }
    }

    /// Returns the answer to the POST if it is clear already.
    pub(crate) fn answer_at_once(&self) -> Option<HttpAnswer> {
        if self.accepts == Accepts::Events {
            self.open_stream();
        }
        self.decided()
    }

    fn decided(&self) -> Option<HttpAnswer> {
        let mut state = self.state();
        if let Delivery::Stream(stream) = &state.delivery {
            let stream = stream.clone();
            drop(state);
            return Some(read_stream(&self.live, stream, None).into());
        }
        if !state.answers.are_complete() {
            state.awaited = true;
            return None;
        }
        // There was no stream any more for a client that takes nothing else.
        if state.closed && (state.answers.are_empty() || self.accepts == Accepts::Events) {
            self.take_answers(&mut state);
            return Some(match self.live.calls().closed() {
                Some(Closing::Left) => {
                    respond::unavailable(None, "the session is not served here any more; try again").into()
                }
                Some(Closing::Ended) | None => respond::session_over().into(),
            });
        }
        let status = state.answers.code().map_or(StatusCode::OK, respond::legacy_status);
        Some(match self.take_answers(&mut state) {
            Some(text) => HttpAnswer::Json(status, text.into()),
            // All requests were cancelled, or there were none.
            None => respond::empty(StatusCode::ACCEPTED).into(),
        })
    }

    /// Returns the stream, which is opened now if it was not; `None` if the client takes none or all is over.
    fn open_stream(&self) -> Option<Arc<Stream>> {
        let mut state = self.state();
        if let Delivery::Stream(stream) | Delivery::Standalone(stream) = &state.delivery {
            return Some(stream.clone());
        }
        let over = state.answers.are_complete();
        if self.accepts == Accepts::Json || (over && self.accepts != Accepts::Events) {
            return None;
        }
        let Some(stream) = self.live.open_stream(&state.ids()) else {
            state.closed = true;
            return None;
        };
        // Answers of a batch that came before the first message go first.
        if let Some(answers) = self.take_answers(&mut state) {
            stream.append(answers);
        }
        if over {
            stream.finish();
        }
        state.delivery = Delivery::Stream(stream.clone());
        drop(state);
        self.changed.notify_one();
        Some(stream)
    }

    /// Where a message about a request goes; `None` if it is for nobody.
    fn stream_about(&self, key: RequestKey) -> Option<Arc<Stream>> {
        let is_open = self.state().answers.is_open(key);
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
