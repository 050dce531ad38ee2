//! Recording, and showing what was recorded.

use crate::run::{Folder, HttpDemo, JACKFIELD, jackfield};

/// T-152, T-153: what a command said and heard is on the tape, without secrets, and is shown in a line each.
#[test]
fn a_call_is_recorded_and_shown() {
    let folder = Folder::new();
    let call = |message: &str, revision: &str| {
        let message = format!("message={message}");
        let words = ["call", "echo", &message, "--revision", revision, "--tape", "run.tape"];
        folder.jackfield(&[&words[..], &["--", JACKFIELD, "serve", "everything"]].concat(), &[]).ok()
    };
    assert_eq!(call("Bearer s3cret", "2026-07-28"), "Echo: Bearer s3cret\n");
    assert_eq!(call("\u{1b}[31mred", "2025-11-25"), "Echo: \u{1b}[31mred\n");
    let text = std::fs::read_to_string(folder.path().join("run.tape")).unwrap();
    assert!(!text.contains("s3cret"), "{text}");

    let shown = folder.jackfield(&["tape", "run.tape"], &[]).ok();
    let lines: Vec<&str> = shown.lines().collect();
    // Two recordings, each with its own clock.
    assert_eq!(lines.iter().filter(|line| line.contains(", by jackfield ")).count(), 2, "{shown}");
    let has = |what: &str| lines.iter().filter(|line| line.contains(what)).count();
    assert_eq!((has("  → 1   server/discover"), has("  → 1   initialize #")), (1, 1), "{shown}");
    assert_eq!((has("  → 1   tools/call #"), has(": done (")), (2, 6), "{shown}");
    assert_eq!(has(" echo (secrets left out)"), 1, "{shown}");
    assert!(!shown.contains('\u{1b}'));
    assert!(lines.last().unwrap().ends_with(", 6 requests"), "{shown}");
    let full = folder.jackfield(&["tape", "run.tape", "--full"], &[]).ok();
    assert!(full.contains("\"text\":\"Echo: Bearer [removed]\"") && !full.contains('\u{1b}'), "{full}");
}

/// A server records as well: here each exchange with its status, for two clients at once.
#[cfg(unix)]
#[test]
fn a_server_records_its_clients() {
    let folder = Folder::new();
    let tape = folder.path().join("server.tape");
    let demo = HttpDemo::start_with(&["--tape", tape.to_str().unwrap()]);
    let url = format!("http://{}/mcp", demo.address);
    for revision in ["2025-11-25", "2026-07-28"] {
        jackfield(&["call", &url, "get-sum", "a=2", "b=3", "--revision", revision], "").ok();
    }
    assert_ne!(jackfield(&["call", &url, "no-such-tool"], "").code, Some(0));
    // A second writer would garble it.
    let second = jackfield(&["ping", &url, "--tape", tape.to_str().unwrap()], "");
    assert!(second.code == Some(2) && second.err.contains("somebody else is writing"), "{second:?}");
    demo.stop();
    let shown = jackfield(&["tape", tape.to_str().unwrap()], "").ok();
    assert_eq!(shown.matches("tools/call #").count(), 4, "{shown}");
    assert_eq!(shown.matches("get-sum  POST\n").count(), 2, "{shown}");
    assert!(shown.contains("initialize #1: done (") && shown.contains(")  200\n"), "{shown}");
    assert!(shown.contains("  DELETE\n") && shown.contains("  204\n"), "{shown}");
    // Every request has found its answer: nothing is said of any without one.
    let requests =
        shown.matches("→").count() - shown.matches("notifications/").count() - shown.matches("  DELETE\n").count();
    let streams = shown.matches("  GET\n").count();
    assert!(shown.ends_with(&format!(", {} requests\n", requests - streams)), "{shown}");
}

#[test]
fn what_is_no_tape_is_said() {
    let folder = Folder::new();
    folder.write("notes.txt", "do not lose this\n");
    let bad = folder.jackfield(&["tape", "notes.txt"], &[]);
    assert!(bad.code == Some(2) && bad.err.contains("this is not a tape"), "{bad:?}");
    let bad = folder.jackfield(&["ping", "--tape", "notes.txt", "--", JACKFIELD, "serve", "everything"], &[]);
    assert!(bad.code == Some(2) && bad.err.contains("cannot record on notes.txt"), "{bad:?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("notes.txt")).unwrap(), "do not lose this\n");
    assert_eq!(folder.jackfield(&["tape", "nowhere"], &[]).code, Some(2));

    let begin = r#"{"tape":1,"at":"2026-07-28T12:00:00.000Z"}"#;
    folder.write("cut.tape", &format!("{begin}\n{{\"ms\":1,\"from\""));
    let cut = folder.jackfield(&["tape", "cut.tape"], &[]);
    assert!(cut.code == Some(0) && cut.err.contains("ends in the middle of line 2"), "{cut:?}");
    folder.write("bad.tape", &format!("{begin}\n{{\"ms\":1}}\n{{\"ms\":2,\"missed\":1}}\n"));
    let bad = folder.jackfield(&["tape", "bad.tape"], &[]);
    assert!(bad.code == Some(1) && bad.err.contains("line 2: `from` is missing"), "{bad:?}");
    assert!(bad.out.contains("1 records are missing here"), "{bad:?}");
}

/// A disk that is full is no reason to keep a result, and is told.
#[cfg(target_os = "linux")]
#[test]
fn a_tape_that_can_not_be_written_is_told() {
    let words = ["call", "get-sum", "a=2", "b=3", "--tape", "/dev/full", "--", JACKFIELD, "serve", "everything"];
    let ran = jackfield(&words, "");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "The sum of 2 and 3 is 5.\n"), "{}", ran.err);
    assert!(ran.err.contains("the tape /dev/full is not complete"), "{}", ran.err);
}
