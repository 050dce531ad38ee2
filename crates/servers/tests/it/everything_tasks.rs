//! Tasks of the demo server, in both directions.

use jackfield::protocol::{CreateMessageResult, SamplingContent, SamplingContentBlock, TextContent};
use jackfield::testing::TestClient;
use jackfield::{ByteStream, ElicitAction, ElicitResult, ErrorObject, Revision, Role, json};
use jackfield_client::{Builder, Client};
use jackfield_servers::everything::{Options, server};
use tokio::task::JoinSet;

const WITH_TASKS: [Revision; 2] = [Revision::LATEST_WITH_HANDSHAKE, Revision::LATEST];

/// TASK-024, XTSK-006: the research runs as a task in both eras, and asks when it has to.
#[tokio::test(start_paused = true)]
async fn research_runs_as_a_task() {
    for revision in WITH_TASKS {
        let client = TestClient::with_revision(server(Options::default()), revision).with_tasks().on_elicit(|_| {
            let content = json!({"interpretation": "historical"}).as_object().cloned().unwrap();
            ElicitResult::new(ElicitAction::Accept).with_content(content)
        });
        for (ambiguous, title) in
            [(false, "# Research Report: tides\n"), (true, "# Research Report: tides (historical)\n")]
        {
            let arguments = json!({"topic": "tides", "ambiguous": ambiguous});
            let result = client.call_tool("simulate-research-query", arguments).await.unwrap();
            let text = result.content[0].as_text().unwrap();
            assert!(text.starts_with(title), "{revision}: {text}");
        }
    }
}

/// TASK-008, XTSK-004: whoever has no tasks can not research.
#[tokio::test(start_paused = true)]
async fn research_needs_tasks() {
    for revision in Revision::ALL {
        let client = TestClient::with_revision(server(Options::default()), revision);
        let refused = client.call_tool("simulate-research-query", json!({"topic": "tides"})).await.unwrap_err();
        assert_eq!(refused.code, if revision.has_handshake() { -32601 } else { -32021 }, "{revision}");
    }
}

/// TASK-001: ttl, poll interval and capability are those of the contract.
#[tokio::test(start_paused = true)]
async fn tasks_are_declared_and_kept_as_agreed() {
    let client = TestClient::with_revision(server(Options::default()), Revision::LATEST_WITH_HANDSHAKE);
    let introduction = client.introduction().await.unwrap();
    let expected = json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}});
    assert_eq!(introduction["capabilities"]["tasks"], expected);
    let call = json!({"name": "simulate-research-query", "arguments": {"topic": "x"}, "task": {}});
    let created = client.request("tools/call", call).await.unwrap();
    assert_eq!((&created["task"]["ttl"], &created["task"]["pollInterval"]), (&json!(300_000), &json!(1000)));
}

async fn connect(builder: Builder) -> (Client, JoinSet<()>) {
    let (near, far) = ByteStream::pair(1 << 16);
    let mut serving = JoinSet::new();
    serving.spawn(async move { server(Options::default()).serve_stream(far).await.unwrap() });
    let client = builder.revision(Revision::LATEST_WITH_HANDSHAKE).over(near).await.unwrap();
    (client, serving)
}

async fn said(client: &Client, tool: &str) -> String {
    let output = client.call(tool, json!({"prompt": "hello"})).await.unwrap();
    output.text()
}

/// TASK-009, TASK-010: a client that answers as tasks is asked so, and looked at until it is done.
#[tokio::test(start_paused = true)]
async fn clients_are_asked_as_tasks() {
    let builder = Client::builder()
        .tasks()
        .on_sampling(|params| async move {
            tokio::time::sleep(std::time::Duration::from_secs(5)).await;
            assert_eq!(params.task, None, "the wish for a task is not the model's business");
            let text = SamplingContentBlock::Text(TextContent::new("hi"));
            Ok(CreateMessageResult::new(Role::Assistant, SamplingContent::from(text), "model"))
        })
        .on_form(|_| async { Err(ErrorObject::new(-1, "nobody is here")) });
    let (client, _serving) = connect(builder).await;
    let answer = said(&client, "trigger-sampling-request-async").await;
    assert!(answer.starts_with("[COMPLETED]") && answer.contains("\"text\": \"hi\""), "{answer}");
    let answer = said(&client, "trigger-elicitation-request-async").await;
    assert_eq!(answer, "[FAILED] The client's task failed: nobody is here");
}

/// TASK-002, TASK-003: a client that does not is not offered these tools, and is not asked by them.
#[tokio::test(start_paused = true)]
async fn others_are_not_asked_as_tasks() {
    let client = TestClient::with_revision(server(Options::default()), Revision::LATEST_WITH_HANDSHAKE)
        .on_elicit(|_| ElicitResult::new(ElicitAction::Decline));
    let tools = client.list_tools().await.unwrap();
    assert!(tools.iter().any(|tool| tool.name == "trigger-elicitation-request"));
    assert!(!tools.iter().any(|tool| tool.name.ends_with("-async")));
    for name in ["trigger-sampling-request-async", "trigger-elicitation-request-async"] {
        let refused = client.call_tool(name, json!({"prompt": "hello"})).await.unwrap_err();
        assert_eq!(refused.code, -32602, "{refused}");
    }
}
