//! A tool that runs as a task: the client is answered at once, comes back for the result, and may be asked meanwhile.

use std::time::Duration;

use jackfield::{Cx, Elicited, Form, JsonSchema, Server, Tasks, tool, tools};
use serde::Deserialize;

/// What the person is asked.
#[derive(Deserialize, JsonSchema, Form)]
struct Style {
    /// How long the report should be.
    words: u16,
}

/// Write a report about a topic.
#[tool(task, read_only)]
async fn report(topic: String, ask: Option<bool>, cx: &Cx) -> jackfield::Result<String> {
    let mut words = 500;
    if ask == Some(true)
        && let Elicited::Accepted(style) = cx.elicit::<Style>("style", "How long should it be?").await?
    {
        words = style.words;
    }
    let stages = ["Gathering sources", "Analyzing content", "Writing"];
    for (done, stage) in (1u8..).zip(stages) {
        cx.task_message(stage).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
        cx.progress(done, 3.0, stage);
    }
    Ok(format!("# Report about {topic}\n\nIn {words} words."))
}

/// Count to a number, which takes its time only if the number is large.
#[tool(becomes_task, read_only)]
async fn count(to: u32, cx: &Cx) -> String {
    if to > 10 {
        cx.become_task().await;
    }
    for _ in 0..to {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    format!("counted to {to}")
}

#[tokio::main]
async fn main() -> jackfield::Result {
    let tasks = Tasks::new().ttl(Duration::from_secs(10 * 60)).poll_interval(Duration::from_millis(20));
    Server::new("reports").tools(tools![report, count]).tasks(tasks).run_cli().await
}
