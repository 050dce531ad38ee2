//! Keeps one server connected: connects, offers what it has, follows its changes, and begins again when it is gone.

use std::sync::Arc;

use jackfield_client::{Builder, Client, Event, Limits, Restarts, Subscription, Timeouts};
use jackfield_peer::Shutdown;
use jackfield_protocol::{Implementation, LoggingLevel};
use jackfield_server::Registry;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::catalog::{Catalog, List};
use crate::error::words;
use crate::gateway::Reach;
use crate::resource_subscriptions::is_refusal;
use crate::retry_timer::{FORGIVEN_AFTER, RetryTimer, backoff};
use crate::upstream::{Upstream, UpstreamState};

/// Keeps one server connected.
pub(crate) struct Supervisor {
    pub(crate) upstream: Arc<Upstream>,
    /// What adds to the server that is mounted for it.
    pub(crate) registry: Registry,
    pub(crate) reach: Reach,
    pub(crate) timeouts: Timeouts,
    pub(crate) stop: Shutdown,
}

impl Supervisor {
    /// Keeps the server connected until it is stopped, and tells callers of the resources whose URIs come in.
    pub(crate) async fn run(self, updates: mpsc::Receiver<String>) {
        tokio::select! {
            () = self.keep() => {}
            // Whatever the server is asked meanwhile, and however long that takes.
            () = tell(&self.registry, updates) => {}
        }
    }

    async fn keep(&self) {
        let stop = self.stop.clone();
        let mut backoff = backoff();
        loop {
            let begun = Instant::now();
            let connected = tokio::select! {
                connected = (self.reach)(self.builder()) => connected,
                () = stop.triggered() => return,
            };
            let why = match connected {
                Ok(client) => {
                    let ended = self.serve(&client).await;
                    self.upstream.set(UpstreamState::Down("its connection has ended".to_owned()));
                    client.close().await;
                    match ended {
                        ServeEnd::Gone => "its connection has ended".to_owned(),
                        ServeEnd::Stopped => return,
                    }
                }
                Err(error) => words(&error),
            };
            if begun.elapsed() >= FORGIVEN_AFTER {
                backoff.reset();
            }
            let wait = backoff.next_wait();
            tracing::warn!(server = self.upstream.name, why, retry = ?wait, "a server is not available, and missing from the lists");
            self.upstream.set(UpstreamState::Down(why));
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = stop.triggered() => return,
            }
        }
    }

    fn builder(&self) -> Builder {
        let mut restarts = Restarts::default();
        // A session that ran out is begun anew at once, with the calls that wait for it. What takes longer is told to callers.
        restarts.limit = 1;
        let mut limits = Limits::default();
        // Whom and how often a server may ask is for each caller to say.
        (limits.elicitations, limits.samplings) = (None, None);
        let info = Implementation::new("jackfield-gateway", env!("CARGO_PKG_VERSION"));
        let builder = Client::builder().info(info).tasks().timeouts(self.timeouts.clone()).restarts(restarts);
        // What a tool returns is judged by those who get it.
        let builder = builder.limits(limits).without_output_check();
        self.upstream.callers.connect(&self.upstream.name, builder)
    }

    /// Serves a server until it is gone.
    async fn serve(&self, client: &Client) -> ServeEnd {
        let stop = self.stop.clone();
        tokio::select! {
            () = self.offer(client) => ServeEnd::Gone,
            () = client.closed() => ServeEnd::Gone,
            () = stop.triggered() => ServeEnd::Stopped,
        }
    }

    /// Offers what a server has and follows its changes, until it no longer tells of them although it did before. A server without
    /// connections of its own, such as one over HTTP, shows in no other way that it is gone.
    async fn offer(&self, client: &Client) {
        let catalog = Catalog::new(self.upstream.clone(), self.registry.clone());
        self.upstream.subscriptions.end();
        request_all_logs(client).await;
        // From here on no change is missed.
        let Some(changes) = self.subscribe(client).await else { return };
        let stale = catalog.refresh(client).await;
        self.upstream.set(UpstreamState::Up(client.clone()));
        tracing::info!(server = self.upstream.name, "a server is available");
        // What hangs must not hold up the others.
        tokio::select! {
            () = self.follow(client, &catalog, changes) => {}
            () = catalog.keep(client, stale) => {}
            () = self.keep_watching(client) => {}
        }
    }

    /// Has the lists looked at that a server says have changed, until it no longer tells of changes although it did before.
    async fn follow(&self, client: &Client, catalog: &Catalog, mut changes: Changes) {
        let mut timer = RetryTimer::new();
        loop {
            if matches!(changes, Changes::Failed | Changes::Ended) {
                timer.begin();
            }
            tokio::select! {
                event = changes.next() => match event {
                    Some(Event::ToolsChanged) => catalog.look_at(List::Tools),
                    Some(Event::PromptsChanged) => catalog.look_at(List::Prompts),
                    Some(Event::ResourcesChanged) => catalog.look_at(List::Resources),
                    Some(Event::Reconnected) => catalog.look_at_all(),
                    Some(_) => {}
                    None => changes = Changes::Ended,
                },
                () = timer.over() => {
                    let has_told = matches!(changes, Changes::Ended);
                    changes = match self.subscribe(client).await {
                        Some(Changes::Unsupported | Changes::Failed) if has_told => return,
                        Some(again) => again,
                        None => return,
                    };
                    catalog.look_at_all();
                    timer.tried();
                }
            }
        }
    }

    /// Subscribes again to the resources that callers want to hear of, now and whenever a subscription has ended, and tells of those that
    /// may have changed.
    async fn keep_watching(&self, client: &Client) {
        let mut timer = RetryTimer::new();
        loop {
            let renewed = self.upstream.subscriptions.renew(client).await;
            timer.tried();
            renewed.uris.into_iter().for_each(|uri| self.registry.resources().updated(uri));
            if !renewed.is_partial {
                self.upstream.subscriptions.lapsed().await;
            }
            timer.begin();
            timer.over().await;
        }
    }

    /// Subscribes to the changes of the lists; `None` if the server is gone.
    async fn subscribe(&self, client: &Client) -> Option<Changes> {
        let error = match client.subscribe().tools().prompts().resources().await {
            Ok(subscription) => return Some(Changes::Open(subscription)),
            Err(error) if error.is_closed() => return None,
            Err(error) => error,
        };
        tracing::warn!(server = self.upstream.name, error = words(&error), "a server does not tell of changes");
        Some(if is_refusal(&error) { Changes::Unsupported } else { Changes::Failed })
    }
}

/// The changes that a server tells of.
enum Changes {
    /// It does not.
    Unsupported,
    /// It could not be asked to.
    Failed,
    Open(Subscription),
    /// It did; what has happened since is not known.
    Ended,
}

impl Changes {
    /// Waits for the next change; for ever if there are none to be told. `None` when there will be no more.
    async fn next(&mut self) -> Option<Event> {
        match self {
            Self::Unsupported | Self::Failed | Self::Ended => std::future::pending().await,
            Self::Open(subscription) => subscription.next().await?.ok(),
        }
    }
}

/// Why a server is no longer served.
enum ServeEnd {
    Gone,
    Stopped,
}

/// Tells callers which resources have changed.
async fn tell(registry: &Registry, mut updates: mpsc::Receiver<String>) {
    while let Some(uri) = updates.recv().await {
        registry.resources().updated(uri);
    }
}

/// Has a server of the legacy era send all log messages; each caller gets those that it wants. Newer ones are told with each request.
async fn request_all_logs(client: &Client) {
    if client.revision().is_some_and(|revision| revision.has_log_level_request()) {
        match client.set_log_level(LoggingLevel::Debug).await {
            Ok(()) => {}
            Err(error) if error.is_not_offered() => {}
            Err(error) => tracing::debug!(error = words(&error), "a server does not take a level of log messages"),
        }
    }
}
