//! Three nodes in processes of their own, on a Redis of their own, behind a proxy that knows nothing of sessions.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use jackfield_testkit::nodes::{Ended, NodeProcess, Proxy, Session, Storm};
use jackfield_testkit::{RedisServer, eventually};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

const PROGRAM: &str = env!("CARGO_BIN_EXE_testkit-node");

/// Nodes, what they share, and what is before them.
struct Nodes {
    redis: RedisServer,
    all: Vec<NodeProcess>,
    proxy: Proxy,
}

impl Nodes {
    /// `None` without a Redis.
    async fn start() -> Option<Self> {
        let redis = RedisServer::start()?;
        let mut all = Vec::new();
        for _ in 0..3 {
            all.push(NodeProcess::start(Path::new(PROGRAM), &redis.url()).await.unwrap());
        }
        let proxy = Proxy::start(all.iter().map(NodeProcess::address).collect()).await.unwrap();
        Some(Self { redis, all, proxy })
    }

    async fn session(&self) -> Session {
        Session::open(self.proxy.address()).await.unwrap()
    }

    fn at(&self, session: &Session, node: usize) -> Session {
        Session { address: self.all[node].address(), ..session.clone() }
    }
}

fn text(ended: &Ended) -> &str {
    match ended {
        Ended::Answered(result) => result["content"][0]["text"].as_str().unwrap_or_default(),
        other => panic!("{other:?}"),
    }
}

/// By when everything has to work again after the return of the store. Five seconds are enough on a machine that does nothing else, where
/// `JACKFIELD_STRICT_TIMES` is set; with other tests beside it a machine may be slower.
fn recovery_deadline() -> Instant {
    let is_strict = std::env::var_os("JACKFIELD_STRICT_TIMES").is_some();
    Instant::now() + Duration::from_secs(if is_strict { 5 } else { 60 })
}

/// Tries until something succeeds, which has to happen before the deadline. Clients get no event when a store is back.
async fn recovers(deadline: Instant, what: &str, attempt: impl AsyncFnMut() -> bool) {
    assert!(timeout_at(deadline, eventually(what, attempt)).await.is_ok(), "{what} did not recover in time");
}

async fn is_answered(session: &Session) -> bool {
    matches!(session.call("again", "echo", json!({ "text": "x" })).await.ended, Ended::Answered(_))
}

/// Everything that a session does works through a proxy that hands each connection to another node.
#[tokio::test]
async fn a_session_needs_no_sticky_proxy() {
    let Some(nodes) = Nodes::start().await else { return };
    let session = nodes.session().await;
    for id in 0..6 {
        let id = format!("echo {id}");
        assert_eq!(text(&session.call(&id, "echo", json!({ "text": id })).await.ended), id);
    }
    let counted = session.call("count", "count", json!({ "to": 30, "text": "done" })).await;
    assert_eq!((text(&counted.ended), counted.messages.len()), ("done", 30));
    assert_eq!(text(&session.call("me", "ask", json!({})).await.ended), "me", "answered through another node");

    // The session's own stream, subscriptions and updates: each at the node that the proxy chose.
    let mut stream = session.come_back("").await.unwrap();
    let subscribed = session.request("s", "resources/subscribe", json!({ "uri": "note://one" })).await;
    assert_eq!(subscribed.ended, Ended::Answered(json!({})));
    assert_eq!(text(&session.call("t", "touch", json!({ "uri": "note://one" })).await.ended), "note://one");
    assert_eq!(text(&session.call("p", "post", json!({ "text": "posted" })).await.ended), "posted");
    let mut seen = Vec::new();
    while seen.len() < 2 {
        let event = stream.event().await.unwrap().unwrap();
        if !event.data.is_empty() {
            seen.push(serde_json::from_str::<Value>(&event.data).unwrap()["method"].as_str().unwrap().to_owned());
        }
    }
    seen.sort_unstable();
    assert_eq!(seen, ["notifications/message", "notifications/resources/updated"]);

    // A task, its end, and the end of the session.
    let params = json!({ "name": "work", "arguments": { "text": "x", "milliseconds": 60_000 }, "task": {} });
    let Ended::Answered(created) = session.request("task", "tools/call", params).await.ended else { panic!() };
    let id = json!({ "taskId": created["task"]["taskId"] });
    for (method, status) in [("tasks/get", "working"), ("tasks/cancel", "cancelled"), ("tasks/get", "cancelled")] {
        let Ended::Answered(task) = session.request(method, method, id.clone()).await.ended else { panic!("{method}") };
        assert_eq!(task["status"], status, "{method}");
    }
    assert_eq!(session.send("DELETE", None, &[]).await.unwrap().0.head.status, 204);
    while session.call("over", "echo", json!({ "text": "x" })).await.ended != Ended::Refused(-32600, over()) {}
}

fn over() -> String {
    "the session is not known, or is over; send initialize again".to_owned()
}

/// A node that is killed in the middle of a call: the client comes back elsewhere and gets an error that says so.
#[tokio::test]
async fn a_killed_node_leaves_a_clear_error() {
    let Some(mut nodes) = Nodes::start().await else { return };
    let session = nodes.session().await;
    let first = nodes.at(&session, 0);
    let waiting = json!({ "jsonrpc": "2.0", "id": "w", "method": "tools/call", "params": {
        "name": "wait", "arguments": { "milliseconds": 600_000 }, "_meta": { "progressToken": 1 } } });
    let (_, mut wire) = first.send("POST", Some(&waiting), &[]).await.unwrap();
    let mut last = String::new();
    while let Some(event) = wire.event().await.unwrap() {
        last = event.id;
        if !event.data.is_empty() {
            break;
        }
    }
    nodes.all[0].kill();
    assert!(wire.event().await.is_err());
    let mut wire = session.come_back(&last).await.unwrap();
    let mut answers = Vec::new();
    while let Some(event) = wire.event().await.unwrap() {
        if !event.data.is_empty() {
            answers.push(serde_json::from_str::<Value>(&event.data).unwrap());
        }
    }
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!((&answers[0]["id"], &answers[0]["error"]["code"]), (&json!("w"), &json!(503)));
    assert_eq!(text(&session.call("next", "echo", json!({ "text": "on" })).await.ended), "on");
}

/// A node that is frozen and goes on later: its call has been ended in its place by then, and what it says comes too late.
#[tokio::test]
async fn a_frozen_node_does_not_answer_twice() {
    let Some(nodes) = Nodes::start().await else { return };
    let session = nodes.session().await;
    let first = nodes.at(&session, 0);
    let waiting = json!({ "jsonrpc": "2.0", "id": "w", "method": "tools/call", "params": {
        "name": "wait", "arguments": { "milliseconds": 200 }, "_meta": { "progressToken": 1 } } });
    let (_, mut wire) = first.send("POST", Some(&waiting), &[]).await.unwrap();
    let primer = wire.event().await.unwrap().unwrap().id;
    nodes.all[0].freeze().unwrap();
    let read = |node: usize| {
        let (session, primer) = (nodes.at(&session, node), primer.clone());
        async move {
            let mut wire = session.come_back(&primer).await.unwrap();
            let mut answers = Vec::new();
            while let Some(event) = wire.event().await.unwrap() {
                let message: Value = serde_json::from_str(&event.data).unwrap_or_default();
                if message.get("id").is_some() {
                    answers.push(message);
                }
            }
            answers
        }
    };
    let (one, other) = tokio::join!(read(1), read(2));
    assert_eq!((one.len(), &one), (1, &other));
    nodes.all[0].thaw().unwrap();
    // The connection at the frozen node shows the same end, if it still lives.
    while let Ok(Some(event)) = wire.event().await {
        let message: Value = serde_json::from_str(&event.data).unwrap_or_default();
        if message.get("id").is_some() {
            assert_eq!(message, one[0]);
        }
    }
    assert_eq!(read(0).await, one);
    assert_eq!(read(1).await, one);
    // It is one of the nodes again: what it works on now is waited for elsewhere.
    let second = nodes.at(&session, 1);
    eventually("what a thawed node works on is waited for elsewhere", async || {
        is_answered_elsewhere(&first, &second).await
    })
    .await;
}

/// Begins a call at one node, and reads its question and its answer at another. A node that a busy machine stops for longer than its
/// lease lasts is taken to be dead, so that this may fail once.
async fn is_answered_elsewhere(first: &Session, second: &Session) -> bool {
    let ask = json!({ "jsonrpc": "2.0", "id": "again", "method": "tools/call", "params": { "name": "ask" } });
    let (_, mut wire) = first.send("POST", Some(&ask), &[]).await.unwrap();
    let primer = wire.event().await.unwrap().unwrap().id;
    drop(wire);
    let mut wire = second.come_back(&primer).await.unwrap();
    while let Some(event) = wire.event().await.unwrap() {
        let message: Value = serde_json::from_str(&event.data).unwrap_or_default();
        if message["method"] == "elicitation/create" {
            let answer = json!({ "action": "accept", "content": { "name": "Ada" } });
            second.post(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer })).await.unwrap();
        }
        if message["result"]["content"][0]["text"] == "Ada" {
            return true;
        }
    }
    false
}

fn is_unavailable(ended: &Ended) -> bool {
    matches!(ended, Ended::Refused(503, why) if !why.is_empty())
}

/// Redis killed and started again with its data: what needs none goes on, what needs it says so, and within five seconds of its return
/// all is as it was, at all nodes: sessions, streams, tasks, and the way of messages between nodes.
#[tokio::test]
async fn redis_may_go_and_come_back() {
    let Some(mut nodes) = Nodes::start().await else { return };
    let session = nodes.session().await;
    let (first, second, third) = (nodes.at(&session, 0), nodes.at(&session, 1), nodes.at(&session, 2));
    assert_eq!(text(&first.call("1", "echo", json!({ "text": "x" })).await.ended), "x");
    let mut stream = second.come_back("").await.unwrap();
    let work = json!({ "name": "work", "arguments": { "text": "x", "milliseconds": 600_000 }, "task": {} });
    let Ended::Answered(created) = first.request("work", "tools/call", work.clone()).await.ended else { panic!() };
    let task = json!({ "taskId": created["task"]["taskId"] });

    nodes.redis.kill();
    assert_eq!(text(&first.call("2", "echo", json!({ "text": "x" })).await.ended), "x");
    for ended in [
        first.request("3", "tasks/get", task.clone()).await.ended,
        first.request("4", "tools/call", work).await.ended,
        first.request("5", "resources/subscribe", json!({ "uri": "note://one" })).await.ended,
        third.call("6", "echo", json!({ "text": "x" })).await.ended,
    ] {
        assert!(is_unavailable(&ended), "{ended:?}");
    }
    assert!(Session::open(nodes.all[1].address()).await.unwrap_err().to_string().starts_with("503"));
    let fresh = Command::new(PROGRAM).args(["127.0.0.1:0", "--store", &nodes.redis.url()]).output().unwrap();
    let said = String::from_utf8_lossy(&fresh.stderr);
    assert!(!fresh.status.success() && said.contains("the store is not available"), "{said}");

    nodes.redis.restart();
    let deadline = recovery_deadline();
    for node in 0..3 {
        let here = nodes.at(&session, node);
        recovers(deadline, "the session", async || is_answered(&here).await).await;
        recovers(deadline, "opening sessions", async || Session::open(here.address).await.is_ok()).await;
    }
    recovers(deadline, "the task", async || {
        match third.request("7", "tasks/get", task.clone()).await.ended {
            Ended::Answered(task) => {
                // Redis may have been away for longer than the lease of its worker.
                assert!(["working", "failed"].contains(&task["status"].as_str().unwrap()), "{task}");
                true
            }
            _ => false,
        }
    })
    .await;
    let posted = async || matches!(third.call("8", "post", json!({ "text": "x" })).await.ended, Ended::Answered(_));
    recovers(deadline, "sending", posted).await;
    let message = timeout_at(deadline, async {
        loop {
            let event = stream.event().await.unwrap().unwrap();
            if !event.data.is_empty() {
                return event.data;
            }
        }
    });
    assert!(message.await.expect("what is sent arrives in time").contains("notifications/message"));

    // A node that is new finds the session that was opened before.
    nodes.all[2].restart().await.unwrap();
    assert!(is_answered(&third).await);
    nodes.redis.freeze();
    assert_eq!(text(&first.call("9", "echo", json!({ "text": "x" })).await.ended), "x");
    assert!(is_unavailable(&first.request("10", "tasks/get", task).await.ended));
    nodes.redis.thaw();
    let deadline = recovery_deadline();
    recovers(deadline, "opening sessions", async || match Session::open(nodes.proxy.address()).await {
        Ok(session) => is_answered(&session).await,
        Err(_) => false,
    })
    .await;
}

/// Mistake: any server that listened at the address was taken for the node, so that requests went to the nodes of another test, which do
/// not know the session.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_stranger_is_not_taken_for_a_node() {
    let mut stranger = None;
    let node = NodeProcess::with(Path::new(PROGRAM), |address| {
        stranger = Some(std::net::TcpListener::bind(address).unwrap());
        [&address.to_string(), "--store", "memory:"].map(str::to_owned).into()
    });
    let error = node.await.unwrap_err().to_string();
    assert!(error.contains("instead of listening"), "{error}");
}

/// Processes of one machine share a file; what is in it survives all of them.
#[tokio::test]
async fn a_file_is_shared_too() {
    let folder = std::env::temp_dir().join(format!("jackfield-nodes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let store = format!("sqlite:{}", folder.join("store.db").display());
    let mut one = NodeProcess::start(Path::new(PROGRAM), &store).await.unwrap();
    let session = Session::open(one.address()).await.unwrap();
    let mut other = NodeProcess::start(Path::new(PROGRAM), &store).await.unwrap();
    let there = Session { address: other.address(), ..session.clone() };
    assert_eq!(text(&there.call("1", "echo", json!({ "text": "x" })).await.ended), "x");
    one.kill();
    other.kill();
    one.restart().await.unwrap();
    assert_eq!(text(&session.call("2", "echo", json!({ "text": "x" })).await.ended), "x");
    drop((one, other));
    std::fs::remove_dir_all(folder).unwrap();
}

/// The short version of `cargo xtask nodes`: nodes are killed in the middle of calls, and nothing is lost, doubled or misdelivered.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_survive_a_storm() {
    let Some(redis) = RedisServer::start() else { return };
    let storm = Storm { program: PROGRAM.into(), store: redis.url(), nodes: 3, kills: 4, calls: 300, sessions: 12 };
    let report = storm.run().await.unwrap();
    // How long an end takes depends on the machine, which may be busy with other tests; all else does not.
    let wrong: Vec<_> = report.wrong.iter().filter(|what| !what.contains("to end after")).collect();
    assert!(wrong.is_empty(), "{report}");
    assert_eq!((report.kills, report.answered + report.refused + report.broke), (4, 300), "{report}");
}
