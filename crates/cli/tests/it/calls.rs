//! Calling tools, reading resources, getting prompts, completing arguments.

use serde_json::json;

use crate::run::{Folder, JACKFIELD, jackfield, with_demo, with_server};
use crate::scripted::legacy;

#[test]
fn a_tool_is_called_with_typed_arguments() {
    for (arguments, out) in [
        (&["call", "get-sum", "a=2", "b=3.5"][..], "The sum of 2 and 3.5 is 5.5.\n"),
        (&["call", "get-sum", "a:=2", "b=-3"], "The sum of 2 and -3 is -1.\n"),
        (&["call", "echo", "message=5"], "Echo: 5\n"),
        (&["call", "echo", "message="], "Echo: \n"),
        (&["call", "get-annotated-message", "messageType=success"], "Operation completed successfully\n"),
    ] {
        assert_eq!(with_demo(arguments).ok(), out, "{arguments:?}");
    }
}

#[test]
fn every_revision_can_be_asked_for() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
        let page = with_demo(&["ping", "--json", "--revision", revision]).json();
        assert_eq!(page["revision"], revision);
        let sum = with_demo(&["call", "get-sum", "a=1", "b=1", "--revision", revision]).ok();
        assert_eq!(sum, "The sum of 1 and 1 is 2.\n");
    }
}

#[test]
fn arguments_come_from_files_and_standard_input() {
    let folder = Folder::new();
    let text = folder.write("text.txt", "from a file\n");
    let number = folder.write("number.json", " 40 \n");
    let message = format!("message=@{}", text.display());
    assert_eq!(with_demo(&["call", "echo", &message]).ok(), "Echo: from a file\n");
    let a = format!("a=@{}", number.display());
    assert_eq!(with_demo(&["call", "get-sum", &a, "b=2"]).ok(), "The sum of 40 and 2 is 42.\n");
    let b = format!("b:=@{}", number.display());
    assert_eq!(with_demo(&["call", "get-sum", "a=2", &b]).ok(), "The sum of 2 and 40 is 42.\n");

    let words = ["call", "get-sum", "-", "b=3", "--", JACKFIELD, "serve", "everything"];
    assert_eq!(jackfield(&words, r#"{"a": 1, "b": 2}"#).ok(), "The sum of 1 and 3 is 4.\n");
    let words = ["call", "arguments", "x=1", "y:=null", "--", "python3", "-c", crate::scripted::LEGACY];
    assert_eq!(jackfield(&words, "").ok(), "{\"x\": \"1\", \"y\": null}\n");
}

#[test]
fn structured_output_is_shown_once_as_json() {
    let out = with_demo(&["call", "get-structured-content", "location=Chicago"]).ok();
    assert_eq!(out, "{\n  \"temperature\": 36,\n  \"conditions\": \"Light rain / drizzle\",\n  \"humidity\": 82\n}\n");
}

#[test]
fn machine_output_is_the_result_of_the_protocol() {
    let result = with_demo(&["call", "get-sum", "a=1", "b=2", "--json"]).json();
    assert_eq!(result["content"], json!([{"type": "text", "text": "The sum of 1 and 2 is 3."}]));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mcp-servers/everything");
    let result = with_server(&["call", "fail", "--json"], &legacy());
    assert_eq!(result.code, Some(1));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&result.out).unwrap()["isError"], true);
}

#[test]
fn what_is_no_text_is_described_or_saved() {
    let out = with_demo(&["call", "get-tiny-image"]).ok();
    assert!(out.contains("[image image/png, ") && out.contains("The image above"), "{out}");
    let folder = Folder::new();
    let pictures = folder.path().join("pictures");
    for name in ["get-tiny-image.png", "get-tiny-image-2.png"] {
        let out = with_demo(&["call", "get-tiny-image", "--output", pictures.to_str().unwrap()]).ok();
        let path = pictures.join(name);
        assert!(out.contains(&format!("saved as {}]", path.display())), "{out}");
        assert!(std::fs::read(path).unwrap().starts_with(b"\x89PNG"));
    }
    let out = with_demo(&["call", "get-resource-links", "count=1"]).ok();
    assert!(out.contains("[link demo://resource/dynamic/blob/1 Blob Resource 1, text/plain]"), "{out}");
}

#[test]
fn resources_are_read_as_they_are() {
    let text = with_demo(&["read", "demo://resource/static/document/features.md"]).ok();
    assert!(text.starts_with('#'), "{text}");
    let blob = with_demo(&["read", "demo://resource/dynamic/blob/7"]).ok();
    assert!(blob.starts_with("Resource 7: This is a base64 blob"), "{blob}");
    let result = with_demo(&["read", "demo://resource/dynamic/text/7", "--json"]).json();
    assert_eq!(result["contents"][0]["uri"], "demo://resource/dynamic/text/7");
    let folder = Folder::new();
    let out = with_server(&["read", "x://../../a b.dat", "-o", folder.path().to_str().unwrap()], &legacy()).ok();
    assert!(out.contains("a_b.dat"), "{out}");
    assert_eq!(std::fs::read(folder.path().join("a_b.dat")).unwrap(), [0, 1, 2, 255]);
}

#[test]
fn prompts_are_filled_in() {
    assert_eq!(with_demo(&["prompt", "args-prompt", "city=Berlin"]).ok(), "What's weather in Berlin?\n");
    assert_eq!(with_server(&["prompt", "p", "a=so?"], &legacy()).ok(), "user:\nso?\nassistant:\nyes\n");
    let result = with_demo(&["prompt", "args-prompt", "city=Berlin", "state=BE", "--json"]).json();
    assert_eq!(result["messages"][0]["content"]["text"], "What's weather in Berlin, BE?");
}

#[test]
fn arguments_are_completed() {
    let complete = |words: &[&str]| with_demo(&[&["complete"], words].concat()).ok();
    assert_eq!(complete(&["prompt", "completable-prompt", "department", "S"]), "Sales\nSupport\n");
    assert_eq!(complete(&["prompt", "completable-prompt", "name", "department=Sales"]), "David\nEve\nFrank\n");
    assert_eq!(complete(&["resource", "demo://resource/dynamic/text/{resourceId}", "resourceId", "5"]), "5\n");
    let result = with_demo(&["complete", "prompt", "completable-prompt", "department", "E", "--json"]).json();
    assert_eq!(result["completion"]["values"], json!(["Engineering"]));
}

#[test]
fn a_server_says_that_it_lives() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let line = with_demo(&["ping", "--revision", revision]).ok();
        assert!(line.starts_with("mcp-servers/everything answered in ") && line.contains(revision), "{line}");
    }
}
