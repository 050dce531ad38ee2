//! The `jackfield` command as a user runs it.

#![expect(clippy::unwrap_used, reason = "a test that can not go on fails")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn jackfield(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_jackfield"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[track_caller]
fn written(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn the_demo_server_is_described_as_a_graph() {
    let demo = env!("CARGO_BIN_EXE_jackfield");
    let graph = written(&jackfield(&["rdf", "catalogue", "--to", "ntriples", demo, "serve", "everything"], ""));
    for tool in ["echo", "get-sum", "trigger-long-running-operation", "get-structured-content-list"] {
        assert!(graph.contains(&format!("\"{tool}\"")), "{tool} is missing");
    }
    assert!(graph.contains("\"mcp-servers/everything\""));
}

#[test]
fn messages_are_converted_there_and_back() {
    let message =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":[1,2],"b":"x"}}}"#;
    let turtle = written(&jackfield(&["rdf", "convert", "--to", "turtle"], message));
    let back = written(&jackfield(&["rdf", "convert", "--from", "turtle", "--to", "json"], &turtle));
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(read(&back), read(message));
}

#[test]
fn bad_lines_are_counted_and_do_not_stop_the_rest() {
    let input = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nnonsense\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n";
    let output = jackfield(&["rdf", "convert", "--to", "nquads"], input);
    assert!(!output.status.success());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("-:2:") && errors.contains("1 of 3 messages"), "{errors}");
    assert_eq!(String::from_utf8(output.stdout).unwrap().matches("\"ping\"").count(), 2);
}

#[test]
fn schemas_contexts_and_the_ontology_are_written() {
    assert!(written(&jackfield(&["rdf", "schema", "--revision", "2025-06-18"], "")).contains("x-jsonld-"));
    assert!(written(&jackfield(&["rdf", "context"], "")).contains("@context"));
    assert!(written(&jackfield(&["rdf", "ontology"], "")).contains("rdfs:label"));
}

#[test]
fn what_is_not_understood_is_explained() {
    for (arguments, words) in [
        (&["serve", "everything", "carrier-pigeon"][..], "carrier-pigeon"),
        (&["rdf", "catalogue", "http://127.0.0.1:1/mcp"], "by their command only"),
        (&["rdf", "catalogue", "/no/such/program"], "/no/such/program"),
    ] {
        let output = jackfield(arguments, "");
        assert!(!output.status.success() && output.stdout.is_empty());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains(words), "{errors}");
    }
}
