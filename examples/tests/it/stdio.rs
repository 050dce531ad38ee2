//! The standard streams: how a server begins, ends, and keeps them clean.

use jackfield::Revision;
use serde_json::json;

use crate::process::{Example, signal};

/// STDIO-005: what user code prints arrives on standard error, not between the messages.
#[test]
fn prints_do_not_disturb_the_protocol() {
    let mut example = Example::start("noisy", &[], Revision::LATEST);
    for _ in 0..3 {
        assert_eq!(example.text("hello", json!({"name": "Ada"})), "Hello, Ada! (said)");
    }
    let errors = example.finish();
    assert_eq!(errors.matches("about to greet Ada").count(), 3, "{errors}");
}

/// STDIO-014: the end of input ends the server with code 0.
#[test]
fn the_end_of_input_ends_the_server() {
    for revision in Revision::ALL {
        let mut example = Example::start("quickstart", &[], revision);
        assert_eq!(example.text("add", json!({"a": 1, "b": 2})), "3");
        example.finish();
    }
    let mut silent = Example::start_silent("quickstart", &[], Revision::LATEST);
    silent.close_input();
    assert!(silent.wait().0.success());
}

/// T-173: signals end the server cleanly, although its input stays open.
#[test]
fn signals_end_the_server() {
    for name in ["TERM", "INT"] {
        let mut example = Example::start("quickstart", &[], Revision::LATEST);
        example.call("add", json!({"a": 1, "b": 2}));
        signal(example.id(), name);
        let (status, rest, errors) = example.wait();
        assert!(status.success(), "{name}: {status} {errors}");
        assert_eq!(rest, "");
    }
}

/// STDIO-014: answers to requests that came before the end of input are written before the server ends.
#[test]
fn requests_before_the_end_of_input_are_answered() {
    let mut example = Example::start("quickstart", &[], Revision::LATEST_WITH_HANDSHAKE);
    for id in 100..200 {
        example.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": "add", "arguments": {"a": id, "b": 1}}}));
    }
    example.close_input();
    let (status, rest, _) = example.wait();
    assert!(status.success());
    assert_eq!(rest.lines().count(), 100);
}
