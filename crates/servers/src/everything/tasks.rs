//! Tasks in both directions: a tool that runs as one, and tools whose question the client answers as one.

use std::time::Duration;

use jackfield::protocol::{ElicitParams, TaskMetadata, TaskStatus};
use jackfield::{Caller, Cx, Elicited, Error, Form, JsonSchema, RawJson, Server, Tasks, tool};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ordered::Ordered;
use super::questions::{form, to_sample};

const STAGES: [&str; 4] = ["Gathering sources", "Analyzing content", "Synthesizing findings", "Generating report"];
const SECOND: Duration = Duration::from_secs(1);
const TTL: Duration = Duration::from_secs(300);
/// How often a client is asked at most how far its task is.
const SHORTEST_PACE: Duration = Duration::from_millis(100);

pub(super) fn add(server: Server) -> Server {
    server.tasks(Tasks::new().ttl(TTL).poll_interval(SECOND))
}

/// What a client may be asked as a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sampling,
    Elicitation,
}

/// Whether a client answers questions of a kind as tasks.
pub(super) fn are_taken(caller: &Caller, kind: Kind) -> bool {
    let client = &caller.capabilities;
    let requests = client.tasks.as_ref().and_then(|tasks| tasks.requests.as_ref());
    let is_taken = requests.is_some_and(|requests| match kind {
        Kind::Sampling => requests.sampling.as_ref().is_some_and(|asked| asked.create_message.is_some()),
        Kind::Elicitation => requests.elicitation.as_ref().is_some_and(|asked| asked.create.is_some()),
    });
    let can_be_asked = match kind {
        Kind::Sampling => client.sampling.is_some(),
        Kind::Elicitation => client.elicitation.is_some(),
    };
    caller.revision.has_core_tasks() && is_taken && can_be_asked
}

/// What the person is asked when a topic has several meanings.
#[derive(Deserialize, JsonSchema, Form)]
struct Meaning {
    /// Which meaning of the topic to look into.
    interpretation: Interpretation,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, Form)]
#[serde(rename_all = "lowercase")]
enum Interpretation {
    Technical,
    Historical,
    Current,
}

impl Interpretation {
    fn name(self) -> &'static str {
        match self {
            Self::Technical => "technical",
            Self::Historical => "historical",
            Self::Current => "current",
        }
    }
}

/// Pretend to research a topic, as a task of four stages.
#[tool(
    name = "simulate-research-query",
    title = "Simulate Research Query",
    read_only = false,
    destructive = false,
    idempotent = false,
    open_world = false,
    task = "required"
)]
pub(super) async fn simulate_research_query(
    /** What to look into. */
    topic: String,
    /** Whether to ask what is meant. */
    #[default(false)]
    ambiguous: bool,
    cx: &Cx,
) -> Result<String, Error> {
    let mut meaning = None;
    for (stage, name) in (1..).zip(STAGES) {
        cx.task_message(format!("{name}...")).await;
        if stage == 3 && ambiguous && cx.can_elicit() {
            let question = format!("The topic \"{topic}\" has several meanings. Which one do you mean?");
            meaning = cx.elicit::<Meaning>("interpretation", &question).await.map(Elicited::accepted)?;
            cx.task_message(format!("{name}...")).await;
        }
        tokio::time::sleep(SECOND).await;
        cx.progress(stage, 4.0, name);
    }
    let meant = meaning.map_or(String::new(), |meaning| format!(" ({})", meaning.interpretation.name()));
    Ok(format!(
        "# Research Report: {topic}{meant}\n\n## Method\n\nStages of one second each, in which nothing was looked up:\n\n- {}\n\n\
         ## Findings\n\nThe server runs tasks, and this client has followed one to its end.\n",
        STAGES.join("\n- ")
    ))
}

/// Ask the client's model as a task of the client, and look at it until it is done.
#[tool(
    name = "trigger-sampling-request-async",
    title = "Trigger Async Sampling Request Tool",
    read_only = false,
    destructive = false,
    idempotent = false,
    open_world
)]
pub(super) async fn trigger_sampling_request_async(
    /** What to ask. */
    prompt: String,
    /** How long the answer may be. */
    #[arg(rename = "maxTokens")]
    #[default(100.0)]
    max_tokens: f64,
    cx: &Cx,
) -> Result<String, Error> {
    let mut params = to_sample("trigger-sampling-request-async", &prompt, max_tokens);
    params.task = Some(wish());
    follow(cx, "sampling/createMessage", params, Duration::from_secs(60)).await
}

/// Ask the user to fill in a form as a task of the client, and look at it until it is done.
#[tool(
    name = "trigger-elicitation-request-async",
    title = "Trigger Async Elicitation Request Tool",
    read_only = false,
    destructive = false,
    idempotent = false,
    open_world = false
)]
pub(super) async fn trigger_elicitation_request_async(cx: &Cx) -> Result<String, Error> {
    let mut params = ElicitParams::form("Please provide inputs for the following fields:", form());
    *params.task_mut() = Some(wish());
    follow(cx, "elicitation/create", params, Duration::from_secs(600)).await
}

fn wish() -> TaskMetadata {
    let mut wish = TaskMetadata::default();
    wish.ttl = Some(600_000);
    wish
}

#[derive(Deserialize)]
struct Answer {
    task: Option<Task>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Task {
    task_id: String,
    status: TaskStatus,
    status_message: Option<String>,
    poll_interval: Option<u64>,
}

impl Task {
    /// How long to wait before the next look: as long as the client wishes, but it is not asked all the time.
    fn pace(&self) -> Duration {
        self.poll_interval.map_or(SECOND, Duration::from_millis).max(SHORTEST_PACE)
    }
}

/// Looks at a task of the client, as often as the client says, for so long.
async fn follow(cx: &Cx, method: &'static str, params: impl Serialize, patience: Duration) -> Result<String, Error> {
    let answer = cx.request(method, params).await?;
    let Some(mut task) = answer.read::<Answer>()?.task else {
        return Ok(format!("[SYNC] The client answered at once:\n{}", pretty(&answer)));
    };
    let id = json!({ "taskId": task.task_id });
    let mut waited = Duration::ZERO;
    loop {
        match task.status {
            TaskStatus::Completed => {
                let result = cx.request("tasks/result", &id).await?;
                return Ok(format!("[COMPLETED] The client's task is done:\n{}", pretty(&result)));
            }
            TaskStatus::Failed => {
                let why = task.status_message.as_deref().unwrap_or("no reason given");
                return Ok(format!("[FAILED] The client's task failed: {why}"));
            }
            TaskStatus::Cancelled => return Ok("[CANCELLED] The client's task was cancelled.".to_owned()),
            _ if waited >= patience => break,
            _ => {}
        }
        let pace = task.pace().min(patience.saturating_sub(waited));
        tokio::time::sleep(pace).await;
        waited = waited.saturating_add(pace);
        task = cx.request("tasks/get", &id).await?.read()?;
    }
    Ok(format!("[TIMEOUT] The client's task was not done after {} seconds.", patience.as_secs()))
}

fn pretty(json: &RawJson) -> String {
    Ordered::read(json.get()).pretty()
}
