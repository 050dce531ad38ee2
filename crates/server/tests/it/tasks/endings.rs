//! Every task ends: with its work, its time, its server, or its node.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jackfield_protocol::{ErrorObject, TaskSupport};
use jackfield_server::{Cx, Server, Tasks};
use jackfield_store::{MemoryTasks, TaskEnd, TaskRecord, TaskStore, Timestamp};
use proptest::prelude::*;

use super::{modern, pass, server_with, share_tasks};
use crate::demo::{plain, tool};
use crate::talk::{Serve, Talk, runtime, started};

/// A store whose clock a test moves.
fn store() -> (Arc<MemoryTasks>, Arc<AtomicU64>) {
    let clock = Arc::new(AtomicU64::new(1_000_000));
    let read = clock.clone();
    let now = Arc::new(move || Timestamp::from_millis(read.load(Ordering::SeqCst)));
    (Arc::new(MemoryTasks::new().with_clock(now)), clock)
}

async fn end_of(store: &MemoryTasks, talk: &Talk) -> TaskRecord {
    store.get(talk.known("$id").as_str().unwrap()).await.unwrap().unwrap()
}

async fn begin_endless(server: impl Serve) -> Talk {
    let mut talk = Talk::new(server);
    talk.play(&modern()).await;
    talk.play("> 1 tools/call {\"name\": \"endless\"}\n < 1 {\"taskId\": \"$id\"}").await;
    pass(1).await;
    talk
}

/// A server that is stopped drops the work, and its tasks say why they failed.
#[test]
fn stopping_the_server_ends_its_tasks() {
    runtime().block_on(async {
        let (store, _) = store();
        let (server, running) = server_with(Tasks::new().store(store.clone()));
        let built = started(server);
        let mut talk = Talk::with(built.clone(), None);
        talk.play(&modern()).await;
        talk.play("> 1 tools/call {\"name\": \"endless\"}\n < 1 {\"taskId\": \"$id\"}").await;
        pass(1).await;
        assert_eq!(running.load(Ordering::SeqCst), 1);
        built.stop().await;
        assert_eq!(running.load(Ordering::SeqCst), 0);
        let record = end_of(&store, &talk).await;
        assert!(matches!(record.end, Some(TaskEnd::Failed(_))), "{record:?}");
        assert_eq!(record.message.as_deref(), Some("the server was shut down before the task was done"));
        talk.play("> 2 tools/call {\"name\": \"endless\"}\n < 2 error -32603 shutting down").await;
    });
}

/// A task goes on when the connection that began it is gone, and dies with the server.
#[test]
fn tasks_outlive_connections_but_not_servers() {
    runtime().block_on(async {
        let (store, _) = store();
        let (server, running) = server_with(Tasks::new().store(store.clone()));
        let built = started(server);
        let mut talk = Talk::with(built.clone(), None);
        talk.play(&modern()).await;
        talk.play(
            r#"
            > 1 tools/call {"name": "slow", "arguments": {"say": "hi"}}
            < 1 {"taskId": "$id"}
            > 2 tools/call {"name": "endless"}
            < 2 {}
            "#,
        )
        .await;
        let id = talk.known("$id").clone();
        talk.close().await;
        assert!(talk.receive().await.is_none());
        drop(talk);
        pass(20).await;
        let mut other = Talk::with(built.clone(), None);
        other.remember("$id", id);
        other.play(&modern()).await;
        other.play("> 1 tasks/get {\"taskId\": \"$id\"}\n < 1 {\"status\": \"completed\"}").await;
        assert_eq!(running.load(Ordering::SeqCst), 1);
        other.close().await;
        assert!(other.receive().await.is_none());
        drop((other, built));
        pass(1).await;
        assert_eq!(running.load(Ordering::SeqCst), 0, "nothing of the server is left");
    });
}

/// A node that dies without a word leaves tasks that another node ends when their lease is over; as long as it lives they go on.
#[test]
fn tasks_of_a_dead_node_fail() {
    runtime().block_on(async {
        let (store, clock) = store();
        let tasks = || Tasks::new().store(store.clone()).lease(Duration::from_secs(30));
        let (dying, other) = (server_with(tasks()).0, server_with(tasks()).0);
        let talk = begin_endless(dying).await;
        let mut elsewhere = Talk::new(other);
        elsewhere.play(&modern()).await;
        elsewhere.remember("$id", talk.known("$id").clone());
        // The worker says that it lives, in time.
        for _ in 0..10 {
            clock.fetch_add(15_000, Ordering::SeqCst);
            pass(15).await;
            elsewhere.play("> 1 tasks/get {\"taskId\": \"$id\"}\n < 1 {\"status\": \"working\"}").await;
        }
        drop(talk);
        pass(1).await;
        elsewhere.play("> 2 tasks/get {\"taskId\": \"$id\"}\n < 2 {\"status\": \"working\"}").await;
        clock.fetch_add(30_000, Ordering::SeqCst);
        elsewhere
            .play(
                r#"
            > 3 tasks/get {"taskId": "$id"}
            < 3 {"status": "failed", "statusMessage": "the server that worked on the task has gone", "error": {"code": -32603}}
            "#,
            )
            .await;
    });
}

/// A store that could not be told for long that the worker lives does not make the worker's own server end the task.
#[test]
fn a_task_that_is_worked_on_here_is_not_given_up() {
    runtime().block_on(async {
        let (store, clock) = store();
        let server = server_with(Tasks::new().store(store.clone()).lease(Duration::from_secs(30))).0;
        let mut talk = begin_endless(server).await;
        clock.fetch_add(60_000, Ordering::SeqCst);
        talk.play("> 2 tasks/get {\"taskId\": \"$id\"}\n < 2 {\"status\": \"working\"}").await;
    });
}

/// One who only listens learns that the node has died which worked on a task, and so does one who lists.
#[test]
fn listeners_learn_that_a_node_died() {
    runtime().block_on(async {
        let (store, clock) = store();
        let tasks = || Tasks::new().store(store.clone()).lease(Duration::from_secs(30));
        let (dying, other) = (server_with(tasks()).0, server_with(tasks()).0);
        let talk = begin_endless(dying).await;
        let mut elsewhere = Talk::new(other);
        elsewhere.play(&modern()).await;
        elsewhere.remember("$id", talk.known("$id").clone());
        elsewhere
            .play(
                r#"
                > 1 subscriptions/listen {"notifications": {"taskIds": ["$id"]}}
                < notifications/subscriptions/acknowledged {"notifications": {"taskIds": ["*"]}}
                "#,
            )
            .await;
        drop(talk);
        pass(1).await;
        clock.fetch_add(30_000, Ordering::SeqCst);
        elsewhere
            .play("< notifications/tasks {\"status\": \"failed\", \"statusMessage\": \"the server that worked on the task has gone\"}")
            .await;
    });
}

/// T-092, TASK-027: tasks are shared by all nodes of a store: one waits for the result, is asked, and cancels what another works on.
#[test]
fn nodes_share_tasks() {
    runtime().block_on(async {
        let (store, _) = store();
        let tasks = || Tasks::new().store(store.clone());
        let ((working, running), (other, _)) = (server_with(tasks()), server_with(tasks()));
        share_tasks(working, other).await;
        pass(1).await;
        assert_eq!(running.load(Ordering::SeqCst), 0);
    });
}

/// TASK-048: when its time is over a task is ended, and forgotten.
#[test]
fn the_time_to_live_ends_a_task() {
    runtime().block_on(async {
        let (store, clock) = store();
        let (server, running) = server_with(Tasks::new().store(store.clone()).ttl(Duration::from_secs(60)));
        let mut talk = begin_endless(server).await;
        pass(60).await;
        assert_eq!(running.load(Ordering::SeqCst), 0, "the work was dropped");
        talk.play("> 2 tasks/get {\"taskId\": \"$id\"}\n < 2 {\"status\": \"failed\", \"statusMessage\": \"the task took longer than its time to live\"}").await;
        clock.fetch_add(60_000, Ordering::SeqCst);
        talk.play("> 3 tasks/get {\"taskId\": \"$id\"}\n < 3 error -32602 expired").await;
    });
}

/// A result that is too large to be kept is an error that says so.
#[test]
fn results_that_can_not_be_kept_are_errors() {
    runtime().block_on(async {
        let large = plain("large", |_| async { "x".repeat(10_000) }).task(TaskSupport::Optional);
        let store = Arc::new(MemoryTasks::new().with_byte_limit(1_000));
        let mut talk = Talk::new(Server::new("x").tool(large).tasks(Tasks::new().store(store)));
        talk.play(&modern()).await;
        talk.play("> 1 tools/call {\"name\": \"large\"}\n < 1 {\"taskId\": \"$id\"}").await;
        pass(1).await;
        talk.play("> 2 tasks/get {\"taskId\": \"$id\"}\n < 2 {\"status\": \"failed\", \"error\": {\"code\": -32603, \"message\": \"there is no room to keep the result of the task\"}}").await;
    });
}

/// A handler that ends with questions by hand, or with a task of its own, has not done its work.
#[test]
fn odd_outcomes_fail() {
    use jackfield_protocol::{CallToolResult, InputRequired, Outcome, Schema, TaskHandle, TaskStatus, Tool};
    use jackfield_server::{ToolEntry, Work};
    runtime().block_on(async {
        let odd = |name: &str, outcome: Outcome<CallToolResult>| {
            let run = move |_: bytes::Bytes, _: Cx| Work::Ready(Ok(outcome.clone()));
            ToolEntry::new(Tool::new(name, Schema::object()), run).task(TaskSupport::Optional)
        };
        let asks = Outcome::InputRequired(InputRequired::default().with_request_state("s".to_owned()));
        let makes = Outcome::Task(Box::new(TaskHandle::new("other", TaskStatus::Working, "now")));
        let mut talk = Talk::new(Server::new("x").tool(odd("asks", asks)).tool(odd("makes", makes)));
        talk.play(&modern()).await;
        for name in ["asks", "makes"] {
            talk.play(&format!("> 1 tools/call {{\"name\": \"{name}\"}}\n < 1 {{\"taskId\": \"$id\"}}")).await;
            pass(1).await;
            talk.play(
                "> 2 tasks/get {\"taskId\": \"$id\"}\n < 2 {\"status\": \"failed\", \"error\": {\"code\": -32603}}",
            )
            .await;
        }
    });
}

/// What a task of the property does, one after the other.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Wait,
    Tell,
    Become,
    Panic,
    Fail,
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        4 => Just(Deed::Wait),
        2 => Just(Deed::Tell),
        2 => Just(Deed::Become),
        1 => Just(Deed::Panic),
        1 => Just(Deed::Fail),
    ]
}

fn worker() -> jackfield_server::ToolEntry {
    let schema = serde_json::json!({"type": "object"});
    let run = |arguments: serde_json::Value, cx: Cx| async move {
        for deed in arguments["deeds"].as_array().unwrap() {
            match deed.as_str().unwrap() {
                "Wait" => jackfield_testkit::pass(Duration::from_secs(1)).await,
                "Tell" => cx.task_message("told").await,
                "Become" => drop(cx.become_task().await),
                "Panic" => panic!("as told"),
                _ => return Err(ErrorObject::new(1, "as told")),
            }
        }
        Ok::<_, ErrorObject>("done".to_owned())
    };
    tool("work", schema, run).becomes_task()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// TASK-015, TASK-016: whatever its work does and whenever it is cancelled or its server stops, every task that was created ends, and
    /// nothing changes its end.
    #[test]
    fn every_task_ends_and_stays_so(
        deeds in prop::collection::vec(deed(), 0..5),
        at_once in any::<bool>(),
        cancel_after in prop::option::of(0u64..4),
        stop_after in prop::option::of(0u64..6),
    ) {
        let ended = runtime().block_on(async {
            let (store, _) = store();
            let mut entry = worker();
            if at_once {
                entry.task_start = jackfield_server::TaskStart::AtOnce;
            }
            let server = Server::new("x").tool(entry).tasks(Tasks::new().store(store.clone()));
            let built = started(server);
            let mut talk = Talk::with(built.clone(), None);
            talk.play(&modern()).await;
            let names: Vec<String> = deeds.iter().map(|deed| format!("\"{deed:?}\"")).collect();
            talk.play(&format!("> 1 tools/call {{\"name\": \"work\", \"arguments\": {{\"deeds\": [{}]}}}}", names.join(","))).await;
            let answer = talk.receive().await.unwrap();
            let id = answer["result"]["taskId"].as_str().map(str::to_owned)?;
            talk.remember("$id", id.clone().into());
            if let Some(seconds) = cancel_after {
                pass(seconds).await;
                talk.play("> 2 tasks/cancel {\"taskId\": \"$id\"}\n < 2 {}").await;
            }
            let early = store.get(&id).await.unwrap().unwrap();
            if let Some(seconds) = stop_after {
                pass(seconds).await;
                built.stop().await;
            }
            pass(10).await;
            Some((early, store.get(&id).await.unwrap().unwrap()))
        });
        if let Some((early, late)) = ended {
            prop_assert!(late.end.is_some(), "{late:?}");
            if early.end.is_some() {
                prop_assert_eq!(early, late);
            }
        }
    }
}
