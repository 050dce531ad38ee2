//! A session of this process.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use bytes::Bytes;
use jackfield_peer::{
    AskError, CallLimits, CallerResolver, Outlet, Principal, Questions, RequestKey, ResolvedCaller, Session, Shutdown,
};
use jackfield_protocol::envelope::{MethodName, Params, RawId, RawNotification, RawResponse};
use jackfield_protocol::{ErrorObject, RequestId, Revision};
use jackfield_store::EventLimits;
use tokio::time::Instant;

use super::SessionId;
use super::in_flight::{Closing, InFlight};
use super::outlet::SessionOutlet;
use super::usage::Usage;
use crate::HttpLimits;
use crate::events::{MemoryEventLog, Stream, StreamKey};
use crate::nodes::{Node, Replica, Sink};

/// What all sessions of an endpoint share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) limits: HttpLimits,
    pub(crate) calls: CallLimits,
    pub(crate) log: Arc<MemoryEventLog>,
    /// This process as one of several, if it shares a store with others.
    pub(crate) node: Option<Arc<Node>>,
    pub(crate) shutdown: Shutdown,
    /// How long a client waits before it comes back to a stream.
    pub(crate) retry: Duration,
    pub(crate) start: Instant,
    pub(crate) next_key: AtomicU64,
}

impl Shared {
    /// Returns the time in milliseconds.
    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns how long events are kept that nobody adds to.
    pub(crate) fn keep_events(&self) -> Duration {
        self.limits.kept_time.max(self.limits.session_idle)
    }

    /// Returns how much of a stream is kept where all nodes find it.
    pub(crate) fn event_limits(&self) -> EventLimits {
        EventLimits::new(self.limits.kept_events, self.limits.kept_bytes, self.keep_events())
    }

    pub(crate) fn next_key(&self) -> RequestKey {
        RequestKey(self.next_key.fetch_add(1, Ordering::Relaxed))
    }
}

/// Which transport a session came by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    Streamable,
    HttpSse,
}

/// A session of this process: who opened it, what runs in it, and its streams. It has no task of its own.
#[derive(Debug)]
pub(crate) struct LocalSession {
    pub(crate) id: SessionId,
    pub(crate) transport: Transport,
    pub(crate) principal: Option<Principal>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) questions: Questions,
    /// What is known of the session as one that other nodes serve too.
    pub(crate) replica: Option<Replica>,
    resolver: Mutex<CallerResolver>,
    outlet: Arc<dyn Outlet>,
    calls: Mutex<InFlight>,
    /// The stream of messages that belong to no request; made with the first of them.
    standalone: OnceLock<Arc<Stream>>,
    /// The streams of requests, oldest first.
    streams: Mutex<Vec<Arc<Stream>>>,
    usage: Usage,
    /// How many bytes of answers wait for the rest of their batch.
    pub(crate) held: AtomicUsize,
}

/// Keeps a session from being idle until it is dropped.
#[derive(Debug)]
pub(crate) struct Active(Arc<LocalSession>);

impl LocalSession {
    pub(crate) fn new(
        id: SessionId,
        transport: Transport,
        principal: Option<Principal>,
        revisions: &[Revision],
        shared: &Arc<Shared>,
        replica: Option<Replica>,
    ) -> Arc<Self> {
        let questions = Questions::new(shared.calls.questions_waiting, shared.calls.question_timeout);
        let questions = match replica.as_ref().and(shared.node.as_ref()) {
            Some(node) => questions.asked_by(node.name.clone()),
            None => questions,
        };
        let name = replica.as_ref().map(|replica| replica.name.clone());
        Arc::new_cyclic(|weak: &Weak<Self>| Self {
            id,
            transport,
            resolver: Mutex::new(CallerResolver::new(revisions, principal.clone())),
            principal,
            shared: shared.clone(),
            questions,
            outlet: Arc::new(SessionOutlet::new(weak.clone(), shared.shutdown.clone(), name)),
            replica,
            calls: Mutex::default(),
            standalone: OnceLock::new(),
            streams: Mutex::default(),
            usage: Usage::new(shared.now()),
            held: AtomicUsize::new(0),
        })
    }

    /// Finds out who sends a request; `initialize` opens the session.
    pub(crate) fn resolve(&self, method: &MethodName, params: &Params) -> Result<ResolvedCaller, ErrorObject> {
        self.resolver().request(method, params, &self.outlet)
    }

    pub(crate) fn resolve_notification(&self, notification: &RawNotification) -> Option<ResolvedCaller> {
        self.resolver().notification(notification)
    }

    fn resolver(&self) -> MutexGuard<'_, CallerResolver> {
        self.resolver.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what `initialize` opened.
    pub(crate) fn session(&self) -> Option<Arc<Session>> {
        self.resolver().session().cloned()
    }

    /// Forgets what `initialize` said, because it failed.
    pub(crate) fn reopen(&self) {
        self.resolver().close();
    }

    pub(crate) fn revision(&self) -> Revision {
        self.session().map_or(Revision::LATEST_WITH_HANDSHAKE, |session| session.caller().revision)
    }

    /// Returns where messages go that belong to no request.
    pub(crate) fn outlet(&self) -> &Arc<dyn Outlet> {
        &self.outlet
    }

    /// Notes that so many bytes of answers are not held back any more.
    pub(crate) fn release(&self, held: usize) {
        if held > 0 {
            self.held.fetch_sub(held, Ordering::Relaxed);
        }
    }

    /// Whether something may run in the session, or listen to it. Where nothing does, nobody need look at [`Self::calls`].
    pub(crate) fn is_in_use(&self) -> bool {
        self.usage.is_in_use()
    }

    pub(crate) fn calls(&self) -> MutexGuard<'_, InFlight> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the work on a request; says whether it runs here. Unknown, finished and malformed ones are ignored, as the specification
    /// asks.
    pub(crate) fn cancel(&self, id: &RequestId) -> bool {
        let removed = self.calls().running.remove_request(id);
        let Some((key, request)) = removed else { return false };
        request.abort();
        if let Some(exchange) = request.value {
            exchange.cancelled(key);
        }
        true
    }

    /// Asks the client on a stream, and waits for its answer.
    pub(crate) async fn ask(&self, stream: &Stream, method: &'static str, params: &[u8]) -> Result<Bytes, AskError> {
        let append = |message| stream.append(message);
        let send = |message| {
            append(message);
            std::future::ready(Ok(()))
        };
        self.questions.ask(method, params, send, &append).await
    }

    /// Returns the other node that asked what is answered, if one did.
    pub(crate) fn asked_elsewhere<'a>(&self, answer: &'a RawResponse) -> Option<&'a str> {
        // A client can write anything there; only what a node may be called is looked for.
        self.questions.asked_elsewhere(answer).filter(|node| Node::is_name(node))
    }

    /// Whether other nodes serve the session too.
    pub(crate) fn is_replicated(&self) -> bool {
        self.replica.is_some()
    }

    /// Returns the stream of messages that belong to no request.
    pub(crate) fn standalone(&self) -> &Arc<Stream> {
        self.standalone.get_or_init(|| Arc::new(self.make_standalone()))
    }

    fn make_standalone(&self) -> Stream {
        let (Some(node), Some(replica)) = (&self.shared.node, &self.replica) else {
            return Stream::new(self.new_key(), self.shared.log.clone(), &self.shared.limits);
        };
        let key = StreamKey { session: self.id, stream: replica.standalone };
        let limits = self.shared.event_limits();
        let sink = Sink::common(node, key, limits);
        Stream::shared(key, self.shared.log.clone(), &self.shared.limits, sink)
    }

    /// Returns that stream if a client has ever opened it.
    pub(crate) fn opened_standalone(&self) -> Option<&Arc<Stream>> {
        if let Some(replica) = &self.replica {
            return replica.listens.load(Ordering::Relaxed).then(|| self.standalone());
        }
        self.standalone.get().filter(|stream| stream.was_read())
    }

    /// Begins the stream of requests; none in a session that has come to its end. Streams that finished long ago make room.
    pub(crate) fn open_stream(&self, requests: &[RawId]) -> Option<Arc<Stream>> {
        let mut streams = self.streams();
        // Whoever ends the session says so first, and takes the streams afterwards.
        if self.calls().closed().is_some() {
            return None;
        }
        let stream = Arc::new(self.make_stream(requests));
        streams.push(stream.clone());
        let limits = &self.shared.limits;
        let kept = |streams: &[Arc<Stream>]| {
            let finished = streams.iter().filter_map(|stream| stream.finished());
            finished
                .fold((0usize, 0u64), |(count, all), (_, bytes)| (count.saturating_add(1), all.saturating_add(bytes)))
        };
        while let (count, bytes) = kept(&streams)
            && (count > limits.kept_streams || bytes > limits.kept_session_bytes as u64)
            && let Some(oldest) = oldest_unread(&streams)
        {
            streams.remove(oldest).remove();
        }
        Some(stream)
    }

    fn make_stream(&self, requests: &[RawId]) -> Stream {
        let (key, log) = (self.new_key(), &self.shared.log);
        // While the store is away, a stream is at home here only: better than none.
        let node = self.shared.node.as_ref().filter(|node| self.is_replicated() && node.is_up());
        let Some(node) = node else { return Stream::new(key, log.clone(), &self.shared.limits) };
        let limits = self.shared.event_limits();
        let sink = Sink::own(node, key, limits, log, requests);
        Stream::shared(key, log.clone(), &self.shared.limits, sink)
    }

    fn new_key(&self) -> StreamKey {
        let mut number = [0; 8];
        // Without random numbers no session could have been opened; then a mix of its id is as good.
        let random = match getrandom::fill(&mut number) {
            Ok(()) => u64::from_le_bytes(number),
            Err(_) => self.id.low_bits() ^ self.shared.next_key().0.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        };
        StreamKey { session: self.id, stream: random }
    }

    /// Has other nodes remember the streams that are not finished.
    pub(crate) fn renew_streams(&self) {
        for stream in self.streams().iter() {
            stream.renew();
        }
    }

    fn streams(&self) -> MutexGuard<'_, Vec<Arc<Stream>>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds a stream of the session by its number.
    pub(crate) fn stream(&self, number: u64) -> Option<Arc<Stream>> {
        let standalone = self.standalone.get().filter(|stream| stream.key.stream == number).cloned();
        standalone.or_else(|| self.streams().iter().find(|stream| stream.key.stream == number).cloned())
    }

    /// Forgets streams that finished long ago.
    pub(crate) fn sweep(&self) {
        let kept_time = self.shared.limits.kept_time;
        self.streams().retain(|stream| {
            let keep = stream.finished().is_none_or(|(at, _)| at.elapsed() < kept_time || stream.is_connected());
            if !keep {
                stream.leave();
            }
            keep
        });
    }

    /// Notes that the session is in use, now.
    pub(crate) fn touch(&self) {
        self.touch_at(self.shared.now());
    }

    /// The same for somebody who knows the time.
    pub(crate) fn touch_at(&self, now: u64) {
        self.usage.touch(now);
    }

    /// Notes that the session is in use until the value is dropped.
    pub(crate) fn active(self: &Arc<Self>) -> Active {
        self.usage.begin();
        Active(self.clone())
    }

    /// Returns when the session was used last; `None` while it is in use.
    pub(crate) fn idle_since(&self, now: u64) -> Option<u64> {
        self.usage.idle_since(now)
    }

    /// Whether the client has finished the handshake.
    pub(crate) fn is_ready(&self) -> bool {
        self.session().is_some_and(|session| session.is_ready())
    }

    /// Whether the session has been idle for too long.
    pub(crate) fn is_over(&self, now: u64) -> bool {
        let unused = Duration::from_millis(now.saturating_sub(self.usage.last()));
        if unused < self.shared.limits.session_opening.min(self.shared.limits.session_idle) {
            return false;
        }
        let ready = self.is_ready();
        let limits = &self.shared.limits;
        // A client that says nothing after `initialize` is not waited for as long as one that does.
        let limit = if ready { limits.session_idle } else { limits.session_opening.min(limits.session_idle) };
        self.idle_since(now).is_some_and(|used| Duration::from_millis(now.saturating_sub(used)) >= limit)
    }

    /// Ends everything that belongs to the session.
    pub(crate) fn end(&self) {
        self.close(Closing::Ended);
    }

    /// Forgets the session in this process; where others serve it too, it goes on there.
    pub(crate) fn leave(&self) {
        self.close(if self.is_replicated() { Closing::Left } else { Closing::Ended });
    }

    fn close(&self, closing: Closing) {
        self.questions.close();
        let running = self.calls().close(closing);
        for running in running {
            running.abort();
            match (running.value, closing) {
                (Some(exchange), Closing::Ended) => exchange.close(),
                (Some(exchange), Closing::Left) => exchange.leave(),
                (None, _) => {}
            }
        }
        for stream in self.standalone.get().into_iter().chain(&std::mem::take(&mut *self.streams())) {
            match closing {
                Closing::Ended => stream.end(),
                Closing::Left => {
                    stream.leave();
                    stream.replace();
                }
            }
        }
    }
}

/// Finds the finished stream that is missed least: the oldest that nobody reads, and if possible one that somebody has read, because
/// for the others a reader may be about to come.
fn oldest_unread(streams: &[Arc<Stream>]) -> Option<usize> {
    let unread = streams.iter().enumerate().filter(|(_, stream)| stream.finished().is_some() && !stream.is_read());
    unread.min_by_key(|(_, stream)| !stream.was_read()).map(|(at, _)| at)
}

impl Active {
    pub(crate) fn live(&self) -> &Arc<LocalSession> {
        &self.0
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        self.0.usage.end(self.0.shared.now());
    }
}
