//! Notices about tasks on a listen stream.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jackfield_server::{Server, Tasks};
use jackfield_store::{
    Boxed, MemoryTasks, NewTask, StoreError, TaskChange, TaskPage, TaskRecord, TaskStore, TaskWatch, Updated,
};

use super::{EXTENSION, modern, pass, server, server_with};
use crate::demo::plain;
use crate::talk::{Talk, check, runtime};

/// XTSK-028, XTSK-027: who listens is told each state of a task as `tasks/get` would tell it, and nothing else about it.
#[test]
fn states_are_told_to_who_listens() {
    runtime().block_on(async {
        let mut talk = Talk::new(server());
        talk.skips_working = true;
        talk.play(&modern()).await;
        talk.play(
            r#"
            > 1 tools/call {"name": "greet", "_meta": {"progressToken": 1, "io.modelcontextprotocol/logLevel": "debug"}}
            < 1 {"taskId": "$greet"}
            > 2 tools/call {"name": "slow", "arguments": {"say": "hi"}, "_meta": {"progressToken": 2, "io.modelcontextprotocol/logLevel": "debug"}}
            < 2 {"taskId": "$slow"}
            "#,
        )
        .await;
        pass(1).await;
        talk.play(
            r#"
            > 3 subscriptions/listen {"notifications": {"taskIds": ["$greet", "$slow", "none", "$slow"]}}
            < notifications/subscriptions/acknowledged {"notifications": {"taskIds": ["$a", "$b"]}, "_meta": {"io.modelcontextprotocol/subscriptionId": 3}}
            < notifications/tasks {"taskId": "*", "status": "input_required", "inputRequests": {"name": "*"}, "createdAt": "*", "ttlMs": 3600000, "pollIntervalMs": 1000, "_meta": {"io.modelcontextprotocol/subscriptionId": 3}}
            > 4 tasks/update {"taskId": "$greet", "inputResponses": {"name": {"action": "accept", "content": {"name": "Ada"}}}}
            < 4 {}
            < notifications/tasks {"status": "completed", "result": {"content": [{"text": "hello, Ada"}]}}
            < notifications/tasks {"taskId": "*", "status": "completed", "result": {"content": [{"text": "hi"}]}}
            < nothing
            "#,
        )
        .await;
        assert_eq!((talk.known("$a"), talk.known("$b")), (talk.known("$greet"), talk.known("$slow")));
    });
}

/// XTSK-028: a stream that begins after the end is told the end; cancelling is told as well.
#[test]
fn ends_are_told_to_who_comes_late() {
    runtime().block_on(async {
        let mut talk = Talk::new(server());
        talk.play(&modern()).await;
        talk.play(
            r#"
            > 1 tools/call {"name": "broken"}
            < 1 {"taskId": "$broken"}
            > 2 tools/call {"name": "endless"}
            < 2 {"taskId": "$endless"}
            "#,
        )
        .await;
        pass(1).await;
        talk.play(
            r#"
            > 3 subscriptions/listen {"notifications": {"taskIds": ["$broken", "$endless"]}}
            < notifications/subscriptions/acknowledged
            < notifications/tasks {"status": "failed", "error": {"code": 7}}
            > 4 tasks/cancel {"taskId": "$endless"}
            < 4 {}
            < notifications/tasks {"status": "cancelled"}
            > notifications/cancelled {"requestId": 3}
            < nothing
            "#,
        )
        .await;
    });
}

/// XTSK-026: listening to tasks needs the extension; a server without tasks leaves them out, like everything it has no notices for.
#[test]
fn listening_needs_the_extension() {
    check(
        server(),
        r#"
        @ 2026-07-28 {}
        > 1 subscriptions/listen {"notifications": {"taskIds": []}}
        < 1 error -32021 io.modelcontextprotocol/tasks
        "#,
    );
    let many: Vec<String> = (0..257).map(|n| format!("\"{n}\"")).collect();
    check(
        server(),
        &format!(
            "@ 2026-07-28 {EXTENSION}\n > 1 subscriptions/listen {{\"notifications\": {{\"taskIds\": [{}]}}}}\n < 1 error -32602 256",
            many.join(",")
        ),
    );
    check(
        Server::new("x").tool(plain("t", |_| async { String::new() })),
        &format!(
            r#"@ 2026-07-28 {EXTENSION}
        > 1 subscriptions/listen {{"notifications": {{"taskIds": ["x"], "toolsListChanged": true}}}}
        < notifications/subscriptions/acknowledged {{"notifications": {{"taskIds": "!", "toolsListChanged": true}}}}
        "#
        ),
    );
}

/// A store that cannot show some of its tasks for a while.
#[derive(Debug, Default)]
struct Hiding {
    tasks: MemoryTasks,
    hidden: Mutex<BTreeSet<String>>,
    /// How often it was asked for one of them.
    asked: AtomicUsize,
}

impl TaskStore for Hiding {
    fn create(&self, task: NewTask) -> Boxed<'_, Result<TaskRecord, StoreError>> {
        self.tasks.create(task)
    }

    fn get<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<TaskRecord>, StoreError>> {
        if self.hidden.lock().unwrap().contains(id) {
            self.asked.fetch_add(1, Ordering::SeqCst);
            return Box::pin(async { Err(StoreError::Unavailable("the line is dead".into())) });
        }
        self.tasks.get(id)
    }

    fn update<'a>(&'a self, id: &'a str, change: TaskChange) -> Boxed<'a, Result<Updated, StoreError>> {
        self.tasks.update(id, change)
    }

    fn answer<'a>(
        &'a self,
        id: &'a str,
        answers: Vec<(String, bytes::Bytes)>,
    ) -> Boxed<'a, Result<Updated, StoreError>> {
        self.tasks.answer(id, answers)
    }

    fn list<'a>(
        &'a self,
        owner: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> Boxed<'a, Result<TaskPage, StoreError>> {
        self.tasks.list(owner, after, limit)
    }

    fn renew<'a>(&'a self, ids: &'a [String], lease: Duration) -> Boxed<'a, Result<(), StoreError>> {
        self.tasks.renew(ids, lease)
    }

    fn watch<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<TaskWatch>, StoreError>> {
        self.tasks.watch(id)
    }
}

/// XTSK-028: a change that the store cannot show is told when it can; meanwhile those of other tasks are told.
#[test]
fn a_change_is_told_after_an_outage_of_the_store() {
    runtime().block_on(async {
        let store = Arc::new(Hiding::default());
        let (server, _) = server_with(Tasks::new().store(store.clone()));
        let mut talk = Talk::new(server);
        talk.skips_working = true;
        talk.play(&modern()).await;
        talk.play(
            r#"
            > 1 tools/call {"name": "slow", "arguments": {"say": "hi"}}
            < 1 {"taskId": "$slow"}
            > 2 tools/call {"name": "endless"}
            < 2 {"taskId": "$endless"}
            > 3 subscriptions/listen {"notifications": {"taskIds": ["$slow", "$endless"]}}
            < notifications/subscriptions/acknowledged
            "#,
        )
        .await;
        let slow = talk.known("$slow").as_str().unwrap().to_owned();
        store.hidden.lock().unwrap().insert(slow.clone());
        // It ends, but nobody can say how; nothing of it is told, however often it is looked for.
        pass(60).await;
        let asked = store.asked.load(Ordering::SeqCst);
        // The pauses between two looks grow.
        assert!((10..100).contains(&asked), "{asked}");
        talk.play(
            r#"
            > 4 tasks/cancel {"taskId": "$endless"}
            < 4 {}
            < notifications/tasks {"taskId": "$endless", "status": "cancelled"}
            "#,
        )
        .await;
        store.hidden.lock().unwrap().clear();
        talk.play(
            r#"
            < notifications/tasks {"taskId": "$slow", "status": "completed", "result": {"content": [{"text": "hi"}]}}
            "#,
        )
        .await;
        assert_eq!(talk.known("$slow").as_str(), Some(slow.as_str()));
    });
}
