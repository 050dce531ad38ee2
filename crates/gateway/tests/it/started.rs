//! Servers that the gateway starts.

use std::io::Write;
use std::sync::{Arc, Mutex};

use jackfield::testing::TestClient;
use jackfield_client::Command;
use jackfield_gateway::Gateway;
use serde_json::json;

/// A server in a few lines: its tool shows its environment.
const SERVER: &str = r#"
import json, os, sys
def answer(id, result): print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
for line in sys.stdin:
    m = json.loads(line)
    method, id = m.get("method"), m.get("id")
    if method == "initialize":
        answer(id, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "py", "version": "1"}})
    elif method == "tools/list":
        names = ["bad name!", "env", "x" * 127, "env"]
        answer(id, {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in names] +
            [{"name": "odd", "inputSchema": {"type": "object", "properties": {"a": {"type": 5}}}}]})
    elif method == "tools/call": answer(id, {"content": [{"type": "text", "text": json.dumps(dict(os.environ))}]})
    elif id is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}}), flush=True)
"#;

/// What was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// Writes down what is logged, until what comes with it is dropped.
    fn begin() -> (Self, tracing::subscriber::DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        let logging = tracing_subscriber::fmt().with_writer(move || writer.clone()).with_ansi(false).finish();
        (log, tracing::subscriber::set_default(logging))
    }

    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

/// T-137, SEC-035 but for the sandbox, which there is none: a server is started with the command of its entry and with no other, without a shell and with a small environment; the log has
/// each start with the whole command. Nothing that a caller sends starts anything else.
#[tokio::test]
async fn only_what_was_set_up_is_started_and_each_start_is_logged() {
    let (log, _logging) = Log::begin();
    let command = Command::new("python3").args(["-c", SERVER, "$(touch /tmp/x); \u{1b}[2J"]).env("TOKEN", "s3cret");
    let gateway = Gateway::new("gateway").spawn("py", command);
    let client = TestClient::of(gateway.server().unwrap());
    let shown = client.call_tool("py__env", json!({})).await.unwrap();
    let environment: serde_json::Value = serde_json::from_str(shown.content[0].as_text().unwrap()).unwrap();
    assert_eq!(environment["TOKEN"], "s3cret");
    // Every test has this variable.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some() && environment.get("CARGO_MANIFEST_DIR").is_none());

    let starts = |text: &str| text.matches("a server is started").count();
    let text = log.text();
    assert_eq!(starts(&text), 1, "{text}");
    assert!(text.contains(r#""python3", "-c""#) && text.contains(r"$(touch /tmp/x); \u{1b}[2J"), "{text}");
    assert!(!text.contains("s3cret") && !text.contains('\u{1b}'), "{text}");

    for name in ["sh__env", "py2__env", "/bin/sh", "py__../../bin/sh", "py__"] {
        assert!(client.call_tool(name, json!({"command": "/bin/sh"})).await.is_err(), "{name}");
    }
    for method in ["servers/add", "gateway/spawn", "tools/add"] {
        assert_eq!(client.request(method, json!({"command": "sh"})).await.unwrap_err().code, -32601);
    }
    assert_eq!(starts(&log.text()), 1, "{}", log.text());
}

/// T-134: what is not valid is left out by itself, with a word in the log; of two of the same name the first counts.
#[tokio::test]
async fn what_is_not_valid_is_left_out_alone() {
    let (log, _logging) = Log::begin();
    let gateway = Gateway::new("gateway").spawn("py", Command::new("python3").args(["-c", SERVER]));
    let client = TestClient::of(gateway.server().unwrap());
    let names: Vec<_> = client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["py__env"]);
    let text = log.text();
    assert_eq!(text.matches("is left out").count(), 3, "{text}");
}
