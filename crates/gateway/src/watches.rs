//! Resources that callers want to hear of.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

use jackfield_client::{Client, Error, Event, Subscription};
use jackfield_peer::Session;
use jackfield_protocol::Revision;
use jackfield_server::{Cx, Prefix};
use tokio::sync::{Notify, mpsc};
use tokio::task::{AbortHandle, JoinSet};

use crate::talk::lock;

/// How many resources one listen stream is about. Servers bound both these and the number of streams.
const MOST_NAMED: usize = 256;

/// The resources of one server that callers want to hear of, and the subscriptions at the server.
pub(crate) struct Watches {
    prefix: Prefix,
    /// By the URI that the server knows.
    by_uri: Mutex<HashMap<String, Watch>>,
    /// Whoever opens a stream has this, because the next one goes by what this one is about. The client bounds how long it takes.
    turn: tokio::sync::Mutex<()>,
    tasks: Mutex<JoinSet<()>>,
    /// Takes the URIs of resources that changed.
    updates: mpsc::Sender<String>,
    /// A stream has ended by itself.
    ended: Notify,
}

/// Who wants to hear of a resource.
struct Watch {
    /// Listen streams say when they end.
    streams: usize,
    /// Sessions may simply end.
    sessions: Vec<Weak<Session>>,
    source: Arc<Source>,
}

/// A subscription at the server, shared by all resources that it is about. It ends with the last of them.
struct Source {
    task: AbortHandle,
    is_open: Arc<AtomicBool>,
}

impl Watch {
    fn new(source: Arc<Source>) -> Self {
        Self { streams: 0, sessions: Vec::new(), source }
    }

    /// Notes that a caller wants to hear of it.
    fn join(&mut self, cx: &Cx) {
        match cx.session() {
            Some(session) => note_once(&mut self.sessions, session),
            None => self.streams = self.streams.saturating_add(1),
        }
    }

    /// Whether anyone wants to hear of it; sessions know it by the URI that it has out here.
    fn is_wanted(&mut self, uri: &str) -> bool {
        self.sessions.retain(|session| session.upgrade().is_some_and(|session| session.is_subscribed(uri)));
        self.streams > 0 || !self.sessions.is_empty()
    }
}

impl Source {
    fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Watches {
    /// What changed is put into the channel.
    pub(crate) fn new(prefix: Prefix, updates: mpsc::Sender<String>) -> Self {
        Self {
            prefix,
            by_uri: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
            tasks: Mutex::default(),
            updates,
            ended: Notify::new(),
        }
    }

    /// Subscribes at the server for a caller.
    pub(crate) async fn add(self: &Arc<Self>, client: &Client, uri: &str, cx: &Cx) -> Result<(), Error> {
        let _turn = self.turn.lock().await;
        let mut named = {
            let mut by_uri = lock(&self.by_uri);
            if let Some(watch) = by_uri.get_mut(uri).filter(|watch| watch.source.is_open()) {
                watch.join(cx);
                return Ok(());
            }
            if has_streams(client) { with_room(&by_uri) } else { Vec::new() }
        };
        named.push(uri.to_owned());
        let source = self.open(client, &named).await?;
        let mut by_uri = lock(&self.by_uri);
        renew_sources(&mut by_uri, &named, &source);
        by_uri.entry(uri.to_owned()).or_insert_with(|| Watch::new(source)).join(cx);
        Ok(())
    }

    /// A caller wants to hear no more.
    pub(crate) fn remove(&self, uri: &str, cx: &Cx) {
        let mut by_uri = lock(&self.by_uri);
        let Some(watch) = by_uri.get_mut(uri) else { return };
        if cx.session().is_none() {
            watch.streams = watch.streams.saturating_sub(1);
        }
        if !watch.is_wanted(&self.prefix.uri(uri)) {
            by_uri.remove(uri);
        }
    }

    /// Subscribes again at a server that has come back. Returns what may have changed meanwhile.
    pub(crate) async fn renew(self: &Arc<Self>, client: &Client) -> Vec<String> {
        let _turn = self.turn.lock().await;
        let wanted: Vec<String> = {
            let mut by_uri = lock(&self.by_uri);
            by_uri.retain(|uri, watch| watch.is_wanted(&self.prefix.uri(uri)));
            by_uri.keys().cloned().collect()
        };
        let together = if has_streams(client) { MOST_NAMED } else { 1 };
        let mut groups: Vec<&[String]> = wanted.chunks(together).collect();
        let mut renewed = Vec::new();
        while let Some(named) = groups.pop() {
            match self.open(client, named).await {
                Ok(source) => {
                    renew_sources(&mut lock(&self.by_uri), named, &source);
                    renewed.extend_from_slice(named);
                }
                // One that the server refuses must not cost the others.
                Err(error) if named.len() > 1 && error.server_error().is_some() => groups.extend(named.chunks(1)),
                Err(error) => tracing::warn!(uris = ?named, %error, "a resource is no longer watched"),
            }
        }
        renewed
    }

    /// Waits until a stream has ended that someone still needs.
    pub(crate) async fn lapsed(&self) {
        loop {
            self.ended.notified().await;
            if lock(&self.by_uri).values().any(|watch| !watch.source.is_open()) {
                return;
            }
        }
    }

    /// Opens a subscription that is about these resources, and passes on what it tells.
    async fn open(self: &Arc<Self>, client: &Client, named: &[String]) -> Result<Arc<Source>, Error> {
        let subscription = named.iter().fold(client.subscribe(), |subscribe, uri| subscribe.resource(uri)).await?;
        let is_open = Arc::new(AtomicBool::new(true));
        let following = follow(Arc::downgrade(self), self.updates.clone(), subscription, named.to_vec());
        let (watches, open) = (Arc::downgrade(self), is_open.clone());
        let mut tasks = lock(&self.tasks);
        while tasks.try_join_next().is_some() {}
        let task = tasks.spawn(async move {
            following.await;
            open.store(false, Ordering::Release);
            if let Some(watches) = watches.upgrade() {
                watches.ended.notify_one();
            }
        });
        Ok(Arc::new(Source { task, is_open }))
    }

    /// Whether anyone still wants to hear of a resource; if not it is forgotten.
    fn wants(&self, uri: &str) -> bool {
        let mut by_uri = lock(&self.by_uri);
        let wanted = by_uri.get_mut(uri).is_some_and(|watch| watch.is_wanted(&self.prefix.uri(uri)));
        if !wanted {
            by_uri.remove(uri);
        }
        wanted
    }
}

/// Remembers someone once, however often they come; those who are gone are forgotten.
fn note_once<T>(known: &mut Vec<Weak<T>>, new: &Arc<T>) {
    let new = Arc::downgrade(new);
    known.retain(|old| old.strong_count() > 0 && !old.ptr_eq(&new));
    known.push(new);
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

/// Passes on what a subscription tells, until it ends.
async fn follow(
    watches: Weak<Watches>,
    updates: mpsc::Sender<String>,
    mut subscription: Subscription,
    named: Vec<String>,
) {
    while let Some(Ok(event)) = subscription.next().await {
        let concerned: &[String] = match &event {
            Event::ResourceUpdated(changed) => match named.iter().position(|uri| uri == changed) {
                Some(place) => &named[place..=place],
                None => continue,
            },
            Event::Reconnected => &named,
            _ => continue,
        };
        for uri in concerned {
            let Some(watches) = watches.upgrade() else { return };
            if watches.wants(uri) && updates.send(uri.clone()).await.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A caller that subscribes to the same resource in a loop must not fill the memory.
    #[test]
    fn who_comes_again_is_remembered_once() {
        let (one, other) = (Arc::new(()), Arc::new(()));
        let mut known = Vec::new();
        for _ in 0..3 {
            note_once(&mut known, &one);
            note_once(&mut known, &other);
        }
        assert_eq!(known.len(), 2);
        drop(other);
        note_once(&mut known, &one);
        assert_eq!(known.len(), 1);
    }
}
