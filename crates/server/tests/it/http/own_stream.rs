//! What belongs to a modern request stays on the response to it.

use std::sync::Arc;

use jackfield_protocol::CallToolResult;
use jackfield_protocol::meta::key;
use jackfield_server::{Cx, Server};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::Listening;
use super::client::{Ask, Client};
use crate::demo::plain;

/// Says what a message is, and whose.
fn kind(message: &Value) -> String {
    let params = &message["params"];
    match message["method"].as_str() {
        Some("notifications/progress") => format!("progress {}", params["progressToken"]),
        Some("notifications/message") => format!("log {}", params["data"]),
        Some(method) => method.to_owned(),
        None => format!("answer {}", message["result"]["content"][0]["text"]),
    }
}

async fn next(stream: &mut Client) -> Option<String> {
    stream.message().await.map(|message| kind(&message))
}

/// HTTP-025, SRV-097: of two calls at once and a listen stream, each response carries what belongs to its own request: progress under its
/// token, log messages where a level was asked for, changes where somebody listens.
#[tokio::test]
async fn messages_travel_on_the_response_of_their_request() {
    let gate = Arc::new(Semaphore::new(0));
    let held = gate.clone();
    let server = Server::new("demo").tool(plain("work", move |cx: Cx| {
        let gate = held.clone();
        async move {
            cx.progress(1, None, None);
            cx.warning("begun");
            gate.acquire().await.unwrap().forget();
            cx.progress(2, None, None);
            cx.warning("ended");
            CallToolResult::text("done")
        }
    }));
    let tools = server.registry().tools();
    let listening = Listening::start(server).await;
    let open = async |ask: Ask| {
        let mut client = Client::connect(listening.address).await;
        let head = client.open(&ask).await;
        assert_eq!(head.header("content-type"), Some("text/event-stream"), "{head:?}");
        client
    };
    let call = |meta: Value| Ask::modern("tools/call", json!({ "name": "work", "arguments": {}, "_meta": meta }));

    let wanted = json!({ "notifications": { "toolsListChanged": true } });
    let mut listener = open(Ask::modern("subscriptions/listen", wanted)).await;
    assert_eq!(next(&mut listener).await.unwrap(), "notifications/subscriptions/acknowledged");
    let mut loud = open(call(json!({ "progressToken": "loud", key::LOG_LEVEL: "debug" }))).await;
    let mut quiet = open(call(json!({ "progressToken": "quiet" }))).await;

    // While both calls run, and again after them, the listener gets changes and nothing else.
    let added = tools.add(plain("late", |_| async { CallToolResult::text("") })).unwrap();
    assert_eq!(next(&mut listener).await.unwrap(), "notifications/tools/list_changed");
    gate.add_permits(2);
    for (stream, expected) in [
        (&mut quiet, ["progress \"quiet\"", "progress \"quiet\"", "answer \"done\""].as_slice()),
        (&mut loud, &["progress \"loud\"", "log \"begun\"", "progress \"loud\"", "log \"ended\"", "answer \"done\""]),
    ] {
        let mut found = Vec::new();
        while let Some(message) = next(stream).await {
            found.push(message);
        }
        assert_eq!(found, expected);
    }
    drop(added);
    assert_eq!(next(&mut listener).await.unwrap(), "notifications/tools/list_changed");
}
