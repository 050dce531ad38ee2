//! Many calls over many sessions, while nodes are killed at random.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jackfield_wire::Numbers;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::{Call, Ended, NodeProcess, Proxy, Session};

/// How long the stream of a session may take to open.
const OPENING: Duration = Duration::from_secs(60);
/// How long a call may take to end after its node died.
const LIMIT: Duration = Duration::from_secs(2);
/// What is said of those that took longer.
const SLOW: &str = "to end after its connection broke";
/// How long messages and the ends of tasks may take to arrive. It is only a bound: a busy machine is slow.
const ARRIVING: Duration = Duration::from_secs(60);
/// How many sessions are busy at the same time.
const BUSY: usize = 24;
/// How many events a call with progress has.
const EVENTS: u64 = 20;

/// How hard it storms.
#[derive(Clone, Debug)]
pub struct Storm {
    /// The program of a node.
    pub program: PathBuf,
    /// The store that nodes share.
    pub store: String,
    /// How many nodes there are.
    pub nodes: usize,
    /// How often one of them is killed.
    pub kills: usize,
    /// How many calls there are.
    pub calls: usize,
    /// Over how many sessions.
    pub sessions: usize,
}

/// What was seen.
#[derive(Debug, Default)]
pub struct Report {
    /// Calls with a result.
    pub answered: usize,
    /// Calls with an error that says why.
    pub refused: usize,
    /// Calls whose connection broke before anything was said.
    pub broke: usize,
    /// Calls that were cut and followed elsewhere.
    pub resumed: usize,
    /// How often a node was killed.
    pub kills: usize,
    /// Events on the streams of calls and sessions.
    pub events: usize,
    /// Tasks that ended as completed.
    pub completed: usize,
    /// Tasks that ended as failed.
    pub failed: usize,
    /// The longest time from the last broken connection to the end of the call.
    pub longest: Duration,
    /// What must not be.
    pub wrong: Vec<String>,
}

/// What all sessions of a storm share.
struct Sky {
    proxy: SocketAddr,
    /// How many calls have begun.
    started: watch::Sender<usize>,
    report: Mutex<Report>,
    busy: Semaphore,
}

impl Storm {
    /// Lets it storm.
    ///
    /// # Errors
    /// A node cannot be started.
    pub async fn run(&self) -> io::Result<Report> {
        let mut nodes = Vec::new();
        for _ in 0..self.nodes.max(1) {
            nodes.push(NodeProcess::start(&self.program, &self.store).await?);
        }
        let proxy = Proxy::start(nodes.iter().map(NodeProcess::address).collect()).await?;
        let sky = Arc::new(Sky {
            proxy: proxy.address(),
            started: watch::Sender::new(0),
            report: Mutex::default(),
            busy: Semaphore::new(BUSY),
        });
        let mut sessions = JoinSet::new();
        let count = self.sessions.max(1);
        for number in 0..count {
            let calls = self.calls / count + usize::from(number < self.calls % count);
            sessions.spawn(session(sky.clone(), number, calls));
        }
        self.kill(&mut nodes, &sky).await?;
        while let Some(ended) = sessions.join_next().await {
            if let Err(error) = ended {
                sky.report().wrong.push(format!("a session could not go on: {error}"));
            }
        }
        let report = std::mem::take(&mut *sky.report());
        Ok(report)
    }

    /// Kills nodes, evenly over all calls.
    async fn kill(&self, nodes: &mut [NodeProcess], sky: &Sky) -> io::Result<()> {
        let mut numbers = Numbers::new(1);
        for kill in 1..=self.kills {
            let due = self.calls.saturating_mul(kill) / self.kills.saturating_add(1);
            // The sender is here, so that this does not fail.
            let _ = sky.started.subscribe().wait_for(|started| *started >= due).await;
            let place = numbers.place(nodes.len());
            let Some(node) = nodes.get_mut(place) else { continue };
            node.kill();
            sky.report().kills += 1;
            // The fault lasts for a while; nothing is waited for.
            tokio::time::sleep(Duration::from_millis(100 + numbers.below(400))).await;
            node.restart().await?;
        }
        Ok(())
    }
}

impl Sky {
    fn report(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wrong(&self, what: String) {
        self.report().wrong.push(what);
    }

    /// Counts a call; says whether it was answered.
    fn count(&self, what: &str, call: &Call) -> bool {
        let mut report = self.report();
        report.events += call.messages.len();
        match &call.ended {
            Ended::Answered(_) => report.answered += 1,
            Ended::Refused(503, _) => report.refused += 1,
            Ended::Broke => report.broke += 1,
            other => report.wrong.push(format!("{what} ended in {other:?}")),
        }
        if let Some(time) = call.after_break {
            report.resumed += 1;
            report.longest = report.longest.max(time);
            if time > LIMIT {
                report.wrong.push(format!("{what} took {time:?} {SLOW}: {:?}", call.ended));
            }
        }
        matches!(call.ended, Ended::Answered(_))
    }
}

/// Opens a session, calls, and looks whether all came that should.
async fn session(sky: Arc<Sky>, number: usize, calls: usize) {
    let mut left = Left { sky: &sky, calls };
    let Ok(_busy) = sky.busy.acquire().await else { return };
    let Some(session) = open(&sky).await else { return };
    let heard = Arc::new(watch::Sender::new(HashMap::new()));
    let (open, mut is_open) = watch::channel(false);
    let mut listening = JoinSet::new();
    listening.spawn(listen(session.clone(), heard.clone(), open));
    let mut posted = Vec::new();
    for call in 0..calls {
        left.begin();
        let name = format!("call {number} {call}");
        match call % 10 {
            0..=4 => echo(&sky, &session, &name).await,
            5 | 6 => count(&sky, &session, &name).await,
            7 => ask(&sky, &session, &name).await,
            8 => task(&sky, &session, &name).await,
            _ => {
                // What is sent before the server has said that someone listens is for nobody.
                let opened = tokio::time::timeout(OPENING, is_open.wait_for(|open| *open)).await;
                if !opened.is_ok_and(|opened| opened.is_ok()) {
                    return sky.wrong(format!("{name} has no stream to come back on"));
                }
                let call = session.call(&name, "post", json!({ "text": name })).await;
                if sky.count(&name, &call) {
                    if text_of(&call) != Some(&name) {
                        sky.wrong(format!("{name} was not sent: {:?}", call.ended));
                    }
                    posted.push(name);
                }
            }
        }
    }
    check_posts(&sky, &posted, &heard).await;
}

/// The calls of a session that have not begun. Those of one that ends early count as begun: who waits for them must not wait for ever.
struct Left<'a> {
    sky: &'a Sky,
    calls: usize,
}

impl Left<'_> {
    fn begin(&mut self) {
        self.calls = self.calls.saturating_sub(1);
        self.sky.started.send_modify(|started| *started += 1);
    }
}

impl Drop for Left<'_> {
    fn drop(&mut self) {
        self.sky.started.send_modify(|started| *started += self.calls);
    }
}

async fn open(sky: &Sky) -> Option<Session> {
    for _ in 0..50 {
        match Session::open(sky.proxy).await {
            Ok(session) => return Some(session),
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
    sky.wrong("a session could not be opened".to_owned());
    None
}

fn text_of(call: &Call) -> Option<&str> {
    match &call.ended {
        Ended::Answered(result) => result["content"][0]["text"].as_str(),
        _ => None,
    }
}

async fn echo(sky: &Sky, session: &Session, name: &str) {
    let call = session.call(name, "echo", json!({ "text": name })).await;
    if sky.count(name, &call) && text_of(&call) != Some(name) {
        sky.wrong(format!("{name} got the answer {:?}", call.ended));
    }
}

async fn count(sky: &Sky, session: &Session, name: &str) {
    let call = session.call(name, "count", json!({ "to": EVENTS, "text": name })).await;
    let seen: Vec<_> = call.messages.iter().map(|message| message["params"]["progress"].as_f64()).collect();
    let should: Vec<_> = (1..=seen.len()).map(|number| Some(number as f64)).collect();
    let foreign = call.messages.iter().any(|message| message["params"]["progressToken"] != name);
    if seen != should || foreign {
        sky.wrong(format!("{name} saw the events {seen:?}"));
    }
    if sky.count(name, &call) && (seen.len() as u64 != EVENTS || text_of(&call) != Some(name)) {
        sky.wrong(format!("{name} ended with {:?} after {} events", call.ended, seen.len()));
    }
}

async fn ask(sky: &Sky, session: &Session, name: &str) {
    let call = session.call(name, "ask", json!({})).await;
    if sky.count(name, &call) && text_of(&call) != Some(name) {
        sky.wrong(format!("{name} was not told its own name: {:?}", call.ended));
    }
}

/// Creates a task, and looks at it until it has ended.
async fn task(sky: &Sky, session: &Session, name: &str) {
    let params = json!({ "name": "work", "arguments": { "text": name }, "task": {} });
    let created = session.request(name, "tools/call", params).await;
    if !sky.count(name, &created) {
        return;
    }
    let Ended::Answered(Value::Object(created)) = created.ended else { return };
    let Some(id) = created.get("task").map(|task| task["taskId"].clone()) else {
        return sky.wrong(format!("{name} is no task"));
    };
    let end = Instant::now() + ARRIVING;
    let mut last = Ended::Broke;
    while Instant::now() < end {
        last = session.request(&format!("{name} look"), "tasks/get", json!({ "taskId": id })).await.ended;
        if let Ended::Answered(task) = &last {
            match task["status"].as_str() {
                Some("completed") => return sky.report().completed += 1,
                Some("failed") => return sky.report().failed += 1,
                _ => {}
            }
        } else if matches!(&last, Ended::Refused(code, _) if *code != 503) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    sky.wrong(format!("the task of {name} did not end: {last:?}"));
}

/// Reads the stream of messages that belong to no request, and counts them.
async fn listen(session: Session, heard: Arc<watch::Sender<HashMap<String, usize>>>, open: watch::Sender<bool>) {
    let mut last = String::new();
    loop {
        let Ok(mut wire) = session.come_back(&last).await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        open.send_replace(true);
        while let Ok(Some(event)) = wire.event().await {
            last.clone_from(&event.id);
            let message: Value = serde_json::from_str(&event.data).unwrap_or_default();
            if let Some(text) = message["params"]["data"].as_str() {
                heard.send_modify(|heard| *heard.entry(text.to_owned()).or_default() += 1);
            }
        }
    }
}

/// Each message that was sent has come, once; none that was sent to another.
async fn check_posts(sky: &Sky, posted: &[String], heard: &watch::Sender<HashMap<String, usize>>) {
    let missing = |heard: &HashMap<_, _>| posted.iter().find(|text| !heard.contains_key(*text)).cloned();
    let mut changes = heard.subscribe();
    let all_came = changes.wait_for(|heard| missing(heard).is_none());
    // Who is missing is said below.
    let _ = tokio::time::timeout(ARRIVING, all_came).await;
    let heard = heard.borrow();
    if let Some(text) = missing(&heard) {
        sky.wrong(format!("the message of {text} was lost"));
    }
    sky.report().events += heard.len();
    let prefix = posted.first().and_then(|name| name.rsplit_once(' ')).map(|(prefix, _)| format!("{prefix} "));
    for (text, count) in heard.iter() {
        if *count > 1 {
            sky.wrong(format!("the message of {text} came {count} times"));
        }
        if prefix.as_ref().is_some_and(|prefix| !text.starts_with(prefix)) {
            sky.wrong(format!("the message of {text} came to another session"));
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kills      {:>7}", self.kills)?;
        writeln!(f, "answered   {:>7}", self.answered)?;
        writeln!(f, "refused    {:>7}  with an error that says why", self.refused)?;
        writeln!(f, "broken     {:>7}  before the first word", self.broke)?;
        writeln!(f, "cut        {:>7}  and followed; the longest ended after {:?}", self.resumed, self.longest)?;
        writeln!(f, "events     {:>7}", self.events)?;
        writeln!(f, "tasks      {:>7}  completed, {} failed", self.completed, self.failed)?;
        // What took too long may be many, and must not hide the rest.
        let (slow, worse): (Vec<_>, Vec<_>) = self.wrong.iter().partition(|wrong| wrong.contains(SLOW));
        for wrong in worse.iter().take(40).chain(slow.iter().take(10)) {
            writeln!(f, "WRONG: {wrong}")?;
        }
        write!(f, "wrong      {:>7}", self.wrong.len())
    }
}
