//! The standard streams: how a server begins, ends, and keeps them clean.

use jackfield::Revision;
use jackfield::tape::{Entry, Reader};
use jackfield_testkit::Folder;
use serde_json::json;

use crate::process::{Example, command, signal, watch};

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

/// Every server records on a tape when it is told to, and all of it is there when the process has ended.
#[test]
fn every_server_records_what_passes() {
    let folder = Folder::new().unwrap();
    let path = folder.join("server.tape");
    for name in ["TERM", "end of input"] {
        let mut example = Example::start("quickstart", &["--tape", path.to_str().unwrap()], Revision::LATEST);
        for number in 0..100 {
            example.call("add", json!({"a": number, "b": 2}));
        }
        match name {
            "TERM" => signal(example.id(), name),
            _ => example.close_input(),
        }
        assert!(example.wait().0.success());
    }
    let entries: Vec<Entry> = Reader::open(&path).unwrap().collect::<Result<_, _>>().unwrap();
    let begins = entries.iter().filter(|entry| matches!(entry, Entry::Begin { .. })).count();
    let calls = entries.iter().filter(|entry| format!("{entry:?}").contains("tools/call")).count();
    assert_eq!((begins, calls), (2, 200));

    let no_tape = folder.write("notes.txt", "mine").unwrap();
    let output = command("quickstart").args(["--tape", no_tape.to_str().unwrap()]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("notes.txt: this is not a tape"), "{errors}");
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

fn requests(ids: std::ops::Range<i64>) -> String {
    let request = |id| {
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "add", "arguments": {"a": id, "b": 1},
            "_meta": {"io.modelcontextprotocol/protocolVersion": Revision::LATEST, "io.modelcontextprotocol/clientCapabilities": {}}}})
        .to_string()
    };
    ids.map(|id| request(id) + "\n").collect()
}

fn sums(text: &str) -> Vec<(i64, String)> {
    let answer = |line: &str| {
        let answer: serde_json::Value = serde_json::from_str(line).unwrap();
        (answer["id"].as_i64().unwrap(), answer["result"]["content"][0]["text"].as_str().unwrap().to_owned())
    };
    text.lines().map(answer).collect()
}

/// STDIO-003, STDIO-014, STDIO-023: the standard streams may be files. They are read to their end, and each answer is a line.
#[test]
fn the_standard_streams_may_be_files() {
    let folder = std::env::temp_dir().join(format!("jackfield-stdio-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (from, to) = (folder.join("in"), folder.join("out"));
    // More than is read at once.
    std::fs::write(&from, requests(0..1000)).unwrap();
    let (input, output) = (std::fs::File::open(&from).unwrap(), std::fs::File::create(&to).unwrap());
    let mut child = command("quickstart").stdin(input).stdout(output).spawn().unwrap();
    let _watch = watch(child.id());
    assert!(child.wait().unwrap().success());
    let expected: Vec<_> = (0..1000).map(|id| (id, (id + 1).to_string())).collect();
    assert_eq!(sums(&std::fs::read_to_string(&to).unwrap()), expected);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// STDIO-023: some hosts connect a server by one socket instead of two pipes.
#[cfg(unix)]
#[test]
fn the_standard_streams_may_be_a_socket() {
    use std::io::{Read as _, Write as _};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let (input, output) = (OwnedFd::from(theirs.try_clone().unwrap()), OwnedFd::from(theirs));
    let mut child = command("quickstart").stdin(input).stdout(output).spawn().unwrap();
    let _watch = watch(child.id());
    ours.write_all(requests(0..3).as_bytes()).unwrap();
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    let mut text = String::new();
    ours.read_to_string(&mut text).unwrap();
    assert_eq!(sums(&text), [(0, "1".into()), (1, "2".into()), (2, "3".into())]);
    assert!(child.wait().unwrap().success());
}
