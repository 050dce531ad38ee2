//! The reference servers as programs.

#[cfg(any(feature = "filesystem", feature = "memory"))]
use crate::run::Folder;
#[cfg(feature = "memory")]
use crate::run::Ran;
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
        ("fetch", cfg!(feature = "fetch")),
        ("filesystem", cfg!(feature = "filesystem")),
        ("git", cfg!(feature = "git")),
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

/// An answer of a child process may be far longer than one over HTTP: the text of a file stands in it twice.
#[cfg(feature = "filesystem")]
#[test]
fn a_file_of_nine_megabytes_can_be_read() {
    use crate::run::{JACKFIELD, with_server};
    let folder = Folder::new();
    let text = "0123456789abcdef\n".repeat(9_000_000 / 17);
    let path = folder.write("data/big.txt", &text);
    let path = format!("path={}", path.display());
    let directory = folder.path().join("data");
    let directory = directory.to_str().unwrap();
    let ran = with_server(&["call", "read_text_file", &path], &[JACKFIELD, "serve", "filesystem", directory]);
    // The text comes first, then the structured content.
    let out = ran.ok();
    assert!(out.starts_with(&text) && out.len() > 2 * text.len());
}

/// Over HTTP, with a store, a tape and a login.
#[cfg(all(
    feature = "fetch",
    feature = "filesystem",
    feature = "git",
    feature = "memory",
    feature = "sequentialthinking",
    feature = "sqlite",
    feature = "time"
))]
#[test]
fn every_server_serves_http() {
    use crate::run::HttpDemo;
    let folder = Folder::new();
    folder.write("data/note.txt", "a note");
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    crate::logins::add_user(&folder);
    let (data, database, users) = (path("data"), path("test.db"), path("users.json"));
    for (server, arguments, tool) in [
        ("fetch", vec![], "fetch"),
        ("filesystem", vec![data.as_str(), "--roots", "within"], "read_text_file"),
        ("git", vec![], "git_status"),
        ("memory", vec![], "read_graph"),
        ("sequentialthinking", vec![], "sequentialthinking"),
        ("sqlite", vec!["--db-path", &database], "read_query"),
        ("time", vec![], "convert_time"),
    ] {
        let tape = path(&format!("{server}.tape"));
        let with = |more: &[&str]| HttpDemo::serve(&folder, server, &[arguments.as_slice(), more].concat());
        let list = |demo: &HttpDemo, revision: &str| {
            let url = format!("http://{}/mcp", demo.address);
            folder.jackfield(&["list", "tools", &url, "--json", "--revision", revision], &[])
        };
        let demo = with(&["--store", "memory:", "--tape", &tape]);
        for revision in ["2025-11-25", "2026-07-28"] {
            let tools = list(&demo, revision).json();
            assert!(
                tools["tools"].as_array().unwrap().iter().any(|listed| listed["name"] == tool),
                "{server}: {tools}"
            );
        }
        #[cfg(unix)]
        demo.stop();
        assert!(jackfield(&["tape", &tape], "").ok().contains("tools/list"), "{server}");
        let refused = list(&with(&["--auth", &users]), "2026-07-28");
        assert_eq!(refused.code, Some(7), "{server}: {refused:?}");
    }
}
