//! Keeps one server connected: connects, offers what it has, follows its changes, and begins again when it is gone.

use std::sync::Arc;

use jackfield_client::{Builder, Client, Event, Limits, Restarts, Subscription, Timeouts};
use jackfield_peer::Shutdown;
use jackfield_protocol::{Implementation, LoggingLevel};
use jackfield_server::Registry;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::catalogue::{Catalogue, List};
use crate::gateway::Reach;
use crate::line::{Line, Standing};
use crate::pause::{FIRST_WAIT, FORGIVEN_AFTER, LONGEST_WAIT, Pause};
use crate::trouble::words;
use crate::watches::is_refusal;

/// Keeps one server connected.
pub(crate) struct Supervisor {
    pub(crate) line: Arc<Line>,
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
        let mut wait = FIRST_WAIT;
        loop {
            let begun = Instant::now();
            let connected = tokio::select! {
                connected = (self.reach)(self.builder()) => connected,
                () = stop.triggered() => return,
            };
            let why = match connected {
                Ok(client) => {
                    let ended = self.serve(&client).await;
                    self.line.set(Standing::Down("its connection has ended".to_owned()));
                    client.close().await;
                    match ended {
                        Ended::Gone => "its connection has ended".to_owned(),
                        Ended::Stopped => return,
                    }
                }
                Err(error) => words(&error),
            };
            if begun.elapsed() >= FORGIVEN_AFTER {
                wait = FIRST_WAIT;
            }
            tracing::warn!(server = self.line.name, why, retry = ?wait, "a server is not available, and missing from the lists");
            self.line.set(Standing::Down(why));
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = stop.triggered() => return,
            }
            wait = wait.saturating_mul(2).min(LONGEST_WAIT);
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
        self.line.desk.connect(&self.line.name, builder)
    }

    /// Serves a server until it is gone.
    async fn serve(&self, client: &Client) -> Ended {
        let stop = self.stop.clone();
        tokio::select! {
            () = self.offer(client) => Ended::Gone,
            () = client.closed() => Ended::Gone,
            () = stop.triggered() => Ended::Stopped,
        }
    }

    /// Offers what a server has and follows its changes, until it no longer tells of them although it did before. A server without
    /// connections of its own, such as one over HTTP, shows in no other way that it is gone.
    async fn offer(&self, client: &Client) {
        let catalogue = Catalogue::new(self.line.clone(), self.registry.clone());
        self.line.watches.end();
        hear_logs(client).await;
        // From here on no change is missed.
        let Some(changes) = self.subscribe(client).await else { return };
        let owed = catalogue.refresh(client).await;
        self.line.set(Standing::Up(client.clone()));
        tracing::info!(server = self.line.name, "a server is available");
        // What hangs must not hold up the others.
        tokio::select! {
            () = self.follow(client, &catalogue, changes) => {}
            () = catalogue.keep(client, owed) => {}
            () = self.keep_watching(client) => {}
        }
    }

    /// Has the lists looked at that a server says have changed, until it no longer tells of changes although it did before.
    async fn follow(&self, client: &Client, catalogue: &Catalogue, mut changes: Changes) {
        let mut pause = Pause::new();
        loop {
            if matches!(changes, Changes::Owed | Changes::Ended) {
                pause.begin();
            }
            tokio::select! {
                event = changes.next() => match event {
                    Some(Event::ToolsChanged) => catalogue.look_at(List::Tools),
                    Some(Event::PromptsChanged) => catalogue.look_at(List::Prompts),
                    Some(Event::ResourcesChanged) => catalogue.look_at(List::Resources),
                    Some(Event::Reconnected) => catalogue.look_at_all(),
                    Some(_) => {}
                    None => changes = Changes::Ended,
                },
                () = pause.over() => {
                    let has_told = matches!(changes, Changes::Ended);
                    changes = match self.subscribe(client).await {
                        Some(Changes::Untold | Changes::Owed) if has_told => return,
                        Some(again) => again,
                        None => return,
                    };
                    catalogue.look_at_all();
                    pause.tried();
                }
            }
        }
    }

    /// Subscribes again to the resources that callers want to hear of, now and whenever a subscription has ended, and tells of those that
    /// may have changed.
    async fn keep_watching(&self, client: &Client) {
        let mut pause = Pause::new();
        loop {
            let renewed = self.line.watches.renew(client).await;
            pause.tried();
            renewed.uris.into_iter().for_each(|uri| self.registry.resources().updated(uri));
            if !renewed.is_partial {
                self.line.watches.lapsed().await;
            }
            pause.begin();
            pause.over().await;
        }
    }

    /// Subscribes to the changes of the lists; `None` if the server is gone.
    async fn subscribe(&self, client: &Client) -> Option<Changes> {
        let error = match client.subscribe().tools().prompts().resources().await {
            Ok(subscription) => return Some(Changes::Told(subscription)),
            Err(error) if error.is_closed() => return None,
            Err(error) => error,
        };
        tracing::warn!(server = self.line.name, error = words(&error), "a server does not tell of changes");
        Some(if is_refusal(&error) { Changes::Untold } else { Changes::Owed })
    }
}

/// The changes that a server tells of.
enum Changes {
    /// It does not.
    Untold,
    /// It could not be asked to.
    Owed,
    Told(Subscription),
    /// It did; what has happened since is not known.
    Ended,
}

impl Changes {
    /// Waits for the next change; for ever if there are none to be told. `None` when there will be no more.
    async fn next(&mut self) -> Option<Event> {
        match self {
            Self::Untold | Self::Owed | Self::Ended => std::future::pending().await,
            Self::Told(subscription) => subscription.next().await?.ok(),
        }
    }
}

/// Why a server is no longer served.
enum Ended {
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
async fn hear_logs(client: &Client) {
    if client.revision().is_some_and(|revision| revision.has_log_level_request()) {
        match client.set_log_level(LoggingLevel::Debug).await {
            Ok(()) => {}
            Err(error) if error.is_not_offered() => {}
            Err(error) => tracing::debug!(error = words(&error), "a server does not take a level of log messages"),
        }
    }
}
