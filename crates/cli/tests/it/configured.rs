//! Servers by name, from the files that editors and assistants have.

use serde_json::Value;

use crate::run::{Folder, JACKFIELD, OWN_CONFIG};
use crate::scripted::LEGACY;

fn everything() -> String {
    format!(r#"{{"command": {JACKFIELD:?}, "args": ["serve", "everything"]}}"#)
}

#[test]
fn names_are_found_in_the_usual_places_in_order() {
    for (file, text) in [
        ("mcp.json", r#"{"mcpServers": {"demo": SERVER}}"#),
        (".mcp.json", r#"{"mcpServers": {"demo": SERVER}}"#),
        (".vscode/mcp.json", "// servers\n{\"inputs\": [], \"servers\": {\"demo\": SERVER,}}"),
        (".cursor/mcp.json", r#"{"mcpServers": {"demo": SERVER}}"#),
        (".config/jackfield/mcp.json", r#"{"servers": {"demo": SERVER}}"#),
        ("xdg/jackfield/mcp.json", r#"{"servers": {"demo": SERVER}}"#),
    ] {
        let folder = Folder::new();
        let xdg = folder.path().join("xdg");
        let variables: &[(&str, &str)] =
            if file.starts_with("xdg") { &[("XDG_CONFIG_HOME", xdg.to_str().unwrap())] } else { &[] };
        folder.write(file, &text.replace("SERVER", &everything()));
        let out = folder.jackfield(&["call", "demo", "get-sum", "a=1", "b=2", "--approve"], variables).ok();
        assert_eq!(out, "The sum of 1 and 2 is 3.\n", "{file}");
    }
    let folder = Folder::new();
    folder.write(
        ".mcp.json",
        &format!(r#"{{"mcpServers": {{"demo": {{"command": "false"}}, "other": {}}}}}"#, everything()),
    );
    folder.write("mcp.json", &format!(r#"{{"mcpServers": {{"demo": {}}}}}"#, everything()));
    folder.jackfield(&["ping", "demo", "--approve"], &[]).ok();
    folder.jackfield(&["ping", "other", "--approve"], &[]).ok();
    assert_eq!(folder.jackfield(&["ping", "demo", "--config", ".mcp.json"], &[]).code, Some(3));
}

/// T-117: a server gets the variables that are named, and no others.
#[test]
fn environment_and_directory_are_those_of_the_file_and_the_command_line() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    folder.write("vars.env", "# comment\nexport FILE_VAR='from file'\nBOTH=file\n");
    let server = serde_json::json!({"mcpServers": {"py": {
        "command": "python3", "args": ["-c", LEGACY], "cwd": "sub", "envFile": "${workspaceFolder}/vars.env",
        "env": {"TOKEN": "${SECRET}", "MODE": "${MODE:-quick}", "BOTH": "env"},
    }}});
    folder.write("project.json", &server.to_string());
    let seen = |arguments: &[&str]| -> Value {
        let words = [&["call", "py", "env", "--config", "project.json"], arguments].concat();
        serde_json::from_str(
            &folder.jackfield(&words, &[("SECRET", "s3cret"), ("UNNAMED", "x"), ("PASSED", "on")]).ok(),
        )
        .unwrap()
    };
    let plain = seen(&[]);
    let env = &plain["env"];
    assert_eq!((&env["TOKEN"], &env["MODE"], &env["BOTH"]), (&"s3cret".into(), &"quick".into(), &"env".into()));
    assert_eq!(env["FILE_VAR"], "from file");
    assert!(env.get("UNNAMED").is_none() && env.get("SECRET").is_none() && env.get("PASSED").is_none(), "{env}");
    assert_eq!(plain["cwd"].as_str(), folder.path().join("sub").to_str());
    let more = seen(&["--env", "PASSED", "--env", "MODE=slow", "--cwd", "."]);
    assert_eq!((&more["env"]["PASSED"], &more["env"]["MODE"]), (&"on".into(), &"slow".into()));
    assert_eq!(more["cwd"].as_str(), folder.path().to_str());
}

#[test]
fn names_that_can_not_be_used_are_explained() {
    let folder = Folder::new();
    let ran = folder.jackfield(&["inspect", "demo"], &[]);
    assert!(ran.code == Some(2) && ran.err.contains("no configuration file was found"), "{ran:?}");
    assert!(ran.err.contains("-- COMMAND"), "{ran:?}");
    folder.write(
        OWN_CONFIG,
        &format!(
            r#"{{"mcpServers": {{"demo": {}, "unset": {{"command": "x", "env": {{"A": "${{SURELY_NOT_SET}}"}}}},
               "input": {{"url": "http://x", "headers": {{"K": "${{input:key}}"}}}}, "empty": {{}}}}}}"#,
            everything()
        ),
    );
    folder.write("broken.json", "{\n  nonsense");
    for (arguments, part) in [
        (&["inspect", "dem"][..], "did you mean demo?"),
        (&["inspect", "localhost:3000/mcp"], "for a URL write http://localhost:3000/mcp"),
        (&["inspect", "unset"], "needs the environment variable SURELY_NOT_SET"),
        (&["inspect", "input"], "only the editor can give"),
        (&["inspect", "empty"], "neither command nor url"),
        (&["inspect", "demo", "--config", "broken.json"], "line 2"),
        (&["inspect", "demo", "--config", "absent.json"], "absent.json cannot be read"),
    ] {
        let ran = folder.jackfield(arguments, &[]);
        assert!(ran.code == Some(2) && ran.err.contains(part), "{arguments:?}: {ran:?}");
    }
}

/// A file that is there and cannot be read is not passed over: the server may be in it, and another of its name further down.
#[test]
fn a_file_that_can_not_be_read_is_not_absent() {
    let folder = Folder::new();
    folder.write(".vscode/mcp.json", &format!(r#"{{"servers": {{"demo": {}}}}}"#, everything()));
    // A folder of an editor that is a file has no file in it.
    folder.write(".cursor", "");
    folder.jackfield(&["ping", "demo", "--approve"], &[]).ok();
    std::fs::write(folder.path().join(".mcp.json"), b"{\"servers\": {\"\xff\": {}}}").unwrap();
    for words in [&["ping", "demo"][..], &["remove", "demo"], &["gateway"]] {
        let ran = folder.jackfield(words, &[]);
        assert!(ran.code == Some(2) && ran.err.contains(".mcp.json cannot be read"), "{words:?}: {ran:?}");
    }
}

#[test]
fn a_server_may_be_called_like_a_list() {
    let folder = Folder::new();
    folder.write(OWN_CONFIG, &format!(r#"{{"mcpServers": {{"tools": {}, "demo": {}}}}}"#, everything(), everything()));
    for words in [&["list", "tools", "prompts"][..], &["list", "demo", "prompts"], &["list", "prompts", "demo"]] {
        let out = folder.jackfield(words, &[]).ok();
        assert!(out.lines().count() == 4 && out.contains("args-prompt"), "{words:?}: {out}");
    }
}
