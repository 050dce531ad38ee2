//! What is written down about tasks.

use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};

use super::{core_tasks, pass, server};
use crate::talk::{Talk, runtime, started};

/// Keeps each event as text.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<String>>>);

impl Written {
    /// Something was written with all of these words in it.
    #[track_caller]
    fn has(&self, words: &[&str]) {
        let lines = self.0.lock().unwrap();
        assert!(lines.iter().any(|line| words.iter().all(|word| line.contains(word))), "{words:?} in {lines:#?}");
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0 += &format!(" {field}={value:?}");
    }
}

impl<S: Subscriber> Layer<S> for Written {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }
}

/// TASK-049: that a task is created, ends, is ended or asked for is written down with the user; so is who asks for what is not there.
#[test]
fn what_happens_to_tasks_is_written_down() {
    let written = Written::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(written.clone()));
    runtime().block_on(async {
        let (mut alice, mut mallory) = {
            let server = started(server());
            (Talk::of_user(&server, "alice"), Talk::of_user(&server, "mallory"))
        };
        alice.play(&core_tasks()).await;
        mallory.play(&core_tasks()).await;
        alice.play("> 1 tools/call {\"name\": \"broken\", \"task\": {}}\n < 1 {\"task\": {\"taskId\": \"$id\"}}").await;
        written.has(&["a task was created", "alice"]);
        alice.play("< notifications/tasks/status {\"status\": \"failed\"}").await;
        pass(1).await;
        written.has(&["a task has ended", "alice"]);
        for method in ["tasks/get", "tasks/result"] {
            alice.play(&format!("> 2 {method} {{\"taskId\": \"$id\"}}")).await;
            alice.receive().await.unwrap();
            written.has(&["a task was asked for", "alice", method]);
        }
        mallory.remember("$id", alice.known("$id").clone());
        mallory.play("> 1 tasks/result {\"taskId\": \"$id\"}\n < 1 error -32602 task not found").await;
        written.has(&["not there, or belongs to someone else", "mallory", "tasks/result"]);
        alice
            .play("> 3 tools/call {\"name\": \"endless\", \"task\": {}}\n < 3 {\"task\": {\"taskId\": \"$id\"}}")
            .await;
        alice.play("> 4 tasks/cancel {\"taskId\": \"$id\"}\n < 4 {}").await;
        pass(1).await;
        written.has(&["a task was ended from outside", "alice"]);
    });
}
