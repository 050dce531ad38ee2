//! The server for the conformance suite on the standard streams, which the suite does not speak.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use jackfield::{Revision, Value, json};

struct Fixture {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Fixture {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_conformance-server"))
            .arg("--stdio")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_ref().unwrap(), "{message}").unwrap();
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        self.next()
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // A server ends when its input does.
        drop(self.input.take());
        let _ = self.child.wait();
    }
}

/// Each revision is negotiated for real; tools answer, and questions are asked where there is a handshake.
#[test]
fn the_fixture_serves_every_revision() {
    for revision in Revision::ALL {
        let mut fixture = Fixture::start();
        let mut meta = json!({});
        if revision.has_handshake() {
            let client = json!({ "name": "test", "version": "1" });
            let params =
                json!({ "protocolVersion": revision, "capabilities": { "sampling": {} }, "clientInfo": client });
            assert_eq!(fixture.ask("initialize", params)["result"]["protocolVersion"], revision.as_str());
            fixture.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        } else {
            meta["io.modelcontextprotocol/protocolVersion"] = json!(revision);
            meta["io.modelcontextprotocol/clientCapabilities"] = json!({ "sampling": {} });
        }
        let listed = fixture.ask("tools/list", json!({ "_meta": meta }));
        assert_eq!(listed["result"]["tools"][0]["name"], "test_simple_text");
        let called = fixture.ask("tools/call", json!({ "name": "test_simple_text", "_meta": meta }));
        assert_eq!(called["result"]["content"][0]["text"], "This is a simple text response for testing.");
        let call = json!({ "name": "test_sampling", "arguments": { "prompt": "hi" }, "_meta": meta });
        let asked = fixture.ask("tools/call", call);
        if revision.has_handshake() {
            assert_eq!(asked["method"], "sampling/createMessage");
            let said = json!({ "role": "assistant", "content": { "type": "text", "text": "ho" }, "model": "test" });
            fixture.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": said }));
            assert_eq!(fixture.next()["result"]["content"][0]["text"], "LLM response: ho");
        } else {
            assert_eq!(asked["result"]["resultType"], "input_required");
        }
    }
}

/// What is neither an address nor `--stdio` is refused with words.
#[test]
fn the_command_line_is_checked() {
    let output = Command::new(env!("CARGO_BIN_EXE_conformance-server")).arg("--help").output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("usage: conformance-server"));
}
