//! Notices of change: who wants them, and how they are gathered so that a slow reader costs no memory.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use jackfield_peer::{Caller, Outlet, Principal, Session, Shutdown, ShutdownTrigger};
use jackfield_protocol::{
    EmptyParams, Meta, Notification, RequestId, ResourceUpdatedParams, Revision, SubscriptionFilter, meta::key,
    write_notification,
};
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    wanted: Mutex<Wanted>,
    waiting: Mutex<BTreeSet<Change>>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Wanted {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: BTreeSet<String>,
}

impl Inbox {
    /// Makes the inbox of a listen stream.
    pub(crate) fn of(filter: &SubscriptionFilter) -> Self {
        let wanted = Wanted {
            tools: filter.tools_list_changed == Some(true),
            prompts: filter.prompts_list_changed == Some(true),
            resources: filter.resources_list_changed == Some(true),
            uris: filter.resource_subscriptions.iter().flatten().cloned().collect(),
        };
        Self { wanted: Mutex::new(wanted), ..Self::default() }
    }

    /// Makes the inbox of a session: it hears of all lists, and of the resources it subscribes to.
    fn of_session() -> Self {
        let wanted = Wanted { tools: true, prompts: true, resources: true, uris: BTreeSet::new() };
        Self { wanted: Mutex::new(wanted), ..Self::default() }
    }

    /// Adds a resource; says whether there is room for it.
    pub(crate) fn subscribe(&self, uri: &str, limit: usize) -> bool {
        let mut wanted = lock(&self.wanted);
        if wanted.uris.len() >= limit && !wanted.uris.contains(uri) {
            return false;
        }
        wanted.uris.insert(uri.to_owned());
        true
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        lock(&self.wanted).uris.remove(uri);
        lock(&self.waiting).remove(&Change::Resource(uri.to_owned()));
    }

    fn wants(&self, change: &Change) -> bool {
        let wanted = lock(&self.wanted);
        match change {
            Change::Tools => wanted.tools,
            Change::Prompts => wanted.prompts,
            Change::Resources => wanted.resources,
            Change::Resource(uri) => wanted.uris.contains(uri),
        }
    }

    fn put(&self, change: &Change) -> bool {
        if !self.wants(change) {
            return false;
        }
        lock(&self.waiting).insert(change.clone());
        self.arrived.notify_one();
        true
    }

    /// Takes what has been gathered.
    pub(crate) fn take(&self) -> BTreeSet<Change> {
        std::mem::take(&mut *lock(&self.waiting))
    }

    fn put_back(&self, changes: impl IntoIterator<Item = Change>) {
        lock(&self.waiting).extend(changes);
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

/// The inbox of a legacy session, kept with the session.
#[derive(Debug)]
pub(crate) struct SessionInbox {
    session: Weak<Session>,
    pub(crate) inbox: Inbox,
}

/// Knows all who want notices.
pub(crate) struct Hub {
    shared: Arc<Shared>,
    /// The task that writes to sessions; it ends with the hub.
    writer: Mutex<JoinSet<()>>,
    /// What is left to be done for clients that have gone.
    tasks: Mutex<JoinSet<()>>,
    stop: ShutdownTrigger,
    stopping: Shutdown,
    streams: Arc<Mutex<HashMap<StreamOwner, usize>>>,
}

#[derive(Default)]
struct Shared {
    sessions: Mutex<Vec<Weak<SessionInbox>>>,
    listeners: Mutex<Vec<Weak<Inbox>>>,
    arrived: Notify,
}

/// Whom listen streams are counted for: the user where there is one, else the connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum StreamOwner {
    User(Principal),
    Connection(usize),
}

/// How long notices to sessions are gathered after some have been sent.
const PAUSE: Duration = Duration::from_millis(50);

impl Hub {
    /// Tells all who want to know.
    pub(crate) fn publish(&self, change: &Change) {
        lock(&self.shared.listeners).retain(|listener| listener.upgrade().map(|inbox| inbox.put(change)).is_some());
        let mut any = false;
        lock(&self.shared.sessions)
            .retain(|session| session.upgrade().inspect(|session| any |= session.inbox.put(change)).is_some());
        if any {
            self.shared.arrived.notify_one();
        }
    }

    /// Returns the inbox of a session, made at the first call.
    pub(crate) fn session(&self, session: &Arc<Session>) -> Arc<SessionInbox> {
        let mut extensions = session.extensions();
        if let Some(known) = extensions.get::<SessionInbox>() {
            return known;
        }
        let inbox = Arc::new(SessionInbox { session: Arc::downgrade(session), inbox: Inbox::of_session() });
        extensions.insert_shared(inbox.clone());
        drop(extensions);
        add(&mut lock(&self.shared.sessions), &inbox);
        self.start_writer();
        inbox
    }

    /// Adds the inbox of a listen stream; it is forgotten when it is dropped.
    pub(crate) fn listen(&self, inbox: &Arc<Inbox>) {
        add(&mut lock(&self.shared.listeners), inbox);
    }

    /// Counts one more listen stream of a caller, as long as the returned guard lives; `None` if there are too many.
    pub(crate) fn open_stream(&self, caller: &Caller, outlet: &Arc<dyn Outlet>, limit: usize) -> Option<OpenStream> {
        let owner = match &caller.principal {
            Some(principal) => StreamOwner::User(principal.clone()),
            None => StreamOwner::Connection(Arc::as_ptr(outlet).cast::<()>() as usize),
        };
        let mut streams = lock(&self.streams);
        let count = streams.entry(owner.clone()).or_default();
        if *count >= limit {
            return None;
        }
        *count = count.saturating_add(1);
        Some(OpenStream { streams: self.streams.clone(), owner })
    }

    /// Ends all listen streams.
    pub(crate) fn stop(&self) {
        self.stop.trigger();
    }

    /// Tells when listen streams should end.
    pub(crate) fn stopping(&self) -> Shutdown {
        self.stopping.clone()
    }

    /// Says that a session is ready, so that what has been gathered for it can go.
    pub(crate) fn wake(&self) {
        self.shared.arrived.notify_one();
    }

    /// Does something that no request waits for; it ends with the server.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = lock(&self.tasks);
        while tasks.try_join_next().is_some() {}
        if tokio::runtime::Handle::try_current().is_ok() {
            tasks.spawn(work);
        }
    }

    fn start_writer(&self) {
        let mut tasks = lock(&self.writer);
        if tasks.is_empty() && tokio::runtime::Handle::try_current().is_ok() {
            tasks.spawn(write_to_sessions(self.shared.clone()));
        }
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
async fn write_to_sessions(shared: Arc<Shared>) {
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
    while let Some(change) = changes.next() {
        if !session.outlet().try_notify(None, change.clone().encode(revision, None)) {
            let closed = session.outlet().shutdown().is_triggered();
            entry.inbox.put_back([change].into_iter().chain(changes));
            return closed;
        }
    }
    true
}

impl Default for Hub {
    fn default() -> Self {
        let (stop, stopping) = Shutdown::new();
        let tasks = || Mutex::new(JoinSet::new());
        Self { shared: Arc::default(), writer: tasks(), tasks: tasks(), stop, stopping, streams: Arc::default() }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
