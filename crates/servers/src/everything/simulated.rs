//! Things that happen by themselves, every five seconds, until they are switched off.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jackfield::protocol::{ErrorObject, LoggingLevel};
use jackfield::transport::Session;
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
    switches: HashMap<(usize, Kind), AbortHandle>,
    subscribed: HashMap<usize, Subscribed>,
}

/// What a session is subscribed to, or all callers together that have none.
struct Subscribed {
    /// While this is kept no other session has the same name.
    session: Option<Weak<Session>>,
    /// How often each resource is: in the modern era each stream counts by itself.
    uris: BTreeMap<String, usize>,
}

impl Subscribed {
    fn is_over(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.strong_count() == 0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Logging,
    Updates,
}

/// How many subscriptions of a session are remembered.
const MOST_SUBSCRIPTIONS: usize = 1000;

/// Names the session of a call; in the modern era all calls share one name.
fn session(cx: &Cx) -> usize {
    cx.session().map_or(0, |session| Arc::as_ptr(session).addr())
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
        let key = (session(cx), kind);
        let mut running = background.lock();
        while running.tasks.try_join_next().is_some() {}
        running.switches.retain(|_, task| !task.is_finished());
        if let Some(task) = running.switches.remove(&key) {
            task.abort();
            return false;
        }
        // The first time is at once, inside the call: without a session a log message belongs to its request.
        running.happen(kind, cx);
        let task = running.tasks.spawn(repeat(Arc::downgrade(background), kind, cx.clone()));
        running.switches.insert(key, task);
        true
    }
}

/// Does it at each tick, until the session ends.
async fn repeat(background: Weak<Background>, kind: Kind, cx: Cx) {
    let ended = cx.session().map(|session| session.outlet().shutdown());
    let mut ticks = tokio::time::interval(PACE);
    ticks.tick().await;
    loop {
        let end = async {
            match &ended {
                Some(ended) => ended.triggered().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = ticks.tick() => {}
            () = end => break,
        }
        let Some(background) = background.upgrade() else { return };
        background.lock().happen(kind, &cx);
    }
    if let Some(background) = background.upgrade() {
        background.lock().subscribed.remove(&session(&cx));
    }
}

impl Running {
    fn note(&mut self, uri: String, cx: &Cx, subscribed: bool) {
        // Sessions may end without a word.
        self.subscribed.retain(|_, subscribed| !subscribed.is_over());
        let new = || Subscribed { session: cx.session().map(Arc::downgrade), uris: BTreeMap::new() };
        let uris = &mut self.subscribed.entry(session(cx)).or_insert_with(new).uris;
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

    fn happen(&self, kind: Kind, cx: &Cx) {
        match kind {
            Kind::Logging => {
                let level = any_level();
                cx.log(level, None, format!("{}-level message", capitalized(level.as_str())));
            }
            Kind::Updates => {
                for uri in self.subscribed.get(&session(cx)).into_iter().flat_map(|subscribed| subscribed.uris.keys()) {
                    cx.notify_resource_updated(uri);
                }
            }
        }
    }
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
