//! Output that goes on, ends early, or is interrupted.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use crate::run::{JACKFIELD, command, with_server};
use crate::scripted::LEGACY;

/// A modern server that sends changes as soon as somebody listens.
const CHANGING: &str = r#"
import json, sys
def say(message): sys.stdout.write(json.dumps(message) + "\n"); sys.stdout.flush()
for line in sys.stdin:
    m = json.loads(line)
    id, method = m.get("id"), m.get("method")
    meta = {"io.modelcontextprotocol/serverInfo": {"name": "changing", "version": "1"}}
    if method == "server/discover":
        say({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {"listChanged": True}, "resources": {"subscribe": True}},
            "ttlMs": 0, "cacheScope": "private", "_meta": meta}})
    elif method == "subscriptions/listen":
        tag = {"io.modelcontextprotocol/subscriptionId": id}
        agreed = {"toolsListChanged": True, "resourceSubscriptions": m["params"]["notifications"].get("resourceSubscriptions", [])}
        say({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {"notifications": agreed, "_meta": tag}})
        for uri in agreed["resourceSubscriptions"]:
            say({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri, "_meta": tag}})
        say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": tag}})
"#;

#[test]
fn changes_are_shown_one_per_line() {
    let server = ["python3", "-c", CHANGING];
    let ran = with_server(&["subscribe", "a://b\x1b[2J", "--count", "2"], &server);
    assert!(ran.err.contains("does not tell when these change: the list of prompts, the list of resources"), "{ran:?}");
    let mut lines: Vec<String> = ran.ok().lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["a://b\\u{1b}[2J changed", "the list of tools changed"]);
    let out = with_server(&["subscribe", "a://b", "--count", "2", "--json"], &server).ok();
    let mut events: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    events.sort_by_key(|event| event["event"].to_string());
    assert_eq!(events[0], serde_json::json!({"event": "resourceUpdated", "uri": "a://b"}));
    assert_eq!(events[1], serde_json::json!({"event": "toolsChanged"}));
}

/// A server may end a subscription while it goes on. What was missed meanwhile is not kept secret.
#[test]
fn a_subscription_that_the_server_ends_is_begun_again() {
    let ending = "        say({\"jsonrpc\": \"2.0\", \"id\": id, \"result\": {\"resultType\": \"complete\", \"_meta\": meta}})\n";
    let server = format!("{CHANGING}{ending}");
    let ran = with_server(&["subscribe", "--count", "3"], &["python3", "-c", &server]);
    let lines =
        ["the list of tools changed", "connected again; anything may have changed", "the list of tools changed"];
    assert_eq!(ran.ok().lines().collect::<Vec<_>>(), lines);
}

/// Starts a command whose call hangs, and returns it when the call is under way.
#[cfg(unix)]
fn hanging() -> (Child, BufReader<std::process::ChildStderr>) {
    let mut child = command().args(["call", "hang", "--verbose", "--", "python3", "-c", LEGACY]).spawn().unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("tools/call") {
        line.clear();
        assert_ne!(err.read_line(&mut line).unwrap(), 0);
    }
    (child, err)
}

#[cfg(unix)]
#[test]
fn an_interrupted_call_ends_with_its_own_code() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let (mut child, mut err) = hanging();
        let killed = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        assert_eq!(child.wait().unwrap().code(), Some(code));
        let mut rest = String::new();
        err.read_to_string(&mut rest).unwrap();
        assert!(!rest.contains("error:"), "{rest}");
    }
}

#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    for words in [&["inspect"][..], &["list", "tools"], &["call", "echo", "message=x"], &["rdf", "catalogue"]] {
        let mut child =
            command().args(words).args(["--", JACKFIELD, "serve", "everything"]).stdin(Stdio::null()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), err.as_str()), (Some(0), ""), "{words:?}");
    }
    for words in [&["completions", "bash"][..], &["rdf", "ontology"]] {
        let mut child = command().args(words).stdin(Stdio::null()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0), "{words:?}");
    }
}
