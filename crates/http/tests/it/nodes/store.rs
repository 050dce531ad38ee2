//! A store that counts what it is asked, and can be away.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use jackfield_store::{
    Appended, Boxed, Bus, EventChunk, EventStore, EventWatch, KvStore, NewEvents, NewSession, SessionRecord,
    SessionStore, StoreError, Stores, StreamName, Subscription,
};
use tokio::sync::Notify;

/// Stores in memory that several nodes share.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    inner: Stores,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    away: AtomicBool,
    asked: AtomicUsize,
    streams: Mutex<BTreeSet<(String, u64)>>,
    largest_read: AtomicUsize,
    silent: AtomicBool,
    holds: AtomicBool,
    holds_create: AtomicBool,
    holds_append: AtomicBool,
    written_late: AtomicUsize,
    holds_touch: AtomicBool,
    holding: AtomicBool,
    touched_meanwhile: AtomicUsize,
    created: Mutex<String>,
    held: AtomicUsize,
    let_go: Notify,
}

/// Says that something takes long, until it is done or nobody waits for it any more.
struct Holding<'a>(&'a State);

impl<'a> Holding<'a> {
    fn new(state: &'a State) -> Self {
        state.holding.store(true, Ordering::SeqCst);
        Self(state)
    }
}

impl Drop for Holding<'_> {
    fn drop(&mut self) {
        self.0.holding.store(false, Ordering::SeqCst);
    }
}

impl Store {
    pub(crate) fn new() -> Self {
        Self { inner: Stores::memory(), state: Arc::default() }
    }

    pub(crate) fn stores(&self) -> Stores {
        let own = Arc::new(self.clone());
        Stores::shared(own.clone(), own.clone(), self.inner.tasks().clone(), own.clone(), own)
    }

    /// From now on nothing can be asked.
    pub(crate) fn set_away(&self, away: bool) {
        self.state.away.store(away, Ordering::SeqCst);
    }

    /// How many events of each stream of a session are kept.
    pub(crate) async fn events_of(&self, session: &str) -> Vec<usize> {
        let streams: Vec<_> = self.state.streams.lock().unwrap().iter().cloned().collect();
        let mut kept = Vec::new();
        for (_, number) in streams.iter().filter(|(known, _)| known == session) {
            let name = StreamName::new(session, *number);
            let chunk = self.inner.events().read(name, 0, usize::MAX).await.unwrap();
            kept.push(chunk.map_or(0, |chunk| chunk.events.len()));
        }
        kept
    }

    /// From now on nobody hears what is published, as if whoever publishes died just before.
    pub(crate) fn set_silent(&self, silent: bool) {
        self.state.silent.store(silent, Ordering::SeqCst);
    }

    /// The next session that is loaded arrives late.
    pub(crate) fn hold_load(&self) {
        self.state.holds.store(true, Ordering::SeqCst);
    }

    /// The next session that is opened is kept late.
    pub(crate) fn hold_create(&self) {
        self.state.holds_create.store(true, Ordering::SeqCst);
    }

    /// The next events are kept late.
    pub(crate) fn hold_append(&self) {
        self.state.holds_append.store(true, Ordering::SeqCst);
    }

    /// The next session that is said to be in use takes long.
    pub(crate) fn hold_touch(&self) {
        self.state.holds_touch.store(true, Ordering::SeqCst);
    }

    /// How often sessions were said to be in use while another one took long.
    pub(crate) fn touched_meanwhile(&self) -> usize {
        self.state.touched_meanwhile.load(Ordering::SeqCst)
    }

    /// How often events have been kept late.
    pub(crate) fn written_late(&self) -> usize {
        self.state.written_late.load(Ordering::SeqCst)
    }

    /// Whether anything was ever added to a stream of a session.
    pub(crate) fn has_appended(&self, session: &str) -> bool {
        self.state.streams.lock().unwrap().iter().any(|(known, _)| known == session)
    }

    /// Whether nothing is left of the streams of a session.
    pub(crate) async fn is_rid_of(&self, session: &str) -> bool {
        let streams: Vec<_> = self.state.streams.lock().unwrap().iter().cloned().collect();
        for (_, number) in streams.iter().filter(|(known, _)| known == session) {
            let events = self.inner.events().read(StreamName::new(session, *number), 0, 1).await.unwrap();
            let header = self.inner.kv().get(&format!("stream {session} {number:x}")).await.unwrap();
            if events.is_some() || header.is_some() {
                return false;
            }
        }
        true
    }

    /// Tells all nodes, as if one of them did, that the session has changed that is being kept.
    pub(crate) async fn tell_of_created(&self) {
        let session = self.state.created.lock().unwrap().clone();
        let notice = serde_json::json!({ "node": "another", "session": session, "what": "changed" });
        self.publish("sessions", notice.to_string().into()).await.unwrap();
    }

    /// How much has been loaded or kept late.
    pub(crate) fn held(&self) -> usize {
        self.state.held.load(Ordering::SeqCst)
    }

    /// Lets go on what is late.
    pub(crate) fn let_go(&self) {
        self.state.let_go.notify_one();
    }

    /// How large the largest event is that anybody has read.
    pub(crate) fn largest_read(&self) -> usize {
        self.state.largest_read.load(Ordering::SeqCst)
    }

    /// How often it was asked for anything but leases.
    pub(crate) fn asked(&self) -> usize {
        self.state.asked.load(Ordering::SeqCst)
    }

    async fn hold(&self) {
        self.state.held.fetch_add(1, Ordering::SeqCst);
        self.state.let_go.notified().await;
    }

    fn pass<'a, T: Send + 'a>(
        &'a self,
        operation: Boxed<'a, Result<T, StoreError>>,
    ) -> Boxed<'a, Result<T, StoreError>> {
        self.state.asked.fetch_add(1, Ordering::SeqCst);
        self.answer(operation)
    }

    fn answer<'a, T: Send + 'a>(
        &'a self,
        operation: Boxed<'a, Result<T, StoreError>>,
    ) -> Boxed<'a, Result<T, StoreError>> {
        if self.state.away.load(Ordering::SeqCst) {
            return Box::pin(async { Err(StoreError::Unavailable("it is away".into())) });
        }
        operation
    }
}

impl SessionStore for Store {
    fn create(&self, session: NewSession) -> Boxed<'_, Result<(), StoreError>> {
        self.pass(Box::pin(async move {
            if self.state.holds_create.swap(false, Ordering::SeqCst) {
                session.id.clone_into(&mut self.state.created.lock().unwrap());
                self.hold().await;
            }
            self.inner.sessions().create(session).await
        }))
    }

    fn load<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<SessionRecord>, StoreError>> {
        self.pass(Box::pin(async move {
            let found = self.inner.sessions().load(id).await;
            if self.state.holds.swap(false, Ordering::SeqCst) {
                self.hold().await;
            }
            found
        }))
    }

    fn touch<'a>(&'a self, id: &'a str, idle: Duration) -> Boxed<'a, Result<Option<u64>, StoreError>> {
        self.pass(Box::pin(async move {
            if self.state.holds_touch.swap(false, Ordering::SeqCst) {
                let _holding = Holding::new(&self.state);
                self.hold().await;
            } else if self.state.holding.load(Ordering::SeqCst) {
                self.state.touched_meanwhile.fetch_add(1, Ordering::SeqCst);
            }
            self.inner.sessions().touch(id, idle).await
        }))
    }

    fn change<'a>(
        &'a self,
        id: &'a str,
        fields: Vec<(String, Option<Bytes>)>,
    ) -> Boxed<'a, Result<Option<u64>, StoreError>> {
        self.pass(Box::pin(async move { self.inner.sessions().change(id, fields).await }))
    }

    fn remove<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<bool, StoreError>> {
        self.pass(Box::pin(async move { self.inner.sessions().remove(id).await }))
    }

    fn count<'a>(&'a self, owner: &'a str) -> Boxed<'a, Result<usize, StoreError>> {
        self.pass(Box::pin(async move { self.inner.sessions().count(owner).await }))
    }
}

impl EventStore for Store {
    fn open<'a>(&'a self, stream: StreamName<'a>, keep: Duration) -> Boxed<'a, Result<(), StoreError>> {
        self.pass(Box::pin(async move { self.inner.events().open(stream, keep).await }))
    }

    fn append<'a>(&'a self, stream: StreamName<'a>, events: NewEvents) -> Boxed<'a, Result<Appended, StoreError>> {
        self.state.streams.lock().unwrap().insert((stream.session.to_owned(), stream.number));
        self.pass(Box::pin(async move {
            if !stream.session.starts_with("node ") && self.state.holds_append.swap(false, Ordering::SeqCst) {
                self.hold().await;
                let appended = self.inner.events().append(stream, events).await;
                self.state.written_late.fetch_add(1, Ordering::SeqCst);
                return appended;
            }
            self.inner.events().append(stream, events).await
        }))
    }

    fn read<'a>(
        &'a self,
        stream: StreamName<'a>,
        after: u64,
        limit: usize,
    ) -> Boxed<'a, Result<Option<EventChunk>, StoreError>> {
        let read = Box::pin(async move {
            let read = self.inner.events().read(stream, after, limit).await;
            let events = read.iter().flatten().flat_map(|chunk| &chunk.events);
            let largest = events.map(|event| event.data.len()).max().unwrap_or_default();
            self.state.largest_read.fetch_max(largest, Ordering::SeqCst);
            read
        });
        // A node looks into its own inbox from time to time.
        if stream.session.starts_with("node ") { self.answer(read) } else { self.pass(read) }
    }

    fn watch<'a>(&'a self, stream: StreamName<'a>) -> Boxed<'a, Result<EventWatch, StoreError>> {
        let watch = Box::pin(async move { self.inner.events().watch(stream).await });
        if stream.session.starts_with("node ") { self.answer(watch) } else { self.pass(watch) }
    }

    fn keep<'a>(&'a self, session: &'a str, time: Duration) -> Boxed<'a, Result<(), StoreError>> {
        self.pass(Box::pin(async move { self.inner.events().keep(session, time).await }))
    }

    fn remove<'a>(&'a self, stream: StreamName<'a>) -> Boxed<'a, Result<(), StoreError>> {
        self.pass(Box::pin(async move { self.inner.events().remove(stream).await }))
    }

    fn remove_session<'a>(&'a self, session: &'a str) -> Boxed<'a, Result<(), StoreError>> {
        self.pass(Box::pin(async move { self.inner.events().remove_session(session).await }))
    }
}

impl KvStore for Store {
    fn get<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<Option<Bytes>, StoreError>> {
        self.pass(Box::pin(async move { self.inner.kv().get(key).await }))
    }

    fn put<'a>(&'a self, key: &'a str, value: Bytes, keep: Option<Duration>) -> Boxed<'a, Result<(), StoreError>> {
        let put = Box::pin(async move { self.inner.kv().put(key, value, keep).await });
        if key.starts_with("node ") { self.answer(put) } else { self.pass(put) }
    }

    fn add<'a>(&'a self, key: &'a str, value: Bytes, keep: Option<Duration>) -> Boxed<'a, Result<bool, StoreError>> {
        self.pass(Box::pin(async move { self.inner.kv().add(key, value, keep).await }))
    }

    fn take<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<Option<Bytes>, StoreError>> {
        self.pass(Box::pin(async move { self.inner.kv().take(key).await }))
    }

    fn replace<'a>(
        &'a self,
        key: &'a str,
        before: &'a [u8],
        after: Bytes,
        keep: Option<Duration>,
    ) -> Boxed<'a, Result<bool, StoreError>> {
        self.pass(Box::pin(async move { self.inner.kv().replace(key, before, after, keep).await }))
    }

    fn remove<'a>(&'a self, key: &'a str) -> Boxed<'a, Result<bool, StoreError>> {
        self.pass(Box::pin(async move { self.inner.kv().remove(key).await }))
    }
}

impl Bus for Store {
    fn publish<'a>(&'a self, topic: &'a str, notice: Bytes) -> Boxed<'a, Result<(), StoreError>> {
        if self.state.silent.load(Ordering::SeqCst) {
            return Box::pin(async { Ok(()) });
        }
        self.pass(Box::pin(async move { self.inner.bus().publish(topic, notice).await }))
    }

    fn subscribe<'a>(&'a self, topics: &'a [&'a str]) -> Boxed<'a, Result<Subscription, StoreError>> {
        self.answer(Box::pin(async move { self.inner.bus().subscribe(topics).await }))
    }
}
