//! Sessions beside a model of them: who gets in, who is thrown out, and when it is over.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use jackfield_http::{Body, HttpConfig, StreamableService};
use jackfield_protocol::Revision;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::fixture::{Tools, Users};

/// Time passes before each act, enough that sessions which are over have been looked for.
const TICK: u64 = 5;
const IDLE: u64 = 60;
const OPENING: u64 = 20;
const MOST: usize = 4;
const MOST_OF_A_USER: usize = 2;
/// The users; nobody in particular is one of them.
const USERS: [Option<&str>; 3] = [None, Some("ann"), Some("bob")];

#[derive(Clone, Debug)]
enum Act {
    Open(usize),
    Ready(Index),
    /// A request of the session's user, or of another.
    Ping(Index, bool),
    /// A stream is opened, which keeps the session from being idle.
    Listen(Index),
    /// A call begins, which does the same.
    Call(Index),
    HangUp(Index),
    /// All calls end.
    Finish,
    Delete(Index, bool),
    Pass(u64),
}

fn act() -> impl Strategy<Value = Act> {
    let any = any::<Index>;
    prop_oneof![
        5 => (0..USERS.len()).prop_map(Act::Open),
        4 => any().prop_map(Act::Ready),
        5 => (any(), prop::bool::weighted(0.8)).prop_map(|(of, own)| Act::Ping(of, own)),
        3 => any().prop_map(Act::Listen),
        1 => any().prop_map(Act::Call),
        2 => any().prop_map(Act::HangUp),
        1 => Just(Act::Finish),
        1 => (any(), prop::bool::weighted(0.7)).prop_map(|(of, own)| Act::Delete(of, own)),
        3 => (0..IDLE + 10).prop_map(Act::Pass),
    ]
}

/// A session as the model sees it. Sessions are known by the order in which they were opened.
#[derive(Clone, Debug)]
struct Session {
    user: usize,
    ready: bool,
    used: u64,
    /// Streams that are open and calls that run.
    streams: usize,
    calls: usize,
}

#[derive(Debug, Default)]
struct Model {
    alive: BTreeMap<usize, Session>,
    /// Those that were opened and not looked at since, because one had to make room.
    opening: VecDeque<usize>,
    opened: usize,
    now: u64,
}

impl Model {
    fn pass(&mut self, time: u64) {
        self.now += time;
        let now = self.now;
        self.alive.retain(|_, session| {
            let limit = if session.ready { IDLE } else { OPENING };
            session.streams + session.calls > 0 || now - session.used < limit
        });
    }

    /// Finds the oldest session that is idle and whose handshake is not finished.
    fn opening(&mut self) -> Option<usize> {
        while let Some(number) = self.opening.pop_front() {
            if self.alive.get(&number).is_some_and(|session| !session.ready && session.streams + session.calls == 0) {
                return Some(number);
            }
        }
        None
    }

    /// Says whether there is room; one whose handshake is not finished makes some, else the one that has been idle longest. (In so small
    /// a table an eighth is nothing.)
    fn open(&mut self, user: usize) -> bool {
        let of_user = self.alive.values().filter(|session| session.user == user).count();
        if USERS[user].is_some() && of_user >= MOST_OF_A_USER {
            return false;
        }
        if self.alive.len() >= MOST {
            let opening = self.opening();
            let idle = self.alive.iter().filter(|(_, session)| session.streams + session.calls == 0);
            let longest = idle.min_by_key(|(_, session)| session.used).map(|(number, _)| *number);
            let Some(leaves) = opening.or(longest) else { return false };
            self.alive.remove(&leaves);
        }
        let session = Session { user, ready: false, used: self.now, streams: 0, calls: 0 };
        self.alive.insert(self.opened, session);
        self.opening.push_back(self.opened);
        self.opened += 1;
        true
    }

    /// Returns the session if it is there for this user, and notes that it is in use.
    fn used(&mut self, number: usize, user: usize) -> Option<&mut Session> {
        let now = self.now;
        let session = self.alive.get_mut(&number).filter(|session| session.user == user)?;
        session.used = now;
        Some(session)
    }
}

/// The server, and what clients know of their sessions.
struct Site {
    service: StreamableService,
    tools: Arc<Tools>,
    sessions: Vec<(String, usize)>,
    streams: Vec<(usize, Response<Body>)>,
    calls: JoinSet<u16>,
    /// What handlers tell is of no interest here, but someone has to hear it.
    _seen: mpsc::Receiver<String>,
}

impl Site {
    fn new() -> Self {
        let limits = |limits: &mut jackfield_http::HttpLimits| {
            (limits.sessions, limits.sessions_per_principal) = (MOST, MOST_OF_A_USER);
            limits.session_idle = Duration::from_secs(IDLE);
            limits.session_opening = Duration::from_secs(OPENING);
            // A call that takes long stays one answer.
            limits.sse_keep_alive = Duration::from_secs(1_000_000);
        };
        let (tools, seen) = Tools::new();
        let config = HttpConfig::default().with_authenticator(Users).with_limits(limits);
        let service = StreamableService::new(tools.clone(), config);
        Self { service, tools, sessions: Vec::new(), streams: Vec::new(), calls: JoinSet::new(), _seen: seen }
    }

    fn request(verb: &str, user: usize, session: Option<&str>, body: String) -> Request<Body> {
        let mut request = Request::builder().method(verb).uri("/mcp").header("host", "localhost");
        request = request.header("content-type", "application/json");
        request = request.header("accept", "application/json, text/event-stream");
        if let Some(user) = USERS[user] {
            request = request.header("user", user);
        }
        if let Some(session) = session {
            request = request.header("mcp-session-id", session);
        }
        request.body(Body::full(Bytes::from(body))).unwrap()
    }

    /// Sends something in a session, as its user or as another. Returns the user and the status.
    async fn send(&self, verb: &str, number: usize, own: bool, body: String) -> (usize, Response<Body>) {
        let (session, user) = &self.sessions[number];
        let user = if own { *user } else { (user + 1) % USERS.len() };
        (user, self.service.serve(Self::request(verb, user, Some(session), body)).await)
    }

    async fn open(&mut self, user: usize) -> u16 {
        let params = json!({ "protocolVersion": Revision::LATEST_WITH_HANDSHAKE, "capabilities": {},
                             "clientInfo": { "name": "t", "version": "1" } });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string();
        let response = self.service.serve(Self::request("POST", user, None, body)).await;
        if let Some(session) = response.headers().get("mcp-session-id") {
            self.sessions.push((session.to_str().unwrap().to_owned(), user));
        }
        response.status().as_u16()
    }
}

fn ping() -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string()
}

/// Does one act to the server and to the model, and compares the answers.
async fn act_once(act: &Act, site: &mut Site, model: &mut Model) -> Result<(), TestCaseError> {
    let status = |found: bool, status: u16| if found { status } else { 404 };
    let pick = |index: &Index, model: &Model| (model.opened > 0).then(|| index.index(model.opened));
    match act {
        Act::Open(user) => {
            let expected = if model.open(*user) { 200 } else { 503 };
            prop_assert_eq!(site.open(*user).await, expected);
        }
        Act::Ready(of) => {
            let Some(number) = pick(of, model) else { return Ok(()) };
            let notice = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
            let (user, response) = site.send("POST", number, true, notice).await;
            let session = model.used(number, user);
            prop_assert_eq!(response.status().as_u16(), status(session.is_some(), 202));
            session.into_iter().for_each(|session| session.ready = true);
        }
        Act::Ping(of, own) => {
            let Some(number) = pick(of, model) else { return Ok(()) };
            let (user, response) = site.send("POST", number, *own, ping()).await;
            prop_assert_eq!(response.status().as_u16(), status(model.used(number, user).is_some(), 200));
        }
        Act::Listen(of) => {
            let Some(number) = pick(of, model) else { return Ok(()) };
            let (user, response) = site.send("GET", number, true, String::new()).await;
            let session = model.used(number, user);
            prop_assert_eq!(response.status().as_u16(), status(session.is_some(), 200));
            if let Some(session) = session {
                session.streams += 1;
                site.streams.push((number, response));
            }
        }
        Act::Call(of) => {
            let Some(number) = pick(of, model) else { return Ok(()) };
            let (session, user) = site.sessions[number].clone();
            let params = json!({ "name": "wait" });
            let id = model.now;
            let body = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string();
            let (service, request) = (site.service.clone(), Site::request("POST", user, Some(&session), body));
            match model.used(number, user) {
                Some(session) => {
                    session.calls += 1;
                    site.calls.spawn(async move { service.serve(request).await.status().as_u16() });
                    settle().await;
                }
                None => prop_assert_eq!(service.serve(request).await.status().as_u16(), 404),
            }
        }
        Act::HangUp(of) => {
            if !site.streams.is_empty() {
                let (number, response) = site.streams.remove(of.index(site.streams.len()));
                drop(response);
                let now = model.now;
                model.alive.get_mut(&number).into_iter().for_each(|session| {
                    (session.streams, session.used) = (session.streams - 1, now);
                });
            }
        }
        Act::Finish => {
            let now = model.now;
            for session in model.alive.values_mut().filter(|session| session.calls > 0) {
                site.tools.gate.add_permits(session.calls);
                (session.calls, session.used) = (0, now);
            }
            settle().await;
        }
        Act::Delete(of, own) => {
            let Some(number) = pick(of, model) else { return Ok(()) };
            let (user, response) = site.send("DELETE", number, *own, String::new()).await;
            let found = model.alive.get(&number).is_some_and(|session| session.user == user);
            prop_assert_eq!(response.status().as_u16(), status(found, 204));
            if found {
                model.alive.remove(&number);
            }
            settle().await;
        }
        Act::Pass(time) => {
            tokio::time::advance(Duration::from_secs(*time)).await;
            model.pass(*time);
        }
    }
    Ok(())
}

/// Lets everything happen that can without the clock.
async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

async fn play(acts: Vec<Act>) -> Result<(), TestCaseError> {
    let (mut site, mut model) = (Site::new(), Model::default());
    for act in acts {
        tokio::time::advance(Duration::from_secs(TICK)).await;
        model.pass(TICK);
        act_once(&act, &mut site, &mut model).await?;
        prop_assert!(site.service.sessions() <= MOST);
    }
    act_once(&Act::Finish, &mut site, &mut model).await?;
    // A call is answered, unless its session was ended meanwhile.
    while let Some(answered) = site.calls.join_next().await {
        prop_assert!(matches!(answered, Ok(200 | 404)), "a call ended with {:?}", answered);
    }
    tokio::time::advance(Duration::from_secs(TICK)).await;
    model.pass(TICK);
    for number in 0..model.opened {
        let (user, response) = site.send("POST", number, true, ping()).await;
        let found = model.alive.get(&number).is_some_and(|session| session.user == user);
        prop_assert_eq!(response.status().as_u16(), if found { 200 } else { 404 }, "in the end, session {}", number);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// HTTP-055, T-040, T-041: a session is there for its own user until it is deleted, idle for too long, or makes room; then it is
    /// unknown.
    #[test]
    fn sessions_are_what_the_model_says(acts in prop::collection::vec(act(), 0..50)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(play(acts))?;
    }
}
