//! Things that happen by themselves, every five seconds, until they are switched off.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jackfield::protocol::{ErrorObject, LoggingLevel};
use jackfield::server::ClientHandle;
use jackfield::{Cx, Server, State, tool};
use tokio::task::{AbortHandle, JoinSet};

const PACE: Duration = Duration::from_secs(5);

pub(super) fn add(server: Server) -> Server {
    server
        .state(Background::default())
        .on_subscribe(|uri, cx| note(uri, cx, true))
        .on_unsubscribe(|uri, cx| note(uri, cx, false))
}

/// What runs, and what is subscribed to, by session. It ends with the session, or with the server.
#[derive(Default)]
pub(super) struct Background(Mutex<Running>);

#[derive(Default)]
struct Running {
    tasks: JoinSet<()>,
    switches: HashMap<(Audience, Kind), AbortHandle>,
    /// How often each resource is subscribed to: in the modern era each stream counts by itself.
    subscribed: HashMap<Audience, BTreeMap<String, usize>>,
}

/// A session; none for all callers together that have no session.
type Audience = Option<ClientHandle>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Logging,
    Updates,
}

/// How many subscriptions of a session are remembered.
const MOST_SUBSCRIPTIONS: usize = 1000;

fn audience(cx: &Cx) -> Audience {
    cx.session().map(|_| cx.client())
}

/// Returns the id of the session as the client knows it: a header of Streamable HTTP, or a part of the query of HTTP+SSE. Streams have
/// none.
fn session_id(cx: &Cx) -> String {
    let parts = cx.extensions().get::<http::request::Parts>();
    let header = parts.as_ref().and_then(|parts| parts.headers.get("mcp-session-id")?.to_str().ok());
    let query = || {
        let pairs = parts.as_ref()?.uri.query()?.split('&');
        pairs.filter_map(|pair| pair.split_once('=')).find(|(name, _)| name.eq_ignore_ascii_case("sessionId"))
    };
    header.or_else(|| query().map(|(_, id)| id)).unwrap_or("undefined").to_owned()
}

/// Remembers or forgets a subscription.
async fn note(uri: String, cx: Cx, subscribed: bool) -> Result<(), ErrorObject> {
    let background = cx.state::<Background>().map_err(|error| ErrorObject::internal(error.to_string()))?;
    background.lock().note(uri, &cx, subscribed);
    Ok(())
}

impl Background {
    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts or stops it for the caller's session; returns whether it runs now.
    fn toggle(background: &Arc<Self>, kind: Kind, cx: &Cx) -> bool {
        let key = (audience(cx), kind);
        let mut running = background.lock();
        while running.tasks.try_join_next().is_some() {}
        running.switches.retain(|_, task| !task.is_finished());
        if let Some(task) = running.switches.remove(&key) {
            task.abort();
            return false;
        }
        // The first time is at once, inside the call: without a session a log message belongs to its request.
        running.happen(kind, cx);
        let task = running.tasks.spawn(repeat(Arc::downgrade(background), kind, Target::of(cx)));
        running.switches.insert(key, task);
        true
    }
}

/// For whom it happens after the call.
enum Target {
    // The context of a call would keep its session alive.
    Session(ClientHandle),
    Everyone(Cx),
}

impl Target {
    fn of(cx: &Cx) -> Self {
        audience(cx).map_or_else(|| Self::Everyone(cx.clone()), Self::Session)
    }

    fn audience(&self) -> Audience {
        match self {
            Self::Session(client) => Some(client.clone()),
            Self::Everyone(_) => None,
        }
    }

    async fn closed(&self) {
        match self {
            Self::Session(client) => client.closed().await,
            Self::Everyone(_) => std::future::pending().await,
        }
    }

    async fn log(&self) {
        let (level, text) = any_message();
        match self {
            // Whether anyone reads it makes no difference here.
            Self::Session(client) => drop(client.log(level, None, text).await),
            Self::Everyone(cx) => cx.log(level, None, text),
        }
    }

    fn update(&self, uri: String) {
        match self {
            Self::Session(client) => drop(client.notify_resource_updated(uri)),
            Self::Everyone(cx) => cx.notify_resource_updated(uri),
        }
    }
}

/// Does it at each tick, until the session ends.
async fn repeat(background: Weak<Background>, kind: Kind, target: Target) {
    let mut ticks = tokio::time::interval(PACE);
    ticks.tick().await;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = target.closed() => break,
        }
        let Some(background) = background.upgrade() else { return };
        match kind {
            Kind::Logging => target.log().await,
            Kind::Updates => background.lock().uris(&target.audience()).into_iter().for_each(|uri| target.update(uri)),
        }
    }
    if let Some(background) = background.upgrade() {
        background.lock().subscribed.remove(&target.audience());
    }
}

impl Running {
    fn note(&mut self, uri: String, cx: &Cx, subscribed: bool) {
        // Sessions may end without a word.
        self.subscribed.retain(|audience, _| audience.as_ref().is_none_or(|client| !client.is_closed()));
        let uris = self.subscribed.entry(audience(cx)).or_default();
        let has_room = uris.len() < MOST_SUBSCRIPTIONS;
        match (uris.get_mut(&uri), subscribed) {
            // A session is subscribed or it is not.
            (Some(count), true) => *count = if cx.session().is_some() { 1 } else { count.saturating_add(1) },
            (Some(count @ 2..), false) => *count = count.saturating_sub(1),
            (Some(_), false) => drop(uris.remove(&uri)),
            (None, true) if has_room => drop(uris.insert(uri, 1)),
            (None, _) => {}
        }
    }

    fn uris(&self, audience: &Audience) -> Vec<String> {
        self.subscribed.get(audience).into_iter().flat_map(|uris| uris.keys().cloned()).collect()
    }

    /// Lets it happen inside a call.
    fn happen(&self, kind: Kind, cx: &Cx) {
        match kind {
            Kind::Logging => {
                let (level, text) = any_message();
                cx.log(level, None, text);
            }
            Kind::Updates => self.uris(&audience(cx)).into_iter().for_each(|uri| cx.notify_resource_updated(uri)),
        }
    }
}

fn any_message() -> (LoggingLevel, String) {
    let level = any_level();
    (level, format!("{}-level message", capitalized(level.as_str())))
}

fn any_level() -> LoggingLevel {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map(|since| since.subsec_nanos()).unwrap_or_default();
    let index = usize::try_from(nanos / 1000).unwrap_or_default() % LoggingLevel::ALL.len();
    LoggingLevel::ALL.get(index).copied().unwrap_or(LoggingLevel::Info)
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Start or stop log messages of random levels, one every five seconds.
#[tool(
    name = "toggle-simulated-logging",
    title = "Toggle Simulated Logging",
    read_only = false,
    destructive = false,
    idempotent = false,
    open_world = false
)]
pub(super) fn toggle_simulated_logging(background: State<Background>, cx: &Cx) -> String {
    let id = session_id(cx);
    if Background::toggle(&background.0, Kind::Logging, cx) {
        format!(
            "Started simulated, random-leveled logging for session {id} at a 5 second pace. Messages below the level that the \
             client has set are left out, so with a high level they come less often."
        )
    } else {
        format!("Stopped simulated logging for session {id}")
    }
}

/// Start or stop updates of the subscribed resources, every five seconds.
#[tool(
    name = "toggle-subscriber-updates",
    title = "Toggle Subscriber Updates",
    read_only = false,
    destructive = false,
    idempotent = false,
    open_world = false
)]
pub(super) fn toggle_subscriber_updates(background: State<Background>, cx: &Cx) -> String {
    let id = session_id(cx);
    if Background::toggle(&background.0, Kind::Updates, cx) {
        format!(
            "Started simulated resource updated notifications for session {id} at a 5 second pace. They are sent for the \
             resources that the client has subscribed to."
        )
    } else {
        format!("Stopped simulated resource updates for session {id}")
    }
}
