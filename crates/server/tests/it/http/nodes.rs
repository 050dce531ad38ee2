//! One server in three processes, as it were: three nodes that share stores.

mod late;

use jackfield_http::{HttpConfig, HttpServer};
use jackfield_peer::Shutdown;
use jackfield_protocol::{CallToolResult, LoggingLevel, TaskSupport};
use jackfield_server::{Cx, Elicited, QuestionError, RunningServer, Server};
use jackfield_store::{SessionStore, Stores};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::task::JoinSet;

use super::Listening;
use super::client::{Ask, Client, MODERN, Session};
use crate::client_handle::{Kept, keep_tool};
use crate::demo::{plain, sync_tool, text_resource};

fn ask(id: u32, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema, jackfield::Form)]
struct Name {
    name: String,
}

fn server() -> Server {
    let empty = || json!({ "type": "object" });
    Server::new("shared")
        .page_size(2)
        .resource(text_resource("note:watched", "watched"))
        .tool(sync_tool("touch", empty(), |_, cx: Cx| {
            cx.notify_resource_updated("note:watched");
            CallToolResult::text("touched")
        }))
        .tool(sync_tool("say", empty(), |_, cx: Cx| {
            cx.info("said");
            CallToolResult::text("said")
        }))
        .tool(plain("greet", |cx: Cx| async move {
            match cx.elicit::<Name>("name", "Who are you?").await? {
                Elicited::Accepted(name) => Ok::<_, QuestionError>(format!("hello {}", name.name)),
                _ => Ok("nobody".to_owned()),
            }
        }))
        .tool(
            plain("endless", |_| async {
                std::future::pending::<()>().await;
                String::new()
            })
            .task(TaskSupport::Optional),
        )
}

/// Three nodes.
struct Nodes {
    servers: Vec<RunningServer>,
    listening: Vec<Listening>,
}

impl Nodes {
    async fn start() -> Self {
        Self::with_sessions(|_, sessions| sessions.clone()).await
    }

    /// Starts nodes that see the sessions in the store in another way.
    async fn with_sessions(see: impl Fn(usize, &Arc<dyn SessionStore>) -> Arc<dyn SessionStore>) -> Self {
        let memory = Stores::memory();
        let mut nodes = Self { servers: Vec::new(), listening: Vec::new() };
        for node in 0..3 {
            let stores = Stores::shared(
                see(node, memory.sessions()),
                memory.events().clone(),
                memory.tasks().clone(),
                memory.kv().clone(),
                memory.bus().clone(),
            );
            let server = server().store(stores).start().await.unwrap();
            let config = HttpConfig::default().with_stores(server.stores().unwrap().clone());
            let bound = HttpServer::new(Arc::new(server.clone())).config(config).bind("127.0.0.1:0").await.unwrap();
            let (trigger, shutdown) = Shutdown::new();
            let (address, mut task) = (bound.local_addr(), JoinSet::new());
            task.spawn(async move { bound.serve(shutdown).await.unwrap() });
            nodes.servers.push(server);
            nodes.listening.push(Listening { address, _trigger: trigger, _task: task });
        }
        nodes
    }

    async fn session(&self) -> Session {
        Session::open(self.listening[0].address, "2025-11-25").await
    }

    fn at(&self, session: &Session, node: usize) -> Session {
        Session { address: self.listening[node].address, ..session.clone() }
    }

    async fn modern(&self, node: usize, ask: &Ask) -> Value {
        Client::connect(self.listening[node].address).await.ask(ask).await.json()
    }
}

/// SRV-042: a tool that comes at one node is told to the clients of all: once to a session that several nodes serve, and to each listen stream.
#[tokio::test]
async fn changes_at_one_node_reach_the_clients_of_all() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    for node in 0..3 {
        let here = nodes.at(&session, node);
        assert_eq!(here.ask(&here.post(ask(1, "ping", json!({})))).await.status, 200);
    }
    let third = nodes.at(&session, 2);
    let mut stream = third.stream(&third.get()).await;
    let listen = Ask::modern("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }));
    let mut listener = Client::connect(nodes.listening[1].address).await;
    assert_eq!(listener.open(&listen).await.status, 200);
    assert_eq!(listener.message().await.unwrap()["method"], "notifications/subscriptions/acknowledged");

    let handle = nodes.servers[0].registry().tools().add(plain("late", |_| async { String::new() })).unwrap();
    assert_eq!(listener.message().await.unwrap()["method"], "notifications/tools/list_changed");
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/tools/list_changed");
    let added = nodes.servers[1].registry().resources().add(text_resource("note:late", "late")).unwrap();
    // All three nodes tell the session of the first change; were it there twice, it would come before the second.
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/resources/list_changed");
    drop((handle, added));
}

/// SRV-043: what a session subscribes to at one node it hears of from any, on the stream that it has at any, until it unsubscribes at any.
#[tokio::test]
async fn subscriptions_belong_to_the_session_not_to_the_node() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    let (second, third) = (nodes.at(&session, 1), nodes.at(&session, 2));
    let mut stream = third.stream(&third.get()).await;
    let subscribe = second.post(ask(1, "resources/subscribe", json!({ "uri": "note:watched" })));
    assert_eq!(second.ask(&subscribe).await.json()["result"], json!({}));
    assert_eq!(session.ask(&session.tool(2, "touch", json!({}))).await.text(), "touched");
    let update = stream.message().await.unwrap();
    assert_eq!(
        (&update["method"], &update["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!("note:watched"))
    );
    let unsubscribe = third.post(ask(3, "resources/unsubscribe", json!({ "uri": "note:watched" })));
    assert_eq!(third.ask(&unsubscribe).await.json()["result"], json!({}));
    // A node that is new to the session learns what holds now.
    let handle = nodes.servers[1].registry().tools().add(plain("late", |_| async { String::new() })).unwrap();
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/tools/list_changed");
    drop(handle);
}

/// SRV-042, SRV-043: the only node that served a session dies, and something changes before the client has come back to another: it is
/// told then, once, wherever it comes back.
#[tokio::test]
async fn a_change_that_nobody_heard_for_a_session_is_told_when_it_comes_back() {
    let mut nodes = Nodes::start().await;
    let session = nodes.session().await;
    let (second, third) = (nodes.at(&session, 1), nodes.at(&session, 2));
    let mut stream = session.stream(&session.get()).await;
    let primer = stream.event().await.unwrap().id;
    let subscribe = session.post(ask(1, "resources/subscribe", json!({ "uri": "note:watched" })));
    assert_eq!(session.ask(&subscribe).await.json()["result"], json!({}));
    drop((nodes.listening.remove(0), nodes.servers.remove(0)));
    assert_eq!(stream.event().await, None);

    let handle = nodes.servers[0].registry().tools().add(plain("late", |_| async { String::new() })).unwrap();
    let touched = nodes.modern(1, &Ask::tool("touch", json!({}))).await;
    assert_eq!(touched["result"]["content"][0]["text"], "touched");
    let mut stream = second.stream(&second.get().with("last-event-id", &primer)).await;
    let mut told =
        [stream.message().await.unwrap(), stream.message().await.unwrap()].map(|message| message["method"].clone());
    told.sort_by_key(Value::to_string);
    assert_eq!(told, ["notifications/resources/updated", "notifications/tools/list_changed"]);

    // At the third node the same is found, but has been told; what comes next is new.
    let answer = third.ask(&third.post(ask(2, "ping", json!({})))).await;
    assert_eq!(answer.status, 200);
    let added = nodes.servers[1].registry().resources().add(text_resource("note:late", "late")).unwrap();
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/resources/list_changed");
    drop((handle, added));
}

/// The log level that is set at one node holds at others.
#[tokio::test]
async fn the_log_level_belongs_to_the_session() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    let level = session.post(ask(1, "logging/setLevel", json!({ "level": "error" })));
    assert_eq!(session.ask(&level).await.json()["result"], json!({}));
    let second = nodes.at(&session, 1);
    // Were it told, the answer would be a stream.
    assert_eq!(second.ask(&second.tool(2, "say", json!({}))).await.text(), "said");
    let level = second.post(ask(3, "logging/setLevel", json!({ "level": "info" })));
    assert_eq!(second.ask(&level).await.json()["result"], json!({}));
    let third = nodes.at(&session, 2);
    let mut stream = third.stream(&third.tool(4, "say", json!({}))).await;
    assert_eq!(stream.message().await.unwrap()["params"]["data"], "said");
}

/// The node that a call came to reaches its client after the call on the stream that it has at another node, with what is for it alone as
/// with what is for all.
#[tokio::test]
async fn the_client_of_a_call_is_reached_on_any_node() {
    let nodes = Nodes::start().await;
    let kept = Kept::default();
    let handle = nodes.servers[0].registry().tools().add(keep_tool(kept.clone())).unwrap();
    let session = nodes.session().await;
    let third = nodes.at(&session, 2);
    let mut stream = third.stream(&third.get()).await;
    assert_eq!(session.ask(&session.tool(1, "keep", json!({}))).await.text(), "kept");
    let client = kept.lock().unwrap()[0].clone();
    client.log(LoggingLevel::Info, None, "done").await.unwrap();
    let mut logged = stream.message().await.unwrap();
    if logged["method"] == "notifications/tools/list_changed" {
        // That the tool came may be told to a session that opens right after.
        logged = stream.message().await.unwrap();
    }
    assert_eq!(logged["params"]["data"], "done");
    client.notify_prompts_changed().unwrap();
    assert_eq!(stream.message().await.unwrap()["method"], "notifications/prompts/list_changed");
    drop(handle);
}

/// TASK-036, TASK-037, TASK-039: a task is found and cancelled through any node, by its session only.
#[tokio::test]
async fn tasks_are_the_same_on_all_nodes() {
    let nodes = Nodes::start().await;
    let session = nodes.session().await;
    let call = ask(1, "tools/call", json!({ "name": "endless", "task": {} }));
    let created = session.ask(&session.post(call)).await.json();
    let id = created["result"]["task"]["taskId"].clone();
    let (second, third) = (nodes.at(&session, 1), nodes.at(&session, 2));
    let get = |session: &Session| session.post(ask(2, "tasks/get", json!({ "taskId": id })));
    assert_eq!(second.ask(&get(&second)).await.json()["result"]["status"], "working");
    let waiting = second.clone();
    let result = async { waiting.ask(&waiting.post(ask(3, "tasks/result", json!({ "taskId": id })))).await.json() };
    let cancel = async { third.ask(&third.post(ask(4, "tasks/cancel", json!({ "taskId": id })))).await.json() };
    let (_, cancelled) = tokio::join!(result, cancel);
    assert_eq!(cancelled["result"]["status"], "cancelled");
    assert_eq!(session.ask(&get(&session)).await.json()["result"]["status"], "cancelled");
    let other = Session::open(nodes.listening[1].address, "2025-11-25").await;
    assert_eq!(other.ask(&get(&other)).await.code(), -32602);
}

/// PAT-041: the state of a question that one node sealed is opened by another; so is a cursor.
#[tokio::test]
async fn what_one_node_seals_another_opens() {
    let nodes = Nodes::start().await;
    let greet = |more: Value| {
        let mut params = json!({ "name": "greet", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} } } });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Ask::post(ask(1, "tools/call", params))
            .with("mcp-protocol-version", MODERN)
            .with("mcp-method", "tools/call")
            .with("mcp-name", "greet")
    };
    let asked = nodes.modern(0, &greet(json!({}))).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let answer = json!({ "requestState": asked["result"]["requestState"],
        "inputResponses": { "name": { "action": "accept", "content": { "name": "Ada" } } } });
    let greeted = nodes.modern(1, &greet(answer)).await;
    assert_eq!(greeted["result"]["content"][0]["text"], "hello Ada", "{greeted}");

    let page = nodes.modern(0, &Ask::modern("tools/list", json!({}))).await;
    let next = json!({ "cursor": page["result"]["nextCursor"] });
    let page = nodes.modern(2, &Ask::modern("tools/list", next)).await;
    assert_eq!(page["result"]["tools"].as_array().map(Vec::len), Some(2), "{page}");
}
