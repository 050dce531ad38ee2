//! Building a gateway.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield_client::{Builder, Client, Command, Error, Timeouts};
use jackfield_peer::{Incoming, Reply, Shutdown, ShutdownTrigger};
use jackfield_protocol::envelope::MethodName;
use jackfield_protocol::error::code;
use jackfield_protocol::{ErrorObject, Method, Outcome, ReadResourceResult, ResourceContents};
use jackfield_server::{Cx, Done, Next, Registry, Server};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::error::ForwardError;
use crate::forward;
use crate::forwarded_call::{ForwardedCalls, MOST_OF_ONE, lock};
use crate::local::LocalServers;
use crate::prefix::{BadName, prefix};
use crate::resource_subscriptions::ResourceSubscriptions;
use crate::supervisor::Supervisor;
use crate::upstream::Upstream;

/// Connects to a server, with a client that is prepared.
pub(crate) type Reach =
    Arc<dyn Fn(Builder) -> Pin<Box<dyn Future<Output = Result<Client, Error>> + Send>> + Send + Sync>;

/// How many changes of resources of one server may wait to be told.
const UPDATES: usize = 64;
/// How long servers may take to end.
const ENDING: Duration = Duration::from_secs(15);

/// Many servers that become one.
///
/// Of each of them at most 1,024 resources are watched, for all callers together; a caller that wants to hear of more is refused.
/// When half of them are taken, a caller that brought a quarter is refused too. Callers are told apart as by [`Gateway::calls_per_caller`].
#[must_use = "it becomes a server by `server`"]
pub struct Gateway {
    name: String,
    servers: Vec<(String, Reach)>,
    local: Arc<LocalServers>,
    patience: Duration,
    timeouts: Timeouts,
    calls_per_caller: usize,
}

impl Gateway {
    /// Makes a gateway without any server behind it.
    pub fn new(name: impl Into<String>) -> Self {
        let mut timeouts = Timeouts::default();
        // Callers have timeouts of their own, and cancel.
        (timeouts.request, timeouts.maximum) = (Duration::from_secs(5 * 60), Duration::from_secs(60 * 60));
        Self {
            name: name.into(),
            servers: Vec::new(),
            local: Arc::default(),
            patience: Duration::from_secs(10),
            timeouts,
            calls_per_caller: MOST_OF_ONE,
        }
    }

    /// Adds a server, and how it is reached. The builder is prepared: it answers questions, and says who is asking.
    pub fn reach<F>(mut self, name: impl Into<String>, reach: impl Fn(Builder) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Client, Error>> + Send + 'static,
    {
        self.servers.push((name.into(), Arc::new(move |builder| Box::pin(reach(builder)))));
        self
    }

    /// Adds a server that is started as a child process. Each start is logged with the whole command. The child has the variables that
    /// [`Command`] says, and no others.
    pub fn spawn(self, name: impl Into<String>, command: Command) -> Self {
        let name = name.into();
        let label = name.clone();
        self.reach(name, move |builder| {
            let words: Vec<_> = command.line().map(|word| word.to_string_lossy().into_owned()).collect();
            tracing::info!(server = label, command = ?words, "a server is started");
            let command = command.clone();
            async move { builder.spawn(command).await }
        })
    }

    /// Adds a server that runs in this process, over a connection in memory. It is made anew for each connection, as a child process would
    /// be started; `make` may block.
    pub fn in_process<E>(
        self,
        name: impl Into<String>,
        make: impl Fn() -> Result<Server, E> + Send + Sync + 'static,
    ) -> Self
    where
        E: Into<Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
    {
        let (name, make, local) = (name.into(), Arc::new(make), self.local.clone());
        let label = name.clone();
        self.reach(name, move |builder| {
            let (label, make, local) = (label.clone(), make.clone(), local.clone());
            async move {
                let made = tokio::task::spawn_blocking(move || make()).await;
                let server = made.map_err(io::Error::other).and_then(|made| made.map_err(io::Error::other));
                builder.over(local.serve(label, server.map_err(Error::connect)?)).await
            }
        })
    }

    /// Sets how long the start waits for servers to be ready; ten seconds by default. Those that take longer join later.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sets how long to wait for an answer of a server or a sign of progress; five minutes by default. What a call may take in all, an hour,
    /// is raised to that if it is less.
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.request = timeout;
        self.timeouts.maximum = self.timeouts.maximum.max(timeout);
        self
    }

    /// Sets how long to wait for answers of servers.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.timeouts = timeouts;
        self
    }

    /// Sets how many requests of one caller may be under way at all servers together, with those whose question it still has to answer;
    /// 1,024 by default. Of all callers there are at most 4,096. Callers are told apart by their users, or by their sessions; those of
    /// whom neither is known count as one.
    pub fn calls_per_caller(mut self, most: usize) -> Self {
        self.calls_per_caller = most;
        self
    }

    /// Makes a server of it. The servers behind it are connected when it starts.
    ///
    /// # Errors
    /// Two servers would have the same names for their tools, or one no names at all.
    pub fn server(self) -> Result<Server, BadName> {
        let calls = Arc::new(ForwardedCalls::new(self.calls_per_caller));
        let mut outer = Server::new(self.name).version(env!("CARGO_PKG_VERSION")).check_output(false);
        let (mut upstreams, mut parts): (Vec<Arc<Upstream>>, Vec<Part>) = Default::default();
        for (name, reach) in self.servers {
            let prefix = prefix(&name)?;
            if let Some(same) = upstreams.iter().find(|upstream| upstream.prefix.as_str() == prefix.as_str()) {
                return Err(BadName::Twice(same.name.clone(), name));
            }
            let (updates, updated) = mpsc::channel(UPDATES);
            let subscriptions = Arc::new(ResourceSubscriptions::new(name.clone(), prefix.clone(), updates));
            let upstream = Arc::new(Upstream::new(name.clone(), prefix.clone(), calls.clone(), subscriptions));
            let server = Server::new(name);
            // Clients learn when they connect what there may be, so it is declared before it is there.
            let registry = server.registry();
            drop((registry.tools(), registry.resources(), registry.prompts()));
            outer = outer.mount(prefix, server);
            parts.push(Part { upstream: upstream.clone(), registry, reach, updated });
            upstreams.push(upstream);
        }
        let upstreams: Arc<[Arc<Upstream>]> = upstreams.into();
        let (patience, timeouts, local) = (self.patience, self.timeouts, self.local);
        Ok(with_hooks(outer, &upstreams).lifespan(
            move || start(parts, local, timeouts, patience),
            move |running: Arc<Running>| async move {
                calls.end();
                running.end().await;
            },
        ))
    }
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let servers: Vec<_> = self.servers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Gateway").field("name", &self.name).field("servers", &servers).finish_non_exhaustive()
    }
}

/// One server, before it is connected.
struct Part {
    upstream: Arc<Upstream>,
    registry: Registry,
    reach: Reach,
    updated: mpsc::Receiver<String>,
}

/// What keeps the servers connected.
struct Running {
    tasks: Mutex<JoinSet<()>>,
    local: Arc<LocalServers>,
    stop: ShutdownTrigger,
}

impl Running {
    /// Ends all connections in an orderly way.
    async fn end(&self) {
        self.stop.trigger();
        let mut tasks = std::mem::take(&mut *lock(&self.tasks));
        let all = async {
            while tasks.join_next().await.is_some() {}
            self.local.ended().await;
        };
        if tokio::time::timeout(ENDING, all).await.is_err() {
            tracing::warn!("some servers did not end in time");
        }
    }
}

async fn start(parts: Vec<Part>, local: Arc<LocalServers>, timeouts: Timeouts, patience: Duration) -> Running {
    let (stop, stopped) = Shutdown::new();
    let mut tasks = JoinSet::new();
    let upstreams: Vec<Arc<Upstream>> = parts.iter().map(|part| part.upstream.clone()).collect();
    for Part { upstream, registry, reach, updated } in parts {
        let (timeouts, stop) = (timeouts.clone(), stopped.clone());
        tasks.spawn(Supervisor { upstream, registry, reach, timeouts, stop }.run(updated));
    }
    let until_known = async {
        for upstream in &upstreams {
            upstream.until_known().await;
        }
    };
    if tokio::time::timeout(patience, until_known).await.is_err() {
        tracing::warn!("some servers are not ready yet; what they have comes into the lists when they are");
    }
    Running { tasks: Mutex::new(tasks), local, stop }
}

/// Adds what the lists alone do not do: resources that are not listed, subscriptions, and words for those who call what is not there.
fn with_hooks(server: Server, upstreams: &Arc<[Arc<Upstream>]>) -> Server {
    let [known, read, watched, left] = std::array::from_fn(|_| upstreams.clone());
    server
        .middleware(move |incoming, next| missing(known.clone(), incoming, next))
        .resource_read(move |uri, cx| unlisted(read.clone(), uri, cx))
        .on_subscribe(move |uri, cx| subscribe(watched.clone(), uri, cx))
        .on_unsubscribe(move |uri, cx| {
            if let Some((upstream, inner)) = by_uri(&left, &uri) {
                upstream.subscriptions.remove(&inner, &cx);
            }
            async { Ok(()) }
        })
}

fn by_uri<'a>(upstreams: &'a [Arc<Upstream>], uri: &str) -> Option<(&'a Arc<Upstream>, String)> {
    upstreams.iter().find_map(|upstream| Some((upstream, upstream.prefix.strip_uri(uri)?)))
}

/// A caller that knows a tool or prompt from before its server went away gets to know why there is none.
async fn missing(upstreams: Arc<[Arc<Upstream>]>, incoming: Incoming, next: Next) -> Reply {
    if let MethodName::Known(method @ (Method::CallTool | Method::GetPrompt)) = incoming.method
        && let Ok(name) = incoming.params.string("name")
        && let Some(upstream) = upstreams.iter().find(|upstream| upstream.prefix.strip_name(&name).is_some())
        && let Err(words) = upstream.client()
    {
        let error = ForwardError::Unavailable(words);
        return match method {
            Method::CallTool => error.of_tool().map(|failure| Outcome::Complete(failure.into())),
            _ => Err(error.into_error_object()),
        };
    }
    next.run(incoming).await
}

/// Reads a resource that its server has not listed.
async fn unlisted(upstreams: Arc<[Arc<Upstream>]>, uri: String, cx: Cx) -> Option<Done<ReadResourceResult>> {
    let (upstream, inner) = by_uri(&upstreams, &uri)?;
    let done = forward::read(upstream.clone(), inner, cx).await;
    Some(done.map(|outcome| {
        outcome.map(|mut result| {
            for contents in &mut result.contents {
                match contents {
                    ResourceContents::Text(text) => text.uri = upstream.prefix.uri(&text.uri),
                    ResourceContents::Blob(blob) => blob.uri = upstream.prefix.uri(&blob.uri),
                    _ => {}
                }
            }
            result
        })
    }))
}

async fn subscribe(upstreams: Arc<[Arc<Upstream>]>, uri: String, cx: Cx) -> Result<(), ErrorObject> {
    let Some((upstream, inner)) = by_uri(&upstreams, &uri) else { return Ok(()) };
    let client = upstream.client().map_err(|words| ErrorObject::new(code::UNAVAILABLE, words))?;
    upstream.subscriptions.add(&client, &inner, &cx).await.map_err(ForwardError::into_error_object)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More time for an answer must not become less time for the whole call.
    #[test]
    fn a_timeout_lowers_no_other_limit() {
        let hour = Duration::from_secs(60 * 60);
        for (given, maximum) in [(Duration::from_secs(1), hour), (Duration::from_secs(600), hour), (2 * hour, 2 * hour)]
        {
            let timeouts = Gateway::new("gateway").request_timeout(given).timeouts;
            assert_eq!((timeouts.request, timeouts.maximum), (given, maximum));
        }
    }
}
