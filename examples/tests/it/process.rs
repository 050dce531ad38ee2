//! A running example, and a client that speaks to it in the words of one revision.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use jackfield::Revision;
use serde_json::{Value, json};

/// How long a test may wait for a process before it is ended.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running example. It is ended when the test is over.
pub(crate) struct Example {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    revision: Revision,
    next_id: i64,
    /// Notifications that came while we waited for answers.
    pub(crate) notices: VecDeque<Value>,
    /// Answers to `elicitation/create`, in order.
    pub(crate) replies: VecDeque<Value>,
}

fn path(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(|deps| deps.parent()).unwrap().join("examples").join(name)
}

/// Returns a command that starts an example.
pub(crate) fn command(name: &str) -> Command {
    Command::new(path(name))
}

impl Example {
    /// Starts an example and shakes hands, if the revision does.
    pub(crate) fn start(name: &str, arguments: &[&str], revision: Revision) -> Self {
        let mut example = Self::start_silent(name, arguments, revision);
        if revision.has_handshake() {
            let result = example.request(
                "initialize",
                json!({"protocolVersion": revision, "capabilities": capabilities(revision), "clientInfo": {"name": "test", "version": "1"}}),
            );
            assert_eq!(result["protocolVersion"], revision.as_str());
            example.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        example
    }

    /// Starts an example and says nothing to it.
    pub(crate) fn start_silent(name: &str, arguments: &[&str], revision: Revision) -> Self {
        let mut child = command(name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{name} cannot be started: {error}; `cargo build --examples` builds it"));
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output, revision, next_id: 0, notices: VecDeque::new(), replies: VecDeque::new() }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "the server closed its output");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("not a message: {line:?}: {error}"))
    }

    /// Sends a request and returns its result; questions are answered on the way.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        match self.exchange(method, params) {
            Ok(result) => result,
            Err(error) => panic!("{method}: {error}"),
        }
    }

    /// Sends a request and returns its result or error.
    pub(crate) fn exchange(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let mut params = params;
        loop {
            let mut answer = self.round(method, params.clone())?;
            if answer["resultType"] != "input_required" {
                return Ok(answer);
            }
            let mut responses = json!({});
            for key in answer["inputRequests"].as_object().unwrap().keys() {
                responses[key] = self.replies.pop_front().expect("a question that the test did not expect");
            }
            params["inputResponses"] = responses;
            params["requestState"] = answer["requestState"].take();
        }
    }

    fn round(&mut self, method: &str, mut params: Value) -> Result<Value, Value> {
        self.next_id += 1;
        let id = self.next_id;
        if !self.revision.has_handshake() {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": self.revision,
                "io.modelcontextprotocol/clientCapabilities": capabilities(self.revision),
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/logLevel": "info",
            });
            let own = params["_meta"].take();
            params["_meta"] = meta;
            if let Value::Object(own) = own {
                params["_meta"].as_object_mut().unwrap().extend(own);
            }
        }
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].take()),
                };
            }
            if message["method"] == "elicitation/create" {
                let result = self.replies.pop_front().expect("a question that the test did not expect");
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
            } else {
                self.notices.push_back(message);
            }
        }
    }

    /// Calls a tool and returns its result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool and returns its one text.
    pub(crate) fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["content"].as_array().unwrap().len(), 1, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Reads a resource and returns its one text.
    pub(crate) fn read(&mut self, uri: &str) -> String {
        let result = self.request("resources/read", json!({"uri": uri}));
        result["contents"][0]["text"].as_str().unwrap().to_owned()
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits for the process to end by itself; returns how it did, what else it wrote, and its standard error.
    pub(crate) fn wait(mut self) -> (ExitStatus, String, String) {
        let (mut rest, mut errors) = (String::new(), String::new());
        let mut stderr = self.child.stderr.take().unwrap();
        let watch = watch(self.child.id());
        self.output.read_to_string(&mut rest).unwrap();
        stderr.read_to_string(&mut errors).unwrap();
        let status = self.child.wait().unwrap();
        drop(watch);
        (status, rest, errors)
    }

    /// Closes the input and waits for a clean end.
    pub(crate) fn finish(mut self) -> String {
        self.close_input();
        let (status, rest, errors) = self.wait();
        assert!(status.success(), "{status}: {errors}");
        assert_eq!(rest, "");
        errors
    }
}

/// Ends the process if it has not ended in time, so that a test fails instead of waiting for ever.
pub(crate) fn watch(id: u32) -> std::sync::mpsc::SyncSender<()> {
    let (sender, receiver) = std::sync::mpsc::sync_channel::<()>(0);
    std::thread::spawn(move || {
        if receiver.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            signal(id, "KILL");
        }
    });
    sender
}

/// Sends a signal to a process that the test has started.
pub(crate) fn signal(id: u32, name: &str) {
    Command::new("kill").args(["-s", name, &id.to_string()]).status().unwrap();
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn capabilities(revision: Revision) -> Value {
    if revision.has_elicitation() { json!({"elicitation": {}}) } else { json!({}) }
}
