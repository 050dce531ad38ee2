//! Resources that callers want to hear of.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use jackfield_client::{Client, Error, ErrorKind, Event, Subscription};
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, Revision};
use jackfield_server::{CallerKey, ClientHandle, Cx, Prefix};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinSet;

use crate::error::{ForwardError, words};
use crate::forwarded_call::lock;

/// How many resources one listen stream is about. Servers bound both these and the number of streams.
const MOST_NAMED: usize = 256;
/// How many resources of one server are watched at most; servers bound it too.
const MOST: usize = 1024;
/// From how many on it is looked whether all of them are still wanted. Sessions end without a word.
const FIRST_SWEEP: usize = 64;
/// From here on it is looked each time: what nobody wants is given back well before the server takes no more.
const LAST_SWEEP: usize = MOST / 2;
/// How many of them one caller may have brought, when there are so many that it is looked each time.
const MOST_OF_ONE: usize = MOST / 4;

/// The resources of one server that callers want to hear of, and the subscriptions at the server.
pub(crate) struct ResourceSubscriptions {
    /// What the server is called.
    server: String,
    prefix: Prefix,
    watched: Mutex<Watched>,
    /// Whoever opens a stream has this, because the next one goes by what this one is about. The client bounds how long it takes.
    turn: tokio::sync::Mutex<()>,
    tasks: Mutex<JoinSet<()>>,
    /// Takes the URIs of resources that changed.
    updates: mpsc::Sender<String>,
    /// A stream has ended by itself.
    ended: Notify,
}

struct Watched {
    /// By the URI that the server knows.
    by_uri: HashMap<String, Watch>,
    /// From how many on it is looked again whether all of them are wanted.
    sweep_at: usize,
}

/// Who wants to hear of a resource.
struct Watch {
    /// Listen streams say when they end.
    streams: usize,
    /// Sessions may simply end.
    sessions: HashSet<ClientHandle>,
    /// Who was the first to want it.
    brought_by: CallerKey,
    source: Arc<Source>,
}

/// A subscription at the server, shared by all resources that it is about. It ends with the last of them.
struct Source {
    /// Dropped with it, which ends the task that follows the subscription, as soon as that has passed on what it has.
    _needed: oneshot::Sender<()>,
    is_open: Arc<AtomicBool>,
}

/// What subscribing again came to.
#[derive(Default)]
pub(crate) struct Renewed {
    /// What may have changed meanwhile.
    pub(crate) uris: Vec<String>,
    /// Whether some could not be subscribed to although the server does not refuse them.
    pub(crate) is_partial: bool,
}

impl Watch {
    fn new(brought_by: CallerKey, source: Arc<Source>) -> Self {
        Self { streams: 0, sessions: HashSet::new(), brought_by, source }
    }

    /// Notes that a caller wants to hear of it.
    fn join(&mut self, cx: &Cx) {
        if cx.session().is_none() {
            self.streams = self.streams.saturating_add(1);
            return;
        }
        self.sessions.retain(|client| !client.is_closed());
        self.sessions.insert(cx.client());
    }

    /// Whether anyone wants to hear of it; sessions know it by the URI that it has out here.
    fn is_wanted(&mut self, uri: &str) -> bool {
        self.sessions.retain(|client| client.is_subscribed(uri));
        self.streams > 0 || !self.sessions.is_empty()
    }
}

impl Source {
    fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }
}

impl Watched {
    /// Forgets what nobody wants any more, if much has come since it was last looked for.
    fn sweep(&mut self, prefix: &Prefix) {
        if self.by_uri.len() >= self.sweep_at {
            self.by_uri.retain(|uri, watch| watch.is_wanted(&prefix.uri(uri)));
            self.sweep_at = self.by_uri.len().saturating_mul(2).clamp(FIRST_SWEEP, LAST_SWEEP);
        }
    }

    /// Whether there is room for one more that a caller brings.
    fn has_room(&self, caller: &CallerKey) -> bool {
        let brought = || self.by_uri.values().filter(|watch| watch.brought_by == *caller).count();
        self.by_uri.len() < LAST_SWEEP || (self.by_uri.len() < MOST && brought() < MOST_OF_ONE)
    }
}

impl ResourceSubscriptions {
    /// What changed is put into the channel.
    pub(crate) fn new(server: String, prefix: Prefix, updates: mpsc::Sender<String>) -> Self {
        Self {
            server,
            prefix,
            watched: Mutex::new(Watched { by_uri: HashMap::new(), sweep_at: FIRST_SWEEP }),
            turn: tokio::sync::Mutex::default(),
            tasks: Mutex::default(),
            updates,
            ended: Notify::new(),
        }
    }

    /// Subscribes at the server for a caller.
    pub(crate) async fn add(self: &Arc<Self>, client: &Client, uri: &str, cx: &Cx) -> Result<(), ForwardError> {
        let _turn = self.turn.lock().await;
        let caller = cx.caller_key();
        let mut named = {
            let mut watched = lock(&self.watched);
            if let Some(watch) = watched.by_uri.get_mut(uri).filter(|watch| watch.source.is_open()) {
                watch.join(cx);
                return Ok(());
            }
            watched.sweep(&self.prefix);
            if !watched.by_uri.contains_key(uri) && !watched.has_room(&caller) {
                let message = format!("too many resources of the server {} are watched already", self.server);
                return Err(ForwardError::Refused(ErrorObject::new(code::TOO_MANY_REQUESTS, message)));
            }
            if has_streams(client) { with_room(&watched.by_uri) } else { Vec::new() }
        };
        named.push(uri.to_owned());
        let source = self.open(client, &named).await;
        let source = source.map_err(|error| ForwardError::Failed { server: self.server.clone(), error })?;
        let by_uri = &mut lock(&self.watched).by_uri;
        renew_sources(by_uri, &named, &source);
        by_uri.entry(uri.to_owned()).or_insert_with(|| Watch::new(caller, source)).join(cx);
        Ok(())
    }

    /// A caller wants to hear no more.
    pub(crate) fn remove(&self, uri: &str, cx: &Cx) {
        let by_uri = &mut lock(&self.watched).by_uri;
        let Some(watch) = by_uri.get_mut(uri) else { return };
        if cx.session().is_none() {
            watch.streams = watch.streams.saturating_sub(1);
        }
        if !watch.is_wanted(&self.prefix.uri(uri)) {
            by_uri.remove(uri);
        }
    }

    /// Notes that the server is another one than before, so that no subscription holds any more.
    pub(crate) fn end(&self) {
        for watch in lock(&self.watched).by_uri.values() {
            watch.source.is_open.store(false, Ordering::Release);
        }
    }

    /// Subscribes again to what is still wanted and has no subscription that holds.
    pub(crate) async fn renew(self: &Arc<Self>, client: &Client) -> Renewed {
        let _turn = self.turn.lock().await;
        let wanted: Vec<String> = {
            let by_uri = &mut lock(&self.watched).by_uri;
            by_uri.retain(|uri, watch| watch.is_wanted(&self.prefix.uri(uri)));
            by_uri.iter().filter(|(_, watch)| !watch.source.is_open()).map(|(uri, _)| uri.clone()).collect()
        };
        let together = if has_streams(client) { MOST_NAMED } else { 1 };
        let mut groups: Vec<&[String]> = wanted.chunks(together).collect();
        let mut renewed = Renewed::default();
        let mut unwatched = 0_usize;
        let mut first: Option<(&String, Error)> = None;
        while let Some(named) = groups.pop() {
            match self.open(client, named).await {
                Ok(source) => {
                    renew_sources(&mut lock(&self.watched).by_uri, named, &source);
                    renewed.uris.extend_from_slice(named);
                }
                // One that the server refuses, or one too many, must not cost the others. It may call that what it likes.
                Err(error) if named.len() > 1 && error.server_error().is_some() => {
                    groups.extend(named.chunks(named.len().div_ceil(2)));
                }
                Err(error) => {
                    renewed.is_partial |= !is_refusal(&error);
                    unwatched = unwatched.saturating_add(named.len());
                    first = first.or_else(|| named.first().map(|uri| (uri, error)));
                }
            }
        }
        if let Some((uri, error)) = first {
            let (server, error) = (&self.server, words(&error));
            tracing::warn!(server, unwatched, first = ?uri, error, "resources are not watched now");
        }
        renewed
    }

    /// Waits until a stream has ended that someone still needs.
    pub(crate) async fn lapsed(&self) {
        loop {
            self.ended.notified().await;
            if lock(&self.watched).by_uri.values().any(|watch| !watch.source.is_open()) {
                return;
            }
        }
    }

    /// Opens a subscription that is about these resources, and passes on what it tells.
    async fn open(self: &Arc<Self>, client: &Client, named: &[String]) -> Result<Arc<Source>, Error> {
        let subscription = named.iter().fold(client.subscribe(), |subscribe, uri| subscribe.resource(uri)).await?;
        let is_open = Arc::new(AtomicBool::new(true));
        let (needed, unneeded) = oneshot::channel();
        let following = follow(Arc::downgrade(self), self.updates.clone(), subscription, named.to_vec(), unneeded);
        let (subscriptions, open) = (Arc::downgrade(self), is_open.clone());
        let mut tasks = lock(&self.tasks);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            following.await;
            open.store(false, Ordering::Release);
            if let Some(subscriptions) = subscriptions.upgrade() {
                subscriptions.ended.notify_one();
            }
        });
        Ok(Arc::new(Source { _needed: needed, is_open }))
    }

    /// Whether anyone still wants to hear of a resource; if not it is forgotten.
    fn wants(&self, uri: &str) -> bool {
        let by_uri = &mut lock(&self.watched).by_uri;
        let wanted = by_uri.get_mut(uri).is_some_and(|watch| watch.is_wanted(&self.prefix.uri(uri)));
        if !wanted {
            by_uri.remove(uri);
        }
        wanted
    }
}

/// Whether the server tells of changes on streams, which are few and can be about many resources each.
fn has_streams(client: &Client) -> bool {
    client.revision().is_some_and(Revision::has_listen_streams)
}

/// Returns what an open stream is about that can be about more; nothing if there is none.
fn with_room(by_uri: &HashMap<String, Watch>) -> Vec<String> {
    let has_room = |source: &Arc<Source>| source.is_open() && Arc::strong_count(source) < MOST_NAMED;
    let Some(roomy) = by_uri.values().map(|watch| &watch.source).find(|source| has_room(source)) else {
        return Vec::new();
    };
    let same = by_uri.iter().filter(|(_, watch)| Arc::ptr_eq(&watch.source, roomy));
    same.map(|(uri, _)| uri.clone()).collect()
}

/// Has all of these that are still wanted told of by another subscription. The one before ends when nobody needs it any more.
fn renew_sources(by_uri: &mut HashMap<String, Watch>, named: &[String], source: &Arc<Source>) {
    for uri in named {
        if let Some(watch) = by_uri.get_mut(uri) {
            watch.source = source.clone();
        }
    }
}

/// Whether the server means that it will not have it, and not that it cannot now.
pub(crate) fn is_refusal(error: &Error) -> bool {
    let for_good = |error: &ErrorObject| !matches!(error.code, code::TOO_MANY_REQUESTS | code::UNAVAILABLE);
    error.kind() == ErrorKind::Unsupported || error.server_error().is_some_and(for_good)
}

/// Passes on what a subscription tells, until it ends or is not needed any more.
async fn follow(
    subscriptions: Weak<ResourceSubscriptions>,
    updates: mpsc::Sender<String>,
    mut subscription: Subscription,
    named: Vec<String>,
    mut unneeded: oneshot::Receiver<()>,
) {
    loop {
        let event = tokio::select! {
            // What came before another subscription took its place is not told there.
            biased;
            event = subscription.next() => event,
            _ = &mut unneeded => return,
        };
        let concerned: &[String] = match &event {
            Some(Ok(Event::ResourceUpdated(changed))) => match named.iter().position(|uri| uri == changed) {
                Some(place) => &named[place..=place],
                None => continue,
            },
            Some(Ok(Event::Reconnected)) => &named,
            Some(Ok(_)) => continue,
            Some(Err(_)) | None => return,
        };
        for uri in concerned {
            let Some(subscriptions) = subscriptions.upgrade() else { return };
            if subscriptions.wants(uri) && updates.send(uri.clone()).await.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jackfield::{Server, resources};
    use jackfield_client::ByteStream;

    use super::*;
    use crate::prefix::prefix;

    #[jackfield::resource("note://1")]
    fn note() -> String {
        String::new()
    }

    /// What a subscription has when another one takes its place would be told by neither.
    #[tokio::test]
    async fn what_a_subscription_has_is_told_when_it_is_not_needed_any_more() {
        let uri = "note://1".to_owned();
        let (caller, mut callers) = mpsc::channel(2);
        let server = Server::new("notes").resources(resources![note]).on_subscribe(move |_, cx: Cx| {
            caller.try_send(cx.caller_key()).unwrap();
            async { Ok(()) }
        });
        let (near, far) = ByteStream::pair(1 << 16);
        let mut serving = JoinSet::new();
        let registry = server.registry();
        serving.spawn(server.serve_stream(far));
        // Here all subscriptions of a connection hear of a change at the same time.
        let builder = Client::builder().revision(Revision::LATEST_WITH_HANDSHAKE);
        let client = builder.over(near).await.unwrap();
        let (updates, mut updated) = mpsc::channel(1);
        let subscriptions =
            Arc::new(ResourceSubscriptions::new("notes".to_owned(), prefix("notes").unwrap(), updates.clone()));
        let source = subscriptions.open(&client, std::slice::from_ref(&uri)).await.unwrap();
        let brought_by = callers.recv().await.unwrap();
        let watch = Watch { streams: 1, sessions: HashSet::new(), brought_by, source };
        lock(&subscriptions.watched).by_uri.insert(uri.clone(), watch);
        let subscription = client.subscribe().resource(&uri).await.unwrap();
        registry.resources().updated(&uri);
        assert_eq!(updated.recv().await.as_ref(), Some(&uri));

        let (needed, unneeded) = oneshot::channel();
        drop(needed);
        let named = vec![uri.clone()];
        follow(Arc::downgrade(&subscriptions), updates, subscription, named, unneeded).await;
        assert_eq!(updated.try_recv(), Ok(uri));
    }
}
