//! Servers at a URL.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

use crate::run::{Folder, HttpDemo, OWN_CONFIG, jackfield};

#[test]
fn every_command_works_with_a_url() {
    let demo = HttpDemo::start();
    let url = format!("http://{}/mcp", demo.address);
    let run = |words: &[&str]| jackfield(words, "").ok();
    assert!(run(&["inspect", &url]).contains(&format!("at {url}\n")));
    assert_eq!(run(&["list", &url, "tools"]).lines().count(), 18);
    assert_eq!(run(&["list", "tools", &url]).lines().count(), 18);
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
        let sum = run(&["call", &url, "get-sum", "a=2", "b=3", "--revision", revision]);
        assert_eq!(sum, "The sum of 2 and 3 is 5.\n", "{revision}");
    }
    assert!(run(&["read", &url, "demo://resource/dynamic/text/1"]).starts_with("Resource 1"));
    assert_eq!(run(&["prompt", &url, "args-prompt", "city=Rome"]), "What's weather in Rome?\n");
    assert_eq!(run(&["complete", &url, "prompt", "completable-prompt", "department", "E"]), "Engineering\n");
    assert!(run(&["ping", &url]).contains("2026-07-28"));
    let old = format!("http://{}/sse", demo.address);
    for (url, revision) in [(&url, "2025-11-25"), (&old, "2024-11-05")] {
        let text = run(&["call", url, "toggle-simulated-logging", "--revision", revision]);
        assert!(text.contains("logging for session ") && !text.contains("undefined"), "{text}");
    }
    assert_eq!(run(&["call", &old, "get-sum", "a=2", "b=3"]), "The sum of 2 and 3 is 5.\n");
    assert!(run(&["rdf", "catalogue", &url, "--to", "ntriples"]).starts_with(&format!("<{url}> ")));

    let folder = Folder::new();
    folder.write(OWN_CONFIG, &format!(r#"{{"servers": {{"demo": {{"type": "http", "url": "{url}"}}}}}}"#));
    let answered = ["call", "demo", "trigger-elicitation-request", "--answer", "name=Ada"];
    assert!(folder.jackfield(&answered, &[]).ok().contains("- Name: Ada"));
}

/// Takes one request, answers 401, and returns what was asked.
fn refuse_once(listener: TcpListener) -> String {
    let (mut stream, _) = listener.accept().unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(reader.read_line(&mut head).unwrap(), 0);
    }
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    reader.read_exact(&mut vec![0; length.unwrap_or(0)]).unwrap();
    stream.write_all(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
    head
}

/// T-068: headers are sent, with their variables filled in, and never shown.
#[test]
fn headers_are_sent_and_never_shown() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || refuse_once(listener));
    let folder = Folder::new();
    let words = ["inspect", &url, "--verbose", "--header", "Authorization: Bearer $TOKEN", "--header", "X-Plain: 5$$"];
    let ran = folder.jackfield(&words, &[("TOKEN", "s3cret"), ("JACKFIELD_LOG", "trace")]);
    let head = server.join().unwrap().to_lowercase();
    assert!(head.contains("authorization: bearer s3cret\r\n") && head.contains("x-plain: 5$\r\n"), "{head}");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.err.contains("say who you are"), "{}", ran.err);
    assert!(!ran.err.contains("s3cret"), "{}", ran.err);
}
