//! Tasks of the demo server, in both directions.

use jackfield::protocol::{CreateMessageResult, SamplingContent, SamplingContentBlock, TextContent};
use jackfield::testing::TestClient;
use jackfield::transport::ByteStream;
use jackfield::{ElicitAction, ElicitResult, ErrorObject, Revision, Role, json};
use jackfield_client::{Builder, Client};
use jackfield_servers::everything::{Options, server};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::time::Instant;

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

/// TASK-008, XTSK-004: whoever has no tasks cannot research.
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

/// Asks a client whose task is done at a certain look. Returns how many seconds there were between looks, and what the tool said.
async fn looked_at(poll_interval: u64, done_at: usize) -> (Vec<u64>, String) {
    let (near, far) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(far);
    let mut serving = JoinSet::new();
    let streams = ByteStream::new(read, write);
    serving.spawn(async move { server(Options::default()).serve_stream(streams).await.unwrap() });
    let (read, mut write) = tokio::io::split(near);
    let mut lines = tokio::io::BufReader::new(read).lines();
    let capabilities = json!({"sampling": {}, "tasks": {"requests": {"sampling": {"createMessage": {}}}}});
    let info = json!({"name": "slow", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": info});
    let call = json!({"name": "trigger-sampling-request-async", "arguments": {"prompt": "hello"}});
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
    ] {
        write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
    let mut looks = Vec::new();
    let said = loop {
        let message: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        let now = "2026-01-01T00:00:00Z";
        let mut task = json!({"taskId": "t", "status": "working", "createdAt": now, "lastUpdatedAt": now, "ttl": null,
            "pollInterval": poll_interval});
        let result = match message["method"].as_str() {
            Some("sampling/createMessage") => {
                looks.push(Instant::now());
                json!({"task": task})
            }
            Some("tasks/get") => {
                looks.push(Instant::now());
                if looks.len() == done_at {
                    task["status"] = "completed".into();
                }
                task
            }
            Some("tasks/result") => {
                json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "hi"}})
            }
            _ if message["id"] == 2 => break message["result"]["content"][0]["text"].as_str().unwrap().to_owned(),
            _ => continue,
        };
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        write.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
    };
    (looks.windows(2).map(|pair| (pair[1] - pair[0]).as_secs()).collect(), said)
}

/// TASK-009: a client that wants to be asked less often is.
#[tokio::test(start_paused = true)]
async fn a_client_says_how_often_it_is_looked_at() {
    let (waits, said) = looked_at(7_000, 4).await;
    assert_eq!(waits, [7, 7, 7]);
    assert!(said.starts_with("[COMPLETED]"), "{said}");
}

/// What the last look shows counts, also if it is the only one that there is time for.
#[tokio::test(start_paused = true)]
async fn the_last_look_counts() {
    let (waits, said) = looked_at(60_000, 2).await;
    assert_eq!(waits, [60]);
    assert!(said.starts_with("[COMPLETED]"), "{said}");
    let (waits, said) = looked_at(50_000, 4).await;
    assert_eq!(waits, [50, 10]);
    assert!(said.starts_with("[TIMEOUT]"), "{said}");
}

/// TASK-010: a client that answers as tasks is asked so, and looked at until it is done.
#[tokio::test(start_paused = true)]
async fn clients_are_asked_as_tasks() {
    let builder = Client::builder()
        .tasks()
        .on_sampling(|params| async move {
            jackfield_testkit::pass(std::time::Duration::from_secs(5)).await;
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
        let refused = client.call_tool(name, json!({"prompt": "hello"})).await.unwrap();
        let words = format!("MCP error -32602: Tool {name} not found");
        assert_eq!((refused.is_failure(), refused.content[0].as_text()), (true, Some(words.as_str())));
    }
}
