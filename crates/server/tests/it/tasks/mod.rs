//! Calls that run as tasks, in both forms.

mod audit;
mod core;
mod endings;
mod extension;
mod moving;
mod notices;
mod outages;
mod owners;
mod stores;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jackfield_protocol::{ElicitParams, ElicitSchema, ErrorObject, TaskSupport};
use jackfield_server::{Cx, Elicited, QuestionError, Server, Tasks};
use serde_json::json;

use crate::demo::{plain, text_schema, tool};
use crate::talk::{Serve, Talk};

/// What a client of the extension says.
const EXTENSION: &str = r#"{"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}"#;

/// The line that begins a conversation of the extension.
fn modern() -> String {
    format!("@ 2026-07-28 {EXTENSION}")
}

/// The line that begins a conversation of 2025-11-25.
fn core_tasks() -> String {
    r#"@ 2025-11-25 {"elicitation": {}, "roots": {}}"#.to_owned()
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema, jackfield::Form)]
struct Name {
    name: String,
}

/// Counts one while it lives.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count.clone())
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A server with tools that end in every way. The count says how many of `endless` run.
fn server_with(tasks: Tasks) -> (Server, Arc<AtomicUsize>) {
    let running = Arc::new(AtomicUsize::new(0));
    let counted = running.clone();
    let slow = tool("slow", text_schema("say"), |arguments, cx: Cx| async move {
        cx.progress(1, 2.0, "half");
        cx.info("working");
        jackfield_testkit::pass(Duration::from_secs(10)).await;
        cx.progress(2, 2.0, "done");
        Ok::<_, ErrorObject>(arguments["say"].as_str().unwrap().to_owned())
    });
    let server = Server::new("x")
        .tasks(tasks)
        .tool(slow.task(TaskSupport::Optional))
        .tool(plain("plain", |_| async { "plain".to_owned() }))
        .tool(
            plain("failing", |_| async {
                jackfield_testkit::pass(Duration::from_secs(1)).await;
                Err::<String, _>(QuestionError::TimedOut)
            })
            .task(TaskSupport::Required),
        )
        .tool(
            plain("broken", |_| async { Err::<String, _>(ErrorObject::new(7, "it broke")) })
                .task(TaskSupport::Optional),
        )
        .tool(
            plain("panicking", |_| async {
                tokio::task::yield_now().await;
                assert!(json!(null).is_string(), "a secret");
                String::new()
            })
            .task(TaskSupport::Optional),
        )
        .tool(
            plain("endless", move |_| {
                let alive = Alive::new(&counted);
                async move {
                    let _alive = alive;
                    std::future::pending::<()>().await;
                    String::new()
                }
            })
            .task(TaskSupport::Optional),
        )
        .tool(
            plain("greet", |cx: Cx| async move {
                let name = cx.elicit::<Name>("name", "Who are you?").await?;
                cx.task_message("thinking").await;
                let Elicited::Accepted(name) = name else { return Ok("hello, nobody".to_owned()) };
                // Asking the same again asks nobody.
                let again = cx.elicit::<Name>("name", "Who are you?").await?.accepted();
                assert_eq!(again.unwrap().name, name.name);
                Ok::<_, QuestionError>(format!("hello, {}", name.name))
            })
            .task(TaskSupport::Optional),
        )
        .tool(
            plain("both", |cx: Cx| async move {
                let form = |text| ElicitParams::form(text, ElicitSchema::default()).into();
                let answers = cx.ask_all([("one", form("1?")), ("two", form("2?"))]).await?;
                let said = |key| answers.form_content(key).map(|answer| answer.accepted().is_some());
                Ok::<_, QuestionError>(format!("{} {}", said("one")?, said("two")?))
            })
            .task(TaskSupport::Optional),
        );
    (server, running)
}

pub(crate) fn server() -> Server {
    server_with(Tasks::new()).0
}

/// Lets time pass, which costs none.
async fn pass(seconds: u64) {
    jackfield_testkit::pass(Duration::from_secs(seconds)).await;
}

/// Two nodes, one user: one works, the other waits for the result, is asked, and cancels.
async fn share_tasks(working: impl Serve, other: impl Serve) {
    let mut talk = Talk::of_user(working, "alice");
    talk.play(&core_tasks()).await;
    talk.play(
        r#"
        > 1 tools/call {"name": "greet", "task": {}}
        < 1 {"task": {"taskId": "$greet"}}
        < notifications/tasks/status {"status": "input_required"}
        > 2 tools/call {"name": "endless", "task": {}}
        < 2 {"task": {"taskId": "$endless"}}
        "#,
    )
    .await;
    let mut elsewhere = Talk::of_user(other, "alice");
    elsewhere.play(&core_tasks()).await;
    for name in ["$greet", "$endless"] {
        elsewhere.remember(name, talk.known(name).clone());
    }
    elsewhere
        .play(
            r#"
            > 1 tasks/list
            < 1 {"tasks": [{}, {}]}
            > 2 tasks/result {"taskId": "$greet"}
            < ? elicitation/create
            > ? {"action": "accept", "content": {"name": "Ada"}}
            < 2 {"content": [{"text": "hello, Ada"}]}
            > 3 tasks/cancel {"taskId": "$endless"}
            < 3 {"status": "cancelled"}
            "#,
        )
        .await;
}
