//! Notices of change: who wants them, and how they are gathered so that a slow reader costs no memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::Duration;

use jackfield_peer::{Background, Caller, Outlet, Principal, Session};
use jackfield_protocol::{
    EmptyParams, Meta, Notification, RequestId, ResourceUpdatedParams, Revision, SubscriptionFilter, meta::key,
    write_notification,
};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::routing::attempts::Attempts;
use crate::shared::Bridge;
use crate::subscriptions::watched::Watched;

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Change {
    Tools,
    Prompts,
    Resources,
    Resource(String),
}

impl Change {
    /// Encodes the notice; `subscription` is the listen stream it travels on.
    pub(crate) fn encode(self, revision: Revision, subscription: Option<&RequestId>) -> Vec<u8> {
        let mut notification = match self {
            Self::Tools => Notification::ToolListChanged(EmptyParams::default()),
            Self::Prompts => Notification::PromptListChanged(EmptyParams::default()),
            Self::Resources => Notification::ResourceListChanged(EmptyParams::default()),
            Self::Resource(uri) => ResourceUpdatedParams::new(uri).into(),
        };
        if let Some(id) = subscription {
            *notification.meta_mut() = Some(subscription_meta(id));
        }
        encode(notification, revision)
    }
}

/// Names the listen stream that a message belongs to.
pub(crate) fn subscription_meta(id: &RequestId) -> Meta {
    Meta::new().with(key::SUBSCRIPTION_ID, serde_json::to_value(id).unwrap_or_default())
}

/// Encodes a notification that exists in the revision.
pub(crate) fn encode(notification: Notification, revision: Revision) -> Vec<u8> {
    let mut out = Vec::with_capacity(128);
    if let Err(error) = write_notification(&mut out, notification, revision) {
        tracing::debug!(%error, "a notification was not sent");
        out.clear();
    }
    out
}

/// One who wants notices: changes are gathered in a set, so many of the same kind are one.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    wanted: Wanted,
    /// Whose listen stream it belongs to; that of a session is found by the session.
    owner: Option<StreamOwner>,
    waiting: Mutex<BTreeMap<Change, Origins>>,
    arrived: Notify,
}

/// What changes of a kind are known by on all nodes; nothing, where there is one. The client may have been told of some of them, which only
/// its stream knows, so that one does not stand for all.
type Origins = Vec<Arc<str>>;

/// How many are remembered. Of more in so short a time the client is told often enough.
const ORIGINS: usize = 8;

#[derive(Debug, Default)]
struct Wanted {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: BTreeSet<String>,
}

impl Inbox {
    /// Makes the inbox of a listen stream.
    pub(crate) fn of(filter: &SubscriptionFilter, owner: StreamOwner) -> Self {
        let wanted = Wanted {
            tools: filter.tools_list_changed == Some(true),
            prompts: filter.prompts_list_changed == Some(true),
            resources: filter.resources_list_changed == Some(true),
            uris: filter.resource_subscriptions.iter().flatten().cloned().collect(),
        };
        Self { wanted, owner: Some(owner), ..Self::default() }
    }

    fn wants(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.wanted.tools,
            Change::Prompts => self.wanted.prompts,
            Change::Resources => self.wanted.resources,
            Change::Resource(uri) => self.wanted.uris.contains(uri),
        }
    }

    /// Whether it is that of a listen stream of a client that wants to hear of a change.
    fn belongs_to(&self, owner: &StreamOwner, change: &Change) -> bool {
        self.owner.as_ref() == Some(owner) && self.wants(change)
    }

    fn put(&self, change: &Change, origin: Option<&Arc<str>>) {
        let mut waiting = lock(&self.waiting);
        add_origins(waiting.entry(change.clone()).or_default(), origin.cloned());
        drop(waiting);
        self.arrived.notify_one();
    }

    /// Takes what has been gathered.
    pub(crate) fn take(&self) -> BTreeMap<Change, Origins> {
        std::mem::take(&mut *lock(&self.waiting))
    }

    /// Puts back what could not be told.
    fn put_back(&self, changes: impl IntoIterator<Item = (Change, Origins)>) {
        let mut waiting = lock(&self.waiting);
        for (change, origins) in changes {
            add_origins(waiting.entry(change).or_default(), origins);
        }
    }

    /// Waits until something has been gathered.
    pub(crate) async fn arrived(&self) {
        loop {
            let arrived = self.arrived.notified();
            if !lock(&self.waiting).is_empty() {
                return;
            }
            arrived.await;
        }
    }
}

fn add_origins(known: &mut Origins, more: impl IntoIterator<Item = Arc<str>>) {
    for origin in more {
        if !known.contains(&origin) {
            known.push(origin);
        }
    }
    let surplus = known.len().saturating_sub(ORIGINS);
    known.drain(..surplus);
}

/// The inbox of a legacy session, kept with the session. It hears of all lists, and of the resources that the session subscribes to.
pub(crate) struct SessionInbox {
    session: Weak<Session>,
    inbox: Inbox,
    pub(crate) attempts: Attempts,
    /// What hooks have been told of its subscriptions. They are told of the end when the session ends, and this with it.
    watched: Mutex<Watched>,
}

impl SessionInbox {
    fn wants(&self, change: &Change) -> bool {
        match change {
            Change::Resource(uri) => self.session.upgrade().is_some_and(|session| session.is_subscribed(uri)),
            _ => true,
        }
    }

    /// Whether there is still a session.
    pub(crate) fn is_open(&self) -> bool {
        self.session.strong_count() > 0
    }

    /// Gathers a change, if the session wants to know of it.
    pub(crate) fn put(&self, change: &Change, origin: &Arc<str>) {
        if self.wants(change) {
            self.inbox.put(change, Some(origin));
        }
    }

    /// Gathers all that the session wants to know of, because any of it may have changed.
    pub(crate) fn put_everything(&self, origin: &str) {
        let Some(session) = self.session.upgrade() else { return };
        let mut changes = vec![Change::Tools, Change::Prompts, Change::Resources];
        changes.extend(session.subscriptions().iter().map(|uri| Change::Resource(uri.clone())));
        for (number, change) in changes.iter().enumerate() {
            self.inbox.put(change, Some(&format!("{origin} {number}").into()));
        }
    }

    /// Keeps in mind what hooks have been told of a subscription. What the session is not subscribed to any more, because another node has
    /// heard so, or this one while the hooks ran, they are told to be over.
    pub(crate) fn watch(&self, new: Watched) {
        let mut watched = lock(&self.watched);
        watched.take_over(new);
        let session = self.session.upgrade();
        let over = watched.split(|uri| !session.as_ref().is_some_and(|session| session.is_subscribed(uri)));
        drop(watched);
        // It tells its hooks, without the lock.
        drop(over);
    }

    /// Whether hooks have been told of a resource, and not yet of its end.
    pub(crate) fn watches(&self, uri: &str) -> bool {
        lock(&self.watched).has(uri)
    }

    /// Returns what hooks have been told of a resource, to tell them of its end.
    pub(crate) fn unwatch(&self, uri: &str) -> Watched {
        lock(&self.watched).split(|known| known == uri)
    }

    /// Forgets what has been gathered of a resource, and returns what hooks have been told of it.
    pub(crate) fn drop_resource(&self, uri: &str) -> Watched {
        lock(&self.inbox.waiting).remove(&Change::Resource(uri.to_owned()));
        self.unwatch(uri)
    }
}

/// Knows all who want notices.
#[derive(Default)]
pub(crate) struct Hub {
    audience: Arc<Audience>,
    /// The way to other nodes, if there are any.
    bridge: RwLock<Option<Arc<Bridge>>>,
    /// The tasks that go this way; they end with the hub.
    bridging: Background,
    /// The task that writes to sessions; it ends with the hub.
    writer: Background,
    /// What is left to be done for clients that have gone.
    tasks: Background,
    streams: Arc<Mutex<HashMap<StreamOwner, usize>>>,
}

/// All who want notices in this process.
#[derive(Default)]
pub(crate) struct Audience {
    sessions: Mutex<Vec<Weak<SessionInbox>>>,
    listeners: Mutex<Vec<Weak<Inbox>>>,
    arrived: Notify,
}

/// Whom a listen stream belongs to: the user where there is one, else the connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StreamOwner {
    User(Principal),
    /// By the address of its outlet.
    Connection(usize),
}

impl StreamOwner {
    pub(crate) fn of(caller: &Caller, outlet: &Arc<dyn Outlet>) -> Self {
        match &caller.principal {
            Some(principal) => Self::User(principal.clone()),
            None => Self::Connection(Arc::as_ptr(outlet).cast::<()>() as usize),
        }
    }
}

/// How long notices to sessions are gathered after some have been sent.
const PAUSE: Duration = Duration::from_millis(50);

impl Audience {
    /// Tells all who want to know of a change, which is known by `origin` on all nodes.
    pub(crate) fn tell(&self, change: &Change, origin: Option<&Arc<str>>) {
        lock(&self.listeners).retain(|listener| {
            let inbox = listener.upgrade();
            inbox
                .inspect(|inbox| {
                    if inbox.wants(change) {
                        inbox.put(change, origin)
                    }
                })
                .is_some()
        });
        let mut any = false;
        lock(&self.sessions).retain(|session| {
            let session = session.upgrade();
            if let Some(session) = session.as_ref().filter(|session| session.wants(change)) {
                session.inbox.put(change, origin);
                any = true;
            }
            session.is_some()
        });
        if any {
            self.arrived.notify_one();
        }
    }

    /// Tells the listen streams of one client; says whether any of them wants to know.
    pub(crate) fn tell_streams_of(&self, owner: &StreamOwner, change: &Change) -> bool {
        let listeners: Vec<_> = lock(&self.listeners).iter().filter_map(Weak::upgrade).collect();
        let wanting = listeners.iter().filter(|inbox| inbox.belongs_to(owner, change));
        wanting.inspect(|inbox| inbox.put(change, None)).count() > 0
    }

    /// Whether a client has a listen stream that wants to hear of a change.
    pub(crate) fn has_stream(&self, owner: &StreamOwner, change: &Change) -> bool {
        lock(&self.listeners).iter().filter_map(Weak::upgrade).any(|inbox| inbox.belongs_to(owner, change))
    }

    /// Has what was gathered for sessions written.
    pub(crate) fn wake(&self) {
        self.arrived.notify_one();
    }

    /// Tells all that whatever they want to know of may have changed.
    pub(crate) fn tell_everything(&self, origin: &Arc<str>) {
        let mut changes = BTreeSet::from([Change::Tools, Change::Prompts, Change::Resources]);
        let listeners: Vec<_> = lock(&self.listeners).iter().filter_map(Weak::upgrade).collect();
        let uris = listeners.iter().flat_map(|inbox| &inbox.wanted.uris);
        changes.extend(uris.map(|uri| Change::Resource(uri.clone())));
        for session in lock(&self.sessions).iter().filter_map(|entry| entry.upgrade()?.session.upgrade()) {
            changes.extend(session.subscriptions().iter().map(|uri| Change::Resource(uri.clone())));
        }
        for (number, change) in changes.iter().enumerate() {
            self.tell(change, Some(&format!("{origin} {number}").into()));
        }
    }
}

impl Hub {
    /// Tells all who want to know, here and on other nodes.
    pub(crate) fn publish(&self, change: &Change) {
        let origin = self.bridge().map(|bridge| bridge.tell(change));
        self.audience.tell(change, origin.as_ref());
    }

    /// Tells one session; says whether it wants to know. Its notices go the way of those for all, so that a change that is told both ways
    /// is told once, and a client that does not read costs no memory.
    pub(crate) fn tell_session(&self, session: &Arc<Session>, change: &Change) -> bool {
        let entry = self.session(session);
        if !entry.wants(change) {
            return false;
        }
        entry.inbox.put(change, self.bridge().map(|bridge| bridge.key()).as_ref());
        self.audience.wake();
        true
    }

    /// Returns all who want notices here.
    pub(crate) fn audience(&self) -> &Arc<Audience> {
        &self.audience
    }

    /// Sets the way to other nodes, and begins to go it, unless somebody does already. Those who did may have ended with their runtime.
    pub(crate) fn set_bridge<F>(&self, bridge: &Arc<Bridge>, tasks: impl IntoIterator<Item = F>)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let mut known = self.bridge.write().unwrap_or_else(PoisonError::into_inner);
        if self.bridging.spawn_if_idle(tasks) {
            *known = Some(bridge.clone());
        }
    }

    fn bridge(&self) -> Option<Arc<Bridge>> {
        self.bridge.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the inbox of a session, made at the first call.
    pub(crate) fn session(&self, session: &Arc<Session>) -> Arc<SessionInbox> {
        let mut extensions = session.extensions();
        if let Some(known) = extensions.get::<SessionInbox>() {
            return known;
        }
        let (inbox, attempts, watched) = Default::default();
        let inbox = Arc::new(SessionInbox { session: Arc::downgrade(session), inbox, attempts, watched });
        extensions.insert_shared(inbox.clone());
        drop(extensions);
        add(&mut lock(&self.audience.sessions), &inbox);
        if let Some(bridge) = self.bridge() {
            session.set_change_cursor(bridge.place());
        }
        self.start_writer();
        inbox
    }

    /// Returns up to where this node has read the log of changes, if there are other nodes.
    pub(crate) fn place(&self) -> Option<u64> {
        self.bridge().map(|bridge| bridge.place())
    }

    /// Tells a session that goes on here what it may not have been told where it was before.
    pub(crate) fn resume(&self, session: &Arc<Session>, after: Option<u64>) {
        let inbox = self.session(session);
        if let Some((bridge, after)) = self.bridge().zip(after) {
            let audience = self.audience.clone();
            self.spawn(async move { bridge.catch_up(&audience, &inbox, after).await });
        }
    }

    /// Adds the inbox of a listen stream; it is forgotten when it is dropped.
    pub(crate) fn listen(&self, inbox: &Arc<Inbox>) {
        add(&mut lock(&self.audience.listeners), inbox);
    }

    /// Counts one more listen stream of a client, as long as the returned guard lives; `None` if there are too many.
    pub(crate) fn open_stream(&self, owner: StreamOwner, limit: usize) -> Option<OpenStream> {
        let mut streams = lock(&self.streams);
        let count = streams.entry(owner.clone()).or_default();
        if *count >= limit {
            return None;
        }
        *count = count.saturating_add(1);
        Some(OpenStream { streams: self.streams.clone(), owner })
    }

    /// Says that a session is ready, so that what has been gathered for it can go.
    pub(crate) fn wake(&self) {
        self.audience.wake();
    }

    /// Does something that no request waits for; it ends with the server.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(work);
    }

    fn start_writer(&self) {
        self.writer.spawn_if_idle([write_to_sessions(self.audience.clone())]);
    }
}

/// Adds one that is forgotten when it is dropped; from time to time those are cleared away.
fn add<T>(list: &mut Vec<Weak<T>>, one: &Arc<T>) {
    if list.len() == list.capacity() {
        list.retain(|known| known.strong_count() > 0);
    }
    list.push(Arc::downgrade(one));
}

/// A listen stream that is counted.
#[derive(Debug)]
pub(crate) struct OpenStream {
    streams: Arc<Mutex<HashMap<StreamOwner, usize>>>,
    owner: StreamOwner,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut streams = lock(&self.streams);
        if let Some(count) = streams.get_mut(&self.owner) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                streams.remove(&self.owner);
            }
        }
    }
}

/// Writes what has been gathered for sessions. A session whose queue is full keeps its notices for the next turn.
async fn write_to_sessions(shared: Arc<Audience>) {
    loop {
        shared.arrived.notified().await;
        loop {
            let sessions: Vec<_> = lock(&shared.sessions).iter().filter_map(Weak::upgrade).collect();
            let stuck = sessions.iter().filter(|session| !write_to_session(session)).count();
            drop(sessions);
            tokio::time::sleep(PAUSE).await;
            if stuck == 0 {
                break;
            }
        }
    }
}

/// Returns whether all that could be written was.
fn write_to_session(entry: &SessionInbox) -> bool {
    // Before the client says that it is ready, it hears nothing.
    let Some(session) = entry.session.upgrade().filter(|session| session.is_ready()) else { return true };
    let revision = session.caller().revision;
    let mut changes = entry.inbox.take().into_iter();
    while let Some((change, mut origins)) = changes.next() {
        let message = change.clone().encode(revision, None);
        let told = if origins.is_empty() {
            session.outlet().try_notify(None, message)
        } else {
            origins.retain(|origin| !session.outlet().try_notify_once(origin, message.clone()));
            origins.is_empty()
        };
        if !told {
            let closed = session.outlet().shutdown().is_triggered();
            entry.inbox.put_back([(change, origins)].into_iter().chain(changes));
            return closed;
        }
    }
    true
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
