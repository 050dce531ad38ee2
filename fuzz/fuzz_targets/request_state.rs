//! Any state beside an answer that nobody was asked for: only what the server sealed itself gets past the question.
#![no_main]

use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use jackfield_http::{HttpConfig, StreamableService};
use jackfield_protocol::{Schema, Tool};
use jackfield_server::{Call, Cx, Error, Keys, Server};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

static SERVICE: LazyLock<StreamableService> = LazyLock::new(|| {
    let server = Server::new("fuzz").keys(Keys::new([7; 32]));
    let schema = Schema::new(&json!({"type": "object"})).expect("a schema");
    let handle = server.registry().tools().insert(Tool::new("ask", schema), |_: Call, cx: Cx| async move {
        let question = json!({"type": "object", "properties": {"sure": {"type": "boolean"}}});
        cx.elicit_form("sure", "Are you sure?", serde_json::from_value(question).expect("a form")).await?;
        Ok::<_, Error>("past the question")
    });
    handle.expect("the tool").keep();
    // It is started on a thread of its own, because the first use may be inside a runtime.
    let running = std::thread::spawn(|| block_on(server.start())).join().expect("it starts").expect("a server");
    StreamableService::new(Arc::new(running), HttpConfig::default())
});

/// The state that the server sealed at the first call.
static SEALED: LazyLock<String> = LazyLock::new(|| {
    let answer = block_on(call(json!({})));
    let answer: Value = serde_json::from_slice(&answer).expect("an answer");
    answer["result"]["requestState"].as_str().expect("a state").to_owned()
});

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(future)
}

async fn call(more: Value) -> Bytes {
    let mut params = json!({
        "name": "ask",
        "arguments": {},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        },
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        params[name] = value.clone();
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "ask")
        .body(Full::new(Bytes::from(body)))
        .expect("a request");
    SERVICE.serve(request).await.into_body().collect().await.expect("a body").to_bytes()
}

fn gets_past(state: &str) -> bool {
    let answers = json!({"sure": {"action": "accept", "content": {"sure": true}}});
    let answer = block_on(call(json!({"requestState": state, "inputResponses": answers})));
    String::from_utf8_lossy(&answer).contains("past the question")
}

fuzz_target!(|data: &[u8]| {
    assert!(gets_past(&SEALED), "the state that the server sealed");
    let text = String::from_utf8_lossy(data);
    assert!(text == *SEALED || !gets_past(&text), "a state that nobody sealed: {text}");
    if let [place, byte, ..] = data {
        let mut forged = SEALED.clone().into_bytes();
        let place = usize::from(*place) % forged.len();
        forged[place] = *byte;
        if let Ok(forged) = String::from_utf8(forged) {
            assert_eq!(gets_past(&forged), forged == *SEALED, "{forged}");
        }
    }
});
