//! Tasks whose store is away for a while, or slow.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use jackfield_server::Tasks;
use jackfield_store::{
    MemoryTasks, NewTask, StoreError, TaskChange, TaskPage, TaskRecord, TaskStore, TaskWatch, Updated,
};
use tokio::sync::Semaphore;

use super::{core_tasks, modern, pass, server_with};
use crate::talk::{Talk, runtime, started};

type Boxed<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A store that a test takes away and gives back.
#[derive(Debug)]
struct Faulty {
    inner: MemoryTasks,
    is_away: AtomicBool,
    /// Whether the next looks succeed; later ones do.
    looks: Mutex<VecDeque<bool>>,
    /// Changes find nothing.
    has_lost_all: AtomicBool,
    /// Whether watches tell nothing.
    is_deaf: AtomicBool,
    /// Who may create.
    gate: Semaphore,
}

impl Faulty {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            inner: MemoryTasks::new(),
            is_away: AtomicBool::new(false),
            looks: Mutex::default(),
            has_lost_all: AtomicBool::new(false),
            is_deaf: AtomicBool::new(false),
            gate: Semaphore::new(Semaphore::MAX_PERMITS),
        })
    }

    fn here(&self) -> Result<(), StoreError> {
        match self.is_away.load(Ordering::SeqCst) {
            true => Err(StoreError::Unavailable("away".into())),
            false => Ok(()),
        }
    }
}

impl TaskStore for Faulty {
    fn create(&self, task: NewTask) -> Boxed<'_, Result<TaskRecord, StoreError>> {
        Box::pin(async move {
            self.gate.acquire().await.unwrap().forget();
            self.here()?;
            self.inner.create(task).await
        })
    }

    fn get<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<TaskRecord>, StoreError>> {
        Box::pin(async move {
            self.here()?;
            let succeeds = self.looks.lock().unwrap().pop_front().unwrap_or(true);
            if !succeeds {
                return Err(StoreError::Unavailable("once".into()));
            }
            self.inner.get(id).await
        })
    }

    fn update<'a>(&'a self, id: &'a str, change: TaskChange) -> Boxed<'a, Result<Updated, StoreError>> {
        Box::pin(async move {
            self.here()?;
            if self.has_lost_all.load(Ordering::SeqCst) {
                return Ok(Updated::Gone);
            }
            self.inner.update(id, change).await
        })
    }

    fn answer<'a>(&'a self, id: &'a str, answers: Vec<(String, Bytes)>) -> Boxed<'a, Result<Updated, StoreError>> {
        Box::pin(async move {
            self.here()?;
            self.inner.answer(id, answers).await
        })
    }

    fn list<'a>(
        &'a self,
        owner: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> Boxed<'a, Result<TaskPage, StoreError>> {
        Box::pin(async move {
            self.here()?;
            self.inner.list(owner, after, limit).await
        })
    }

    fn renew<'a>(&'a self, ids: &'a [String], lease: Duration) -> Boxed<'a, Result<(), StoreError>> {
        Box::pin(async move {
            self.here()?;
            self.inner.renew(ids, lease).await
        })
    }

    fn watch<'a>(&'a self, id: &'a str) -> Boxed<'a, Result<Option<TaskWatch>, StoreError>> {
        Box::pin(async move {
            self.here()?;
            let watch = self.inner.watch(id).await?;
            if !self.is_deaf.load(Ordering::SeqCst) {
                return Ok(watch);
            }
            // It watches another task, to which nothing happens.
            let silent = self.inner.create(NewTask::new("nobody")).await?;
            self.inner.watch(silent.id.as_str()).await
        })
    }
}

fn on(store: &Arc<Faulty>) -> Tasks {
    Tasks::new().store(store.clone())
}

/// A result waits for a store that is away, as long as the task is kept.
#[test]
fn results_wait_for_the_store() {
    runtime().block_on(async {
        let store = Faulty::new();
        let mut talk = Talk::new(server_with(on(&store)).0);
        talk.play(&modern()).await;
        talk.play("> 1 tools/call {\"name\": \"slow\", \"arguments\": {\"say\": \"hi\"}}\n < 1 {\"taskId\": \"$id\"}")
            .await;
        store.is_away.store(true, Ordering::SeqCst);
        pass(70).await;
        store.is_away.store(false, Ordering::SeqCst);
        talk.play("> 2 tasks/get {\"taskId\": \"$id\"}\n < 2 {\"status\": \"working\"}").await;
        pass(10).await;
        talk.play("> 3 tasks/get {\"taskId\": \"$id\"}\n < 3 {\"status\": \"completed\", \"result\": {\"content\": [{\"text\": \"hi\"}]}}").await;
    });
}

/// A store that never comes back is given up when the time of the task is over, and a server that stops does not wait for it.
#[test]
fn results_do_not_wait_for_ever() {
    runtime().block_on(async {
        let store = Faulty::new();
        let built = started(server_with(on(&store).ttl(Duration::from_secs(100)).running(1)).0);
        let mut talk = Talk::with(built.clone(), None);
        talk.play(&modern()).await;
        let slow = "tools/call {\"name\": \"slow\", \"arguments\": {\"say\": \"hi\"}}";
        talk.play(&format!("> 1 {slow}\n < 1 {{\"taskId\": \"*\"}}")).await;
        store.is_away.store(true, Ordering::SeqCst);
        pass(110).await;
        store.is_away.store(false, Ordering::SeqCst);
        // Its place among those that run is free.
        talk.play(&format!("> 2 {slow}\n < 2 {{\"taskId\": \"*\"}}")).await;
        store.is_away.store(true, Ordering::SeqCst);
        pass(20).await;
        let begun = tokio::time::Instant::now();
        built.stop().await;
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    });
}

/// A look that fails after the answer came does not cost the answer, nor does a question that cannot be put at once.
#[test]
fn questions_wait_for_the_store() {
    runtime().block_on(async {
        let store = Faulty::new();
        let mut talk = Talk::new(server_with(on(&store)).0);
        talk.play(&modern()).await;
        talk.play("> 1 tools/call {\"name\": \"greet\"}\n < 1 {\"taskId\": \"$id\"}").await;
        store.is_away.store(true, Ordering::SeqCst);
        pass(20).await;
        store.is_away.store(false, Ordering::SeqCst);
        pass(10).await;
        talk.play("> 2 tasks/get {\"taskId\": \"$id\"}\n < 2 {\"status\": \"input_required\"}").await;
        // The first is that of the request.
        store.looks.lock().unwrap().extend([true, false, false]);
        let answer = "> 3 tasks/update {\"taskId\": \"$id\", \"inputResponses\": {\"name\": {\"action\": \"accept\", \"content\": {\"name\": \"Ada\"}}}}\n < 3 {}";
        talk.play(answer).await;
        pass(10).await;
        assert!(store.looks.lock().unwrap().is_empty());
        talk.play("> 4 tasks/get {\"taskId\": \"$id\"}\n < 4 {\"status\": \"completed\", \"result\": {\"content\": [{\"text\": \"hello, Ada\"}]}}").await;
    });
}

/// Where notices get lost, a task is looked at from time to time: answers are found, and one that was cancelled stops.
#[test]
fn tasks_do_without_notices() {
    runtime().block_on(async {
        let store = Faulty::new();
        store.is_deaf.store(true, Ordering::SeqCst);
        let (server, running) = server_with(on(&store).lease(Duration::from_secs(30)));
        let mut talk = Talk::new(server);
        talk.play(&modern()).await;
        talk.play(
            r#"
            > 1 tools/call {"name": "greet"}
            < 1 {"taskId": "$greet"}
            > 2 tools/call {"name": "endless"}
            < 2 {"taskId": "$endless"}
            "#,
        )
        .await;
        pass(1).await;
        talk.play(
            r#"
            > 3 tasks/update {"taskId": "$greet", "inputResponses": {"name": {"action": "accept", "content": {"name": "Ada"}}}}
            < 3 {}
            > 4 tasks/cancel {"taskId": "$endless"}
            < 4 {}
            "#,
        )
        .await;
        pass(40).await;
        talk.play("> 5 tasks/get {\"taskId\": \"$greet\"}\n < 5 {\"status\": \"completed\"}").await;
        assert_eq!(running.load(Ordering::SeqCst), 0);
    });
}

/// XTSK-010: no call is answered with a task before the store has it.
#[test]
fn a_task_is_told_when_it_is_kept() {
    for begin in [modern(), core_tasks()] {
        runtime().block_on(async {
            let store = Faulty::new();
            store.gate.forget_permits(Semaphore::MAX_PERMITS);
            let mut talk = Talk::new(server_with(on(&store)).0);
            talk.play(&begin).await;
            talk.play("> 1 tools/call {\"name\": \"endless\", \"task\": {}}\n < nothing").await;
            store.gate.add_permits(1);
            let answer = talk.receive().await.unwrap();
            let result = &answer["result"];
            let id =
                result["taskId"].as_str().or(result["task"]["taskId"].as_str()).unwrap_or_else(|| panic!("{answer}"));
            assert!(store.inner.get(id).await.unwrap().is_some());
            talk.play(&format!("> 2 tasks/get {{\"taskId\": \"{id}\"}}\n < 2 {{\"status\": \"working\"}}")).await;
        });
    }
}

/// TASK-039: what the server itself cannot do is an internal error, and a task that is gone was not found.
#[test]
fn a_store_that_fails_is_an_internal_error() {
    runtime().block_on(async {
        let store = Faulty::new();
        let mut talk = Talk::new(server_with(on(&store)).0);
        talk.play(&core_tasks()).await;
        talk.play("> 1 tools/call {\"name\": \"endless\", \"task\": {}}\n < 1 {\"task\": {\"taskId\": \"$id\"}}").await;
        store.is_away.store(true, Ordering::SeqCst);
        for request in [
            "tasks/get {\"taskId\": \"$id\"}",
            "tasks/cancel {\"taskId\": \"$id\"}",
            "tasks/result {\"taskId\": \"$id\"}",
            "tasks/list",
        ] {
            talk.play(&format!(
                "> 2 {request}\n < 2 error -32603 not available at the moment data {{\"status\": 503}}"
            ))
            .await;
        }
        store.is_away.store(false, Ordering::SeqCst);
        store.has_lost_all.store(true, Ordering::SeqCst);
        talk.play("> 3 tasks/cancel {\"taskId\": \"$id\"}\n < 3 error -32602 task not found").await;
        talk.play("> 4 tasks/get {\"taskId\": \"none\"}\n < 4 error -32602 task not found").await;
        talk.play("> 5 tasks/list {\"cursor\": \"none\"}\n < 5 error -32602 cursor").await;
    });
}
