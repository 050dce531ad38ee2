//! Several servers as one, from the configuration file on: real processes on both sides.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::run::{Folder, HttpDemo, JACKFIELD, OWN_CONFIG, command};
use crate::scripted::LEGACY;

/// A folder with a demo server as a child process, one over HTTP, an old one, and one that does not exist.
fn folder(demo: &HttpDemo) -> Folder {
    let folder = Folder::new();
    folder.write("legacy.py", LEGACY);
    folder.write(
        OWN_CONFIG,
        &format!(
            r#"{{"mcpServers": {{
                "demo": {{"command": {JACKFIELD:?}, "args": ["serve", "everything"]}},
                "remote": {{"type": "http", "url": "http://{}/mcp"}},
                "old one": {{"command": "python3", "args": ["${{userHome}}/legacy.py"], "env": {{"TOKEN": "${{SECRET}}"}}}},
                "gone": {{"command": "surely-not-a-program", "args": ["--with", "arguments"]}},
                "off": {{"command": "surely-not-a-program", "disabled": true}},
                "unset": {{"command": "x", "env": {{"A": "${{SURELY_NOT_SET}}"}}}}
            }}}}"#,
            demo.address
        ),
    );
    folder
}

#[test]
fn the_servers_of_a_file_are_one_server() {
    let demo = HttpDemo::start();
    let folder = folder(&demo);
    let run = |words: &[&str]| {
        let words: Vec<&str> =
            words.iter().copied().chain(["--env", "SECRET=s3cret", "--", JACKFIELD, "gateway"]).collect();
        folder.jackfield(&words, &[])
    };
    let tools = run(&["list", "tools", "--json"]).json();
    let names: Vec<&str> =
        tools["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for name in ["demo__get-sum", "remote__get-sum", "old-one__env"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(!names.iter().any(|name| name.starts_with("gone") || name.starts_with("off")), "{names:?}");
    for name in ["demo__get-sum", "remote__get-sum"] {
        assert_eq!(run(&["call", name, "a=1", "b=2"]).ok(), "The sum of 1 and 2 is 3.\n");
    }
    let environment: Value = serde_json::from_str(&run(&["call", "old-one__env"]).ok()).unwrap();
    assert_eq!(environment["env"]["TOKEN"], "s3cret");
    assert!(environment["env"].get("SECRET").is_none(), "{environment}");
    let ran = run(&["read", "note://gone/1"]);
    assert!(ran.code != Some(0) && format!("{}{}", ran.out, ran.err).contains("gone is not available"), "{ran:?}");
    // The log says which commands are run, and what is wrong.
    let ran = run(&["ping", "--verbose"]);
    for part in ["surely-not-a-program", "--with", "SURELY_NOT_SET", "\"serve\", \"everything\""] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}

#[test]
fn servers_can_be_chosen_and_must_be_known() {
    let demo = HttpDemo::start();
    let folder = folder(&demo);
    let out =
        folder.jackfield(&["list", "tools", "--", JACKFIELD, "gateway", "remote", "--config", OWN_CONFIG], &[]).ok();
    assert!(out.contains("remote__echo") && !out.contains("demo__"), "{out}");
    let ran = folder.jackfield(&["gateway", "remot"], &[]);
    assert!(ran.code == Some(2) && ran.err.contains("did you mean remote?"), "{ran:?}");
    let ran = Folder::new().jackfield(&["gateway"], &[]);
    assert!(ran.code == Some(2) && ran.err.contains("jackfield add"), "{ran:?}");
}

/// A gateway over HTTP, ended when it is dropped.
struct Served(Child, String);

impl Served {
    fn start(folder: &Folder) -> Self {
        Self::start_with(folder, &["demo", "gone", "old one"])
    }

    fn start_with(folder: &Folder, arguments: &[&str]) -> Self {
        let mut command = command();
        command.arg("gateway").args(arguments).args(["--http", "127.0.0.1:0"]).current_dir(folder.path());
        command.env("HOME", folder.path()).env("SECRET", "s3cret");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = lines.find(|line| line.as_ref().unwrap().contains("listening")).unwrap().unwrap();
        let start = line.find("127.0.0.1:").unwrap();
        let address: String = line[start..].chars().take_while(|c| c.is_ascii_digit() || ".:".contains(*c)).collect();
        // Somebody must read what it still writes.
        std::thread::spawn(move || lines.for_each(drop));
        Self(child, format!("http://{address}/mcp"))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// CLI-042, CLI-085: over HTTP, in both eras, with questions that go from the server through the gateway to the caller and back.
#[test]
fn the_gateway_serves_http_in_both_eras() {
    let demo = HttpDemo::start();
    let folder = folder(&demo);
    let gateway = Served::start(&folder);
    for revision in ["2025-11-25", "2026-07-28"] {
        let run = |words: &[&str]| {
            let words: Vec<&str> = words.iter().copied().chain(["--revision", revision]).collect();
            folder.jackfield(&words, &[])
        };
        let url = gateway.1.as_str();
        assert_eq!(run(&["call", url, "demo__get-sum", "a=1", "b=2"]).ok(), "The sum of 1 and 2 is 3.\n", "{revision}");
        let words =
            ["call", url, "demo__trigger-elicitation-request", "--answer", "name=Ada", "--answer", "check=true"];
        let out = run(&words).ok();
        assert!(out.contains("- Name: Ada"), "{revision}: {out}");
        let words = ["call", url, "demo__trigger-sampling-request", "prompt=hello", "--reply", "forty-two"];
        assert!(run(&words).ok().contains("forty-two"), "{revision}");
    }
}

/// T-133 in part: a server that dies in the middle of a call fails that call in clear words, harms no other server, and is started again.
#[test]
fn a_server_that_dies_is_started_again() {
    let demo = HttpDemo::start();
    let folder = folder(&demo);
    let gateway = Served::start(&folder);
    let call = |words: &[&str]| {
        let words: Vec<&str> = ["call", gateway.1.as_str()].into_iter().chain(words.iter().copied()).collect();
        folder.jackfield(&words, &[])
    };
    let ran = call(&["old-one__die"]);
    assert!(ran.code == Some(1) && ran.out.contains("the server old one could not do it"), "{ran:?}");
    assert_eq!(call(&["demo__get-sum", "a=1", "b=2"]).ok(), "The sum of 1 and 2 is 3.\n");
    // Whoever calls meanwhile waits for it.
    assert_eq!(call(&["old-one__arguments", "a:=1"]).ok(), "{\"a\": 1}\n");
}

/// How many processes the gateway has started.
#[cfg(target_os = "linux")]
fn children(gateway: &Served) -> usize {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", gateway.0.id())).unwrap();
    let children = |task: std::fs::DirEntry| std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
    tasks.map(|task| children(task.unwrap()).split_whitespace().count()).sum()
}

#[cfg(all(feature = "filesystem", target_os = "linux"))]
#[test]
fn a_reference_server_runs_in_the_gateway_itself() {
    let folder = Folder::new();
    folder.write("data/note.txt", "a note\n");
    let data = folder.path().join("data");
    let entry = |program: &str| {
        let arguments = format!(r#"["serve", "filesystem", {data:?}]"#);
        format!(r#"{{"mcpServers": {{"files": {{"command": {program:?}, "args": {arguments}}}}}}}"#)
    };
    folder.write(OWN_CONFIG, &entry("jackfield"));
    let gateway = Served::start_with(&folder, &[]);
    let path = format!("path={}", folder.path().join("data/note.txt").display());
    let call = |gateway: &Served| folder.jackfield(&["call", &gateway.1, "files__read_text_file", &path], &[]).ok();
    assert!(call(&gateway).starts_with("a note\n"));
    assert_eq!(children(&gateway), 0);
    folder.write(OWN_CONFIG, &entry(JACKFIELD));
    assert_eq!(children(&Served::start_with(&folder, &[])), 0);
    let gateway = Served::start_with(&folder, &["--spawn"]);
    assert!(call(&gateway).starts_with("a note\n"));
    assert_eq!(children(&gateway), 1);
}

/// The gateway waits for what its servers write at their end, and an entry's variables count.
#[cfg(feature = "memory")]
#[test]
fn a_server_in_the_gateway_ends_in_an_orderly_way() {
    let folder = Folder::new();
    let file = folder.path().join("sub/memory.jsonl");
    let entry =
        format!(r#"{{"command": "jackfield", "args": ["serve", "memory"], "env": {{"MEMORY_FILE_PATH": {file:?}}}}}"#);
    folder.write(OWN_CONFIG, &format!(r#"{{"mcpServers": {{"notes": {entry}}}}}"#));
    let entities = r#"entities:=[{"name": "Ada", "entityType": "person", "observations": []}]"#;
    let ran = folder.jackfield(&["call", "notes__create_entities", entities, "--", JACKFIELD, "gateway"], &[]);
    assert!(ran.ok().contains("Ada"));
    let names = std::fs::read_dir(folder.path().join("sub")).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["memory.jsonl"]);
}
