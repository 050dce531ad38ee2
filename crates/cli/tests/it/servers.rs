//! The reference servers as programs.

#[cfg(feature = "memory")]
use crate::run::{Folder, Ran};
use crate::run::{command, finish, jackfield};

#[test]
fn a_server_that_is_not_in_the_build_names_its_feature() {
    let unknown = jackfield(&["serve", "nothing-of-the-kind"], "");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("there is no server nothing-of-the-kind"), "{}", unknown.err);
    #[cfg(not(feature = "time"))]
    assert!(jackfield(&["serve", "time"], "").err.contains("--features time"));
}

#[test]
fn help_ends_with_an_entry_for_the_configuration_of_a_client() {
    let servers = [
        ("everything", cfg!(feature = "everything")),
        ("memory", cfg!(feature = "memory")),
        ("sequentialthinking", cfg!(feature = "sequentialthinking")),
        ("sqlite", cfg!(feature = "sqlite")),
        ("time", cfg!(feature = "time")),
    ];
    for (name, _) in servers.into_iter().filter(|(_, is_built)| *is_built) {
        let help = jackfield(&["serve", name, "--help"], "").ok();
        // A long entry is wrapped.
        let entry = &help[help.rfind("{\"mcpServers\"").unwrap()..];
        let entry: serde_json::Value =
            serde_json::from_str(entry).unwrap_or_else(|error| panic!("{name}: {error}: {entry}"));
        assert_eq!(entry["mcpServers"][name]["command"], "jackfield");
        assert_eq!(entry["mcpServers"][name]["args"][1], name);
    }
}

#[cfg(feature = "time")]
#[test]
fn an_unknown_local_zone_is_one_line_and_exit_code_1() {
    let ran = jackfield(&["serve", "time", "--local-timezone", "Mars/Phobos"], "");
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.err, "Error: invalid --local-timezone 'Mars/Phobos': not a known IANA timezone name\n");
}

#[cfg(feature = "time")]
#[test]
fn a_server_ends_with_its_input() {
    let mut server = command();
    server.args(["serve", "time", "--local-timezone", "UTC"]);
    let ran = finish(server, "");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
}

/// What a client of the legacy era says to change the graph.
#[cfg(feature = "memory")]
const CONVERSATION: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"create_entities","arguments":{"entities":[{"name":"Ada","entityType":"person","observations":[]}]}}}"#,
    "\n"
);

#[cfg(feature = "memory")]
fn remember(folder: &Folder, input: &str) -> Ran {
    let mut server = command();
    server.args(["serve", "memory"]).current_dir(folder.path()).env("MEMORY_FILE_PATH", "sub/memory.jsonl");
    finish(server, input)
}

#[cfg(feature = "memory")]
#[test]
fn the_memory_file_is_written_at_the_end() {
    let folder = Folder::new();
    let ran = remember(&folder, CONVERSATION);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.starts_with("Knowledge Graph MCP Server running on stdio"), "{}", ran.err);
    assert!(ran.out.contains("Ada"), "{}", ran.out);
    let names: Vec<_> =
        std::fs::read_dir(folder.path().join("sub")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["memory.jsonl"]);
    let text = std::fs::read_to_string(folder.path().join("sub/memory.jsonl")).unwrap();
    assert_eq!(text, "{\"type\":\"entity\",\"name\":\"Ada\",\"entityType\":\"person\",\"observations\":[]}\n");
}

/// A server that is killed right after its answer loses nothing.
#[cfg(feature = "memory")]
#[test]
fn what_was_answered_survives_a_kill() {
    use std::io::{BufRead, BufReader, Write};
    let folder = Folder::new();
    let mut server = command();
    server.args(["serve", "memory"]).current_dir(folder.path()).env("MEMORY_FILE_PATH", "sub/memory.jsonl");
    let mut child = server.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(CONVERSATION.as_bytes()).unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(answers.any(|line| line.unwrap().contains("\"id\":2")));
    child.kill().unwrap();
    child.wait().unwrap();
    let again = CONVERSATION.replace("create_entities", "read_graph");
    let ran = remember(&folder, &again);
    assert!(ran.out.contains("Ada"), "{}", ran.out);
    let text = std::fs::read_to_string(folder.path().join("sub/memory.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 1);
}
