//! Questions of a server of 2025-11-25 that it wants answered as tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jackfield_client::{Builder, Client, Limits};
use jackfield_protocol::{
    CreateMessageResult, ElicitAction, ElicitResult, ErrorObject, Role, SamplingContent, SamplingContentBlock,
    TextContent,
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::script::{Server, paused};

/// A client whose model answers when it is let, and whose person says no.
struct Asked {
    client: Client,
    server: Server,
    let_go: Arc<Semaphore>,
    dropped: Arc<AtomicBool>,
    capabilities: Value,
}

struct Noticed(Arc<AtomicBool>);

impl Drop for Noticed {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Asked {
    async fn new(version: &str, change: impl FnOnce(Builder) -> Builder) -> Self {
        let (let_go, dropped) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicBool::new(false)));
        let (gate, drops) = (let_go.clone(), dropped.clone());
        let builder = Client::builder()
            .on_sampling(move |params| {
                let (gate, noticed) = (gate.clone(), Noticed(drops.clone()));
                async move {
                    let _noticed = noticed;
                    gate.acquire().await.unwrap().forget();
                    if params.max_tokens == 0 {
                        return Err(ErrorObject::new(-1, "the user said no"));
                    }
                    let text = SamplingContentBlock::Text(TextContent::new("hi"));
                    Ok(CreateMessageResult::new(Role::Assistant, SamplingContent::from(text), "model"))
                }
            })
            .on_form(|_| async { Ok(ElicitResult::new(ElicitAction::Decline)) });
        let (near, far) = jackfield_client::ByteStream::pair(1 << 16);
        let mut server = Server::new(far);
        let serve = async {
            server.expect("server/discover").await;
            let refusal = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "what?"}});
            server.send(&refusal).await;
            let initialize = server.expect("initialize").await;
            let greeting =
                json!({"protocolVersion": version, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}});
            server.answer(greeting).await;
            server.expect("notifications/initialized").await;
            initialize["params"]["capabilities"].clone()
        };
        let (client, capabilities) = tokio::join!(change(builder).over(near), serve);
        Self { client: client.unwrap(), server, let_go, dropped, capabilities }
    }

    async fn ask(&mut self, id: u64, method: &str, params: Value) -> Value {
        self.send(id, method, params).await;
        self.receive(id).await
    }

    async fn send(&mut self, id: u64, method: &str, params: Value) {
        self.server.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
    }

    async fn receive(&mut self, id: u64) -> Value {
        let answer = self.server.receive().await.unwrap();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Asks the model as a task and returns the task's id.
    async fn sample(&mut self, id: u64, tokens: u64) -> Value {
        let params = json!({"messages": [], "maxTokens": tokens, "task": {"ttl": 60_000}});
        let created = self.ask(id, "sampling/createMessage", params).await;
        let task = &created["result"]["task"];
        assert_eq!((&task["status"], &task["ttl"]), (&json!("working"), &json!(60_000)), "{created}");
        assert!(task["createdAt"].is_string() && task["lastUpdatedAt"].is_string());
        task["taskId"].clone()
    }
}

const TASKS_REVISION: &str = jackfield_protocol::Revision::LATEST_WITH_HANDSHAKE.as_str();

/// TASK-001, TASK-013, TASK-014, TASK-022, TASK-024, TASK-026, TASK-027, TASK-031: a question with `task` is answered with a task; the server comes back
/// for the state, and waits for the answer.
#[test]
fn a_question_runs_as_a_task() {
    paused(async {
        let mut asked = Asked::new(TASKS_REVISION, |builder| builder).await;
        let expected = json!({"list": {}, "cancel": {}, "requests": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}}});
        assert_eq!(asked.capabilities["tasks"], expected);
        let id = asked.sample(1, 5).await;
        let state = asked.ask(2, "tasks/get", json!({"taskId": id})).await;
        assert_eq!(state["result"]["status"], "working");
        assert!(state["result"].get("_meta").is_none());
        asked.send(3, "tasks/result", json!({"taskId": id})).await;
        let list = asked.ask(4, "tasks/list", json!({})).await;
        assert_eq!(list["result"]["tasks"][0]["taskId"], id, "the wait for the result blocks nothing");
        asked.let_go.add_permits(1);
        let result = asked.receive(3).await;
        assert_eq!(result["result"]["content"]["text"], "hi");
        let related = json!({"io.modelcontextprotocol/related-task": {"taskId": id}});
        assert_eq!(result["result"]["_meta"], related);
        let state = asked.ask(5, "tasks/get", json!({"taskId": id})).await;
        assert_eq!(state["result"]["status"], "completed");
        // TASK-035
        let late = asked.ask(6, "tasks/cancel", json!({"taskId": id})).await;
        assert_eq!(late["error"]["code"], -32602);
    });
}

/// TASK-026, TASK-041: an answer that is an error is a task that failed, and the same error is the result. The person may be asked as well.
#[test]
fn refusals_are_tasks_that_failed() {
    paused(async {
        let mut asked = Asked::new(TASKS_REVISION, |builder| builder).await;
        asked.let_go.add_permits(1);
        let id = asked.sample(1, 0).await;
        let result = asked.ask(2, "tasks/result", json!({"taskId": id})).await;
        assert_eq!(result["error"], json!({"code": -1, "message": "the user said no"}));
        let state = asked.ask(3, "tasks/get", json!({"taskId": id})).await;
        assert_eq!(state["result"]["status"], "failed");
        assert_eq!(state["result"]["statusMessage"], "the user said no");
        let form = json!({"message": "?", "requestedSchema": {"type": "object", "properties": {}}, "task": {}});
        let created = asked.ask(4, "elicitation/create", form).await;
        let id = &created["result"]["task"]["taskId"];
        let result = asked.ask(5, "tasks/result", json!({"taskId": id})).await;
        assert_eq!(result["result"]["action"], "decline");
    });
}

/// TASK-036, TASK-037, PAT-010: cancelling the task ends the work; cancelling the request that began it does nothing.
#[test]
fn a_task_is_cancelled_by_its_id() {
    paused(async {
        let mut asked = Asked::new(TASKS_REVISION, |builder| builder).await;
        let id = asked.sample(1, 5).await;
        let notice = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
        asked.server.send(&notice).await;
        let state = asked.ask(2, "tasks/get", json!({"taskId": id})).await;
        assert_eq!(state["result"]["status"], "working");
        assert!(!asked.dropped.load(Ordering::SeqCst));
        asked.send(3, "tasks/result", json!({"taskId": id})).await;
        let cancelled = asked.ask(4, "tasks/cancel", json!({"taskId": id})).await;
        assert_eq!(cancelled["result"]["status"], "cancelled");
        assert_eq!(asked.receive(3).await["error"]["code"], -32603);
        tokio::task::yield_now().await;
        assert!(asked.dropped.load(Ordering::SeqCst), "the work was dropped");
        let state = asked.ask(5, "tasks/get", json!({"taskId": id})).await;
        assert_eq!(state["result"]["status"], "cancelled");
    });
}

/// TASK-039, TASK-048: what is not there is an error, and there is a limit to what is kept.
#[test]
fn tasks_are_bounded_and_unknown_ones_are_errors() {
    paused(async {
        let mut limits = Limits::default();
        limits.tasks = 1;
        let mut asked = Asked::new(TASKS_REVISION, |builder| builder.limits(limits)).await;
        for (n, method) in (10..).zip(["tasks/get", "tasks/cancel", "tasks/result"]) {
            let refused = asked.ask(n, method, json!({"taskId": "none"})).await;
            assert_eq!(refused["error"]["code"], -32602, "{method}");
        }
        let refused = asked.ask(20, "tasks/list", json!({"cursor": "x"})).await;
        assert_eq!(refused["error"]["code"], -32602);
        asked.sample(1, 5).await;
        let params = json!({"messages": [], "maxTokens": 5, "task": {}});
        assert_eq!(asked.ask(2, "sampling/createMessage", params).await["error"]["code"], 429);
        drop(asked.client);
    });
}

/// TASK-012: where the revision has no tasks, or the client did not declare them, the wish for one is ignored and the methods do not exist.
#[test]
fn the_wish_is_ignored_where_there_are_no_tasks() {
    paused(async {
        let older = jackfield_protocol::Revision::LATEST_WITH_HANDSHAKE.older().unwrap();
        let mut asked =
            Asked::new(older.as_str(), |builder| builder.without_revision(TASKS_REVISION.parse().unwrap())).await;
        assert!(asked.capabilities.get("tasks").is_none());
        asked.let_go.add_permits(1);
        let params = json!({"messages": [], "maxTokens": 5, "task": {}});
        let answer = asked.ask(1, "sampling/createMessage", params).await;
        assert_eq!(answer["result"]["content"]["text"], "hi");
        assert_eq!(asked.ask(2, "tasks/list", json!({})).await["error"]["code"], -32601);
    });
}
