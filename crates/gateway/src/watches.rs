//! Resources that callers want to hear of.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use jackfield_client::{Client, Error, Event, Subscription};
use jackfield_peer::Session;
use jackfield_server::{Cx, Prefix};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use crate::talk::lock;

/// The resources of one server that callers want to hear of, and the subscriptions at the server.
pub(crate) struct Watches {
    prefix: Prefix,
    /// By the URI that the server knows.
    by_uri: Mutex<HashMap<String, Watch>>,
    tasks: Mutex<JoinSet<()>>,
    /// Takes the URIs of resources that changed.
    updates: mpsc::Sender<String>,
}

/// Who wants to hear of a resource.
#[derive(Default)]
struct Watch {
    /// Listen streams say when they end.
    streams: usize,
    /// Sessions may simply end.
    sessions: Vec<Weak<Session>>,
    task: Option<AbortHandle>,
}

impl Watch {
    /// Whether anyone wants to hear of it; sessions know it by the URI that it has out here.
    fn is_wanted(&mut self, uri: &str) -> bool {
        self.sessions.retain(|session| session.upgrade().is_some_and(|session| session.is_subscribed(uri)));
        self.streams > 0 || !self.sessions.is_empty()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Watches {
    /// What changed is put into the channel.
    pub(crate) fn new(prefix: Prefix, updates: mpsc::Sender<String>) -> Self {
        Self { prefix, by_uri: Mutex::default(), tasks: Mutex::default(), updates }
    }

    /// Subscribes at the server for a caller.
    pub(crate) async fn add(self: &Arc<Self>, client: &Client, uri: &str, cx: &Cx) -> Result<(), Error> {
        let is_watched = lock(&self.by_uri).get(uri).is_some_and(|watch| watch.task.is_some());
        let subscription = if is_watched { None } else { Some(client.subscribe().resource(uri).await?) };
        let mut by_uri = lock(&self.by_uri);
        let watch = by_uri.entry(uri.to_owned()).or_default();
        match cx.session() {
            Some(session) => watch.sessions.push(Arc::downgrade(session)),
            None => watch.streams = watch.streams.saturating_add(1),
        }
        if let Some(subscription) = subscription.filter(|_| watch.task.is_none()) {
            watch.task = Some(self.follow(uri, subscription));
        }
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

    /// Subscribes again at a server that has come back. What may have changed meanwhile is told.
    pub(crate) async fn renew(self: &Arc<Self>, client: &Client) {
        let wanted: Vec<String> = {
            let mut by_uri = lock(&self.by_uri);
            by_uri.retain(|uri, watch| watch.is_wanted(&self.prefix.uri(uri)));
            by_uri.keys().cloned().collect()
        };
        for uri in wanted {
            match client.subscribe().resource(&uri).await {
                Ok(subscription) => {
                    let task = self.follow(&uri, subscription);
                    if let Some(watch) = lock(&self.by_uri).get_mut(&uri)
                        && let Some(old) = watch.task.replace(task)
                    {
                        old.abort();
                    }
                    // An error means that nobody tells of changes any more.
                    let _ = self.updates.send(uri).await;
                }
                Err(error) => tracing::warn!(uri = %uri.escape_debug(), %error, "a resource is no longer watched"),
            }
        }
    }

    fn follow(self: &Arc<Self>, uri: &str, mut subscription: Subscription) -> AbortHandle {
        let (watches, updates, uri) = (Arc::downgrade(self), self.updates.clone(), uri.to_owned());
        let mut tasks = lock(&self.tasks);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(async move {
            while let Some(Ok(event)) = subscription.next().await {
                let concerns = matches!(&event, Event::ResourceUpdated(changed) if *changed == uri);
                if !concerns && event != Event::Reconnected {
                    continue;
                }
                let Some(watches) = watches.upgrade() else { return };
                if !watches.wants(&uri) || updates.send(uri.clone()).await.is_err() {
                    return;
                }
            }
        })
    }

    /// Whether anyone still wants to hear of a resource; if not it is forgotten.
    fn wants(&self, uri: &str) -> bool {
        let mut by_uri = lock(&self.by_uri);
        let wanted = by_uri.get_mut(uri).is_some_and(|watch| watch.is_wanted(&self.prefix.uri(uri)));
        if !wanted && let Some(mut watch) = by_uri.remove(uri) {
            // Its task is the one that asks, and ends by itself.
            watch.task = None;
        }
        wanted
    }
}
