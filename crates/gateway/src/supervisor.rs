//! Keeps one server connected: connects, offers what it has, follows its changes, and begins again when it is gone.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use jackfield_client::{Builder, Client, Error, Event, Limits, Restarts, Subscription, Timeouts};
use jackfield_peer::Shutdown;
use jackfield_protocol::{Implementation, LoggingLevel};
use jackfield_server::Server;
use tokio::sync::mpsc;

use crate::catalogue::Catalogue;
use crate::gateway::Reach;
use crate::line::{Line, Standing};
use crate::trouble::words;

/// The first wait before a server is tried again; it doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// A server that was there for this long is tried again soon.
const FORGIVEN_AFTER: Duration = Duration::from_secs(60);

/// Keeps one server connected.
pub(crate) struct Supervisor {
    pub(crate) line: Arc<Line>,
    /// The server that is mounted for it.
    pub(crate) server: Server,
    pub(crate) reach: Reach,
    pub(crate) timeouts: Timeouts,
    /// The URIs of resources that changed.
    pub(crate) updates: mpsc::Receiver<String>,
    pub(crate) stop: Shutdown,
}

impl Supervisor {
    pub(crate) async fn run(mut self) {
        let stop = self.stop.clone();
        let mut wait = FIRST_WAIT;
        loop {
            let begun = tokio::time::Instant::now();
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
        limits.elicitations = None;
        let info = Implementation::new("jackfield-gateway", env!("CARGO_PKG_VERSION"));
        let builder = Client::builder().info(info).timeouts(self.timeouts.clone()).restarts(restarts);
        // What a tool returns is judged by those who get it.
        let builder = builder.limits(limits).without_output_check();
        self.line.desk.connect(&self.line.name, builder)
    }

    /// Offers what a server has until it is gone.
    async fn serve(&mut self, client: &Client) -> Ended {
        let stop = self.stop.clone();
        let mut catalogue = Catalogue::new(self.line.clone(), self.server.clone());
        let beginning = async {
            hear_logs(client).await;
            // From here on no change is missed.
            let changes = subscribe(client, &self.line.name).await;
            catalogue.refresh(client).await;
            changes
        };
        let mut changes = tokio::select! {
            changes = beginning => changes,
            () = client.closed() => return Ended::Gone,
            () = stop.triggered() => return Ended::Stopped,
        };
        self.line.set(Standing::Up(client.clone()));
        tracing::info!(server = self.line.name, "a server is available");
        self.line.watches.renew(client).await;
        let mut closed = pin!(client.closed());
        loop {
            tokio::select! {
                event = next(&mut changes) => match event {
                    Some(Event::ToolsChanged) => catalogue.refresh_tools(client).await,
                    Some(Event::PromptsChanged) => catalogue.refresh_prompts(client).await,
                    Some(Event::ResourcesChanged) => catalogue.refresh_resources(client).await,
                    Some(Event::Reconnected) => catalogue.refresh(client).await,
                    Some(_) => {}
                    None => changes = None,
                },
                Some(uri) = self.updates.recv() => catalogue.updated(uri),
                () = &mut closed => return Ended::Gone,
                () = stop.triggered() => return Ended::Stopped,
            }
        }
    }
}

/// Why a server is no longer served.
enum Ended {
    Gone,
    Stopped,
}

/// Has a server of the legacy era send all log messages; each caller gets those that it wants. Newer ones are told with each request.
async fn hear_logs(client: &Client) {
    if client.revision().is_some_and(|revision| revision.has_log_level_request()) {
        match client.set_log_level(LoggingLevel::Debug).await {
            Ok(()) | Err(Error::NotOffered(_)) => {}
            Err(error) => tracing::debug!(error = words(&error), "a server does not take a level of log messages"),
        }
    }
}

async fn subscribe(client: &Client, server: &str) -> Option<Subscription> {
    match client.subscribe().tools().prompts().resources().await {
        Ok(subscription) => Some(subscription),
        Err(error) => {
            tracing::warn!(server, error = words(&error), "a server does not tell of changes");
            None
        }
    }
}

/// Waits for the next change; for ever if there are none to be told.
async fn next(changes: &mut Option<Subscription>) -> Option<Event> {
    match changes {
        None => std::future::pending().await,
        Some(changes) => changes.next().await?.ok(),
    }
}
