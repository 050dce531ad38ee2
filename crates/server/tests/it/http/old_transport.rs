//! A client of 2024 over HTTP+SSE.

use jackfield_protocol::CallToolResult;
use jackfield_server::{Cx, Server};
use serde_json::{Value, json};

use super::Listening;
use super::client::{Ask, Client};
use crate::demo::{plain, text_resource};
use crate::talk::Serve;

/// One session of the old transport.
struct Old {
    stream: Client,
    listening: Listening,
    endpoint: String,
}

impl Old {
    async fn open(server: impl Serve) -> Self {
        let listening = Listening::start(server).await;
        let mut stream = Client::connect(listening.address).await;
        stream.open(&Ask::new("GET", "/sse").with("accept", "text/event-stream")).await;
        let endpoint = stream.event().await.unwrap();
        assert_eq!(endpoint.event, "endpoint");
        let mut old = Self { stream, listening, endpoint: endpoint.data };
        let params = json!({ "protocolVersion": "2024-11-05", "capabilities": { "sampling": {}, "roots": {} },
            "clientInfo": { "name": "old", "version": "1" } });
        let opened = old.ask(0, "initialize", params).await;
        assert_eq!(opened["result"]["protocolVersion"], "2024-11-05");
        old.post(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        old
    }

    async fn post(&self, message: Value) {
        let post = Ask::post(message).without("accept").path(&self.endpoint);
        let answer = Client::connect(self.listening.address).await.ask(&post).await;
        assert_eq!(answer.status, 202);
    }

    async fn next(&mut self) -> Value {
        let event = self.stream.event().await.unwrap();
        assert_eq!(event.event, "message");
        serde_json::from_str(&event.data).unwrap()
    }

    async fn ask(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.post(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        self.next().await
    }
}

/// HTTP-001, HTTP-002, HTTP-004: tools, progress, logs, questions, notices and updates, all on one stream.
#[tokio::test]
async fn a_client_of_2024_has_it_all() {
    let server =
        Server::new("demo").resource(text_resource("note:one", "one")).tool(plain("work", |cx: Cx| async move {
            cx.info("working");
            cx.progress(1, 2.0, None);
            cx.notify_resource_updated("note:one");
            let roots = cx.roots().await.unwrap();
            CallToolResult::text(format!("{} root", roots.len()))
        }));
    let tools = server.registry().tools();
    let mut old = Old::open(server).await;
    let listed = old.ask(1, "tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"][0]["name"], "work");
    assert_eq!(listed["result"]["tools"][0].get("annotations"), None);
    assert_eq!(old.ask(2, "ping", json!({})).await["result"], json!({}));
    assert_eq!(old.ask(3, "resources/subscribe", json!({ "uri": "note:one" })).await["result"], json!({}));

    let call = json!({ "name": "work", "arguments": {}, "_meta": { "progressToken": "p" } });
    old.post(json!({ "jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": call })).await;
    let mut seen = Vec::new();
    loop {
        let message = old.next().await;
        match message["method"].as_str() {
            Some("roots/list") => {
                let roots = json!({ "roots": [{ "uri": "file:///a" }] });
                old.post(json!({ "jsonrpc": "2.0", "id": message["id"], "result": roots })).await;
            }
            Some(notice) => seen.push(notice.to_owned()),
            None => {
                assert_eq!((&message["id"], &message["result"]["content"][0]["text"]), (&json!(4), &json!("1 root")));
                break;
            }
        }
    }
    // A change is told when there is time; it may come after the answer.
    if seen.len() < 3 {
        seen.push(old.next().await["method"].as_str().unwrap().to_owned());
    }
    seen.sort_unstable();
    assert_eq!(seen, ["notifications/message", "notifications/progress", "notifications/resources/updated"]);

    let late = tools.add(plain("late", |_| async { CallToolResult::text("") })).unwrap();
    assert_eq!(old.next().await["method"], "notifications/tools/list_changed");
    drop(late);

    // Batches are part of JSON-RPC, which this revision speaks.
    let ping = |id: u32| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    assert_eq!(old.next().await["method"], "notifications/tools/list_changed");
    old.post(json!([ping(5), ping(6)])).await;
    assert_eq!(old.next().await.as_array().unwrap().len(), 2);
}
