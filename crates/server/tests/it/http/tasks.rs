//! Tasks over HTTP: which streams their messages take, and which headers name them.

use serde_json::{Value, json};

use super::Listening;
use super::client::{Ask, Client, MODERN, Session};
use crate::tasks::server;

fn ask(id: u32, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// TASK-018, TASK-020, TASK-021, TASK-027: `tasks/get` is answered at once and without a stream; `tasks/result` opens one, and the questions of the
/// task come on it.
#[tokio::test]
async fn questions_come_on_the_stream_of_the_result() {
    let listening = Listening::start(server()).await;
    let session = Session::open(listening.address, "2025-11-25").await;
    let call = ask(1, "tools/call", json!({ "name": "greet", "task": {} }));
    let created = session.ask(&session.post(call)).await.json();
    let id = created["result"]["task"]["taskId"].clone();
    let get = session.post(ask(2, "tasks/get", json!({ "taskId": id })));
    let got = session.ask(&get).await;
    assert_eq!((got.status, got.header("content-type")), (200, Some("application/json")));
    let mut stream = session.stream(&session.post(ask(3, "tasks/result", json!({ "taskId": id })))).await;
    let question = stream.message().await.unwrap();
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], id);
    let answer = json!({ "action": "accept", "content": { "name": "Ada" } });
    let posted = session.post(json!({ "jsonrpc": "2.0", "id": question["id"], "result": answer }));
    assert_eq!(session.ask(&posted).await.status, 202);
    let result = stream.message().await.unwrap();
    assert_eq!(result["result"]["content"][0]["text"], "hello, Ada", "{result}");
    assert_eq!(session.ask(&get).await.json()["result"]["status"], "completed");

    // T-092: another session does not find it.
    let other = Session::open(listening.address, "2025-11-25").await;
    let hidden = other.ask(&other.post(ask(1, "tasks/get", json!({ "taskId": id })))).await;
    assert_eq!(hidden.code(), -32602);
}

/// A request of a client that has the extension.
fn modern(method: &str, mut params: Value, name: &str) -> Ask {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": { "extensions": { "io.modelcontextprotocol/tasks": {} } },
    });
    Ask::post(ask(1, method, params))
        .with("mcp-protocol-version", MODERN)
        .with("mcp-method", method)
        .with("mcp-name", name)
}

/// HTTP-106: `Mcp-Name` names the task, so that proxies can route by it; one that names another is refused.
#[tokio::test]
async fn the_name_header_names_the_task() {
    let listening = Listening::start(server()).await;
    let mut client = Client::connect(listening.address).await;
    let created = client.ask(&modern("tools/call", json!({ "name": "endless" }), "endless")).await.json();
    let id = created["result"]["taskId"].as_str().unwrap().to_owned();
    for (method, more) in
        [("tasks/get", json!({})), ("tasks/update", json!({ "inputResponses": {} })), ("tasks/cancel", json!({}))]
    {
        let mut params = more;
        params["taskId"] = id.clone().into();
        let refused = client.ask(&modern(method, params.clone(), "another")).await;
        assert_eq!((refused.status, refused.code()), (400, -32020), "{method}");
        let answered = client.ask(&modern(method, params, &id)).await;
        assert_eq!((answered.status, &answered.json()["result"]["resultType"]), (200, &json!("complete")), "{method}");
    }
}
