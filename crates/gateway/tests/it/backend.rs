//! Servers behind the gateway.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use jackfield::protocol::{CallToolResult, ContentBlock, LoggingLevel, Resource, ResourceContents, Revision};
use jackfield::{Cx, Elicited, RunningServer, Server, prompt, prompts, resource, resources, tool, tools};
use jackfield_client::{Builder, ByteStream, Client, Error};
use jackfield_gateway::Gateway;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// Says what it got.
#[tool(read_only)]
fn echo(text: String) -> String {
    text
}

/// Names a resource.
#[tool]
fn link() -> Vec<ContentBlock> {
    vec![
        ContentBlock::ResourceLink(Box::new(Resource::new("note://7", "seven"))),
        ContentBlock::resource(ResourceContents::text("note://8", "eight")),
    ]
}

/// Says what no revision defines yet.
#[tool]
fn odd() -> CallToolResult {
    let odd = serde_json::json!({
        "content": [{"type": "smell", "strength": 3}, {"type": "text", "text": "x", "invented": [1]}],
        "invented": {"a": null},
    });
    serde_json::from_value(odd).unwrap()
}

#[derive(serde::Deserialize, schemars::JsonSchema, jackfield::Form)]
struct Name {
    name: String,
}

/// Asks who is there, twice.
#[tool]
async fn greet(cx: &Cx) -> jackfield::Result<String> {
    let Elicited::Accepted(one) = cx.elicit::<Name>("first", "Who is there?").await? else {
        return Ok("nobody".to_owned());
    };
    let second = cx.elicit::<Name>("second", "And who else?").await?.accepted();
    Ok(format!("hello {} and {}", one.name, second.map_or("nobody".to_owned(), |second| second.name)))
}

/// Asks who is there, and does not wait long.
#[tool]
pub(crate) async fn impatient(cx: &Cx) -> String {
    let asking = cx.elicit::<Name>("first", "Who is there?");
    match tokio::time::timeout(Duration::from_secs(1), asking).await {
        Ok(_) => "answered".to_owned(),
        Err(_) => "too late".to_owned(),
    }
}

/// Asks who is there, takes the question back, and asks once more.
#[tool]
pub(crate) async fn undecided(cx: &Cx) -> jackfield::Result<String> {
    let asking = cx.elicit::<Name>("first", "Who is there?");
    if tokio::time::timeout(Duration::from_secs(1), asking).await.is_ok() {
        return Ok("answered".to_owned());
    }
    let second = cx.elicit::<Name>("second", "And who else?").await?.accepted();
    Ok(second.map_or("nobody".to_owned(), |second| second.name))
}

#[derive(serde::Deserialize, schemars::JsonSchema, jackfield::Form)]
struct FullName {
    name: String,
    nick: Option<String>,
}

/// Asks for a name that may have a second part.
#[tool]
pub(crate) async fn introduce(cx: &Cx) -> jackfield::Result<String> {
    let who = cx.elicit::<FullName>("who", "Who is there?").await?.accepted();
    Ok(who.map_or("nobody".to_owned(), |who| format!("{} {:?}", who.name, who.nick)))
}

/// Asks for the folders.
#[tool]
async fn folders(cx: &Cx) -> jackfield::Result<String> {
    Ok(cx.roots().await?.into_iter().map(|root| root.uri).collect())
}

/// Says which questions the caller could answer, by its own word.
#[tool]
fn able(cx: &Cx) -> String {
    format!("{} {} {}", cx.can_elicit(), cx.can_sample(), cx.has_roots())
}

/// Tells how far it is, and logs.
#[tool]
fn work(cx: &Cx) -> String {
    cx.progress(1, 2.0, "half");
    cx.log(LoggingLevel::Warning, Some("worker"), "careful");
    cx.log(LoggingLevel::Debug, None, "details");
    "done".to_owned()
}

/// What a test sees of tools that wait.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    pub(crate) begun: Notify,
    pub(crate) ended: Notify,
}

struct Ends(Arc<Probe>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.ended.notify_one();
    }
}

/// Waits for ever.
#[tool]
async fn hang(cx: &Cx) -> jackfield::Result<String> {
    let probe = cx.state::<Arc<Probe>>()?;
    let _ends = Ends(Arc::clone(&probe));
    probe.begun.notify_one();
    std::future::pending::<()>().await;
    Ok(String::new())
}

#[resource("note://first")]
fn first() -> String {
    "the first note".to_owned()
}

#[resource("note://{id}")]
fn note(#[complete(ids)] id: String) -> String {
    format!("note {id}")
}

fn ids(typed: &str) -> Vec<String> {
    ["10", "11", "20"].into_iter().filter(|id| id.starts_with(typed)).map(str::to_owned).collect()
}

#[prompt]
fn review(#[complete(ids)] code: String) -> String {
    format!("review {code}")
}

/// A server with one of everything. All of them call themselves the same.
pub(crate) fn demo() -> Server {
    demo_with(&Arc::default())
}

pub(crate) fn demo_with(probe: &Arc<Probe>) -> Server {
    Server::new("same")
        .state(probe.clone())
        .tools(tools![echo, link, odd, greet, folders, able, work, hang])
        .resources(resources![first, note])
        .prompts(prompts![review])
}

/// A server in the same process, which can be switched off.
#[derive(Clone)]
pub(crate) struct Place {
    server: RunningServer,
    revision: Revision,
    pub(crate) is_off: Arc<AtomicBool>,
    /// How often it was connected to.
    pub(crate) visits: Arc<AtomicUsize>,
    serving: Arc<Mutex<JoinSet<()>>>,
}

impl Place {
    pub(crate) fn new(server: Server, revision: Revision) -> Self {
        let server = started(server);
        Self { server, revision, is_off: Arc::default(), visits: Arc::default(), serving: Arc::default() }
    }

    /// Ends all connections; there are no more until it is switched on.
    pub(crate) fn switch_off(&self) {
        self.is_off.store(true, Ordering::SeqCst);
        self.serving.lock().unwrap().abort_all();
    }

    pub(crate) fn switch_on(&self) {
        self.is_off.store(false, Ordering::SeqCst);
    }

    pub(crate) async fn connect(self, builder: Builder) -> Result<Client, Error> {
        self.visits.fetch_add(1, Ordering::SeqCst);
        if self.is_off.load(Ordering::SeqCst) {
            return Err(Error::connect(std::io::Error::other("it is switched off")));
        }
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (read, write) = tokio::io::split(theirs);
        let server = self.server.clone();
        let serving = async move { drop(server.serve_stream(ByteStream::new(read, write)).await) };
        self.serving.lock().unwrap().spawn(serving);
        let (read, write) = tokio::io::split(ours);
        builder.revision(self.revision).over(ByteStream::new(read, write)).await
    }
}

/// Starts a server that has nothing to wait for.
fn started(server: Server) -> RunningServer {
    let mut context = Context::from_waker(Waker::noop());
    match std::pin::pin!(server.start()).poll(&mut context) {
        Poll::Ready(running) => running.unwrap(),
        Poll::Pending => panic!("the server waits for something before it starts"),
    }
}

/// Puts a place behind a gateway.
pub(crate) fn behind(gateway: Gateway, name: &str, place: &Place) -> Gateway {
    let place = place.clone();
    gateway.reach(name, move |builder| place.clone().connect(builder))
}

/// A gateway with one server, that speaks one revision.
pub(crate) fn gateway(revision: Revision) -> Server {
    behind(Gateway::new("gateway"), "demo", &Place::new(demo(), revision)).server().unwrap()
}

/// Connects a real client to a gateway.
pub(crate) async fn client_of(server: Server, builder: Builder, tasks: &mut JoinSet<()>) -> Client {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    let serving = server.serve_stream(ByteStream::new(read, write));
    tasks.spawn(async move { drop(serving.await) });
    let (read, write) = tokio::io::split(ours);
    builder.over(ByteStream::new(read, write)).await.unwrap()
}

/// Connects one of several clients to a gateway that has been started.
pub(crate) async fn caller_of(built: &RunningServer, builder: Builder, tasks: &mut JoinSet<()>) -> Client {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (read, write) = tokio::io::split(theirs);
    let connection = jackfield_peer::Connection::new(Arc::new(built.clone()));
    tasks.spawn(async move { drop(connection.serve(ByteStream::new(read, write)).await) });
    let (read, write) = tokio::io::split(ours);
    builder.over(ByteStream::new(read, write)).await.unwrap()
}
