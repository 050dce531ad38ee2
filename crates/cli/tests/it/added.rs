//! Adding servers to a configuration file, and removing them.

use crate::run::{Folder, JACKFIELD};

/// SEC-025: where nobody can be asked, a command is not added unless the command line says that it may be.
#[test]
fn nothing_is_added_without_a_person_or_a_yes() {
    let folder = Folder::new();
    let words = ["add", "demo", "--", JACKFIELD, "serve", "everything"];
    let ran = folder.jackfield(&words, &[]);
    assert!(ran.code == Some(2) && ran.err.contains("--yes"), "{ran:?}");
    assert!(!folder.path().join("mcp.json").exists());
    let words = ["add", "demo", "--yes", "--", JACKFIELD, "serve", "everything"];
    folder.jackfield(&words, &[]).ok();
    let mut left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".config", "mcp.json"], "nothing else is left behind");
    // Who has added it is not asked again.
    assert_eq!(folder.jackfield(&["call", "demo", "get-sum", "a=1", "b=2"], &[]).ok(), "The sum of 1 and 2 is 3.\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(folder.path().join("mcp.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn servers_come_and_go_and_all_else_stays() {
    let folder = Folder::new();
    let file = folder.write(
        ".vscode/mcp.json",
        "{\n  \"inputs\": [],\n  \"servers\": {\n    \"a\": {\"url\": \"http://a\"} // first\n  }\n}\n",
    );
    let before = std::fs::read_to_string(&file).unwrap();
    folder.jackfield(&["add", "b", "https://example.com/mcp"], &[]).ok();
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\"b\"") && text.contains("// first") && text.contains("\"inputs\": []"), "{text}");
    let ran = folder.jackfield(&["add", "b", "https://example.com/mcp"], &[]);
    assert!(ran.code == Some(2) && ran.err.contains("already") && ran.err.contains("jackfield remove b"), "{ran:?}");
    folder.jackfield(&["remove", "b"], &[]).ok();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    let ran = folder.jackfield(&["remove", "b"], &[]);
    assert!(ran.code == Some(2) && ran.err.contains("no server named"), "{ran:?}");
}

#[test]
fn what_makes_no_server_is_refused() {
    let folder = Folder::new();
    for (words, part) in [
        (&["add", "x"][..], "is missing"),
        (&["add", "x", "example.com"], "not an http or https URL"),
        (&["add", "x", "file:///etc/passwd"], "not an http or https URL"),
        (&["add", "x", "https://me:secret@h/"], "password"),
        (&["add", "x", "https://h/", "--env", "A=b"], "--env is for servers that are started"),
        (&["add", "x", "https://h/", "--", "y"], "here are both"),
        (&["add", "x", "--yes", "--env", "A", "--", "y"], "not NAME=VALUE"),
        (&["add", "", "https://h/"], "cannot be the name"),
    ] {
        let ran = folder.jackfield(words, &[]);
        assert!(ran.code == Some(2) && ran.err.contains(part) && !ran.err.contains("secret@"), "{words:?}: {ran:?}");
    }
    let broken = folder.write("broken.json", "{");
    let ran = folder.jackfield(&["add", "x", "https://h/", "--config", broken.to_str().unwrap()], &[]);
    assert!(ran.code == Some(2) && std::fs::read_to_string(&broken).unwrap() == "{", "{ran:?}");
}
