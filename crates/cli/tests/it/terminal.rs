//! The command at a terminal: colour, width, escapes, and questions to the person.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};

use crate::run::{Folder, JACKFIELD, command};
use crate::scripted::LEGACY;

/// The command at a terminal of 60 columns.
struct Terminal {
    child: Child,
    screen: File,
    shown: Vec<u8>,
}

impl Terminal {
    fn start(words: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = command();
        command.args(words).envs(variables.iter().copied());
        Self::of(command)
    }

    /// Starts the command in a folder that is also the home of the user.
    fn start_in(folder: &Folder, words: &[&str]) -> Self {
        let mut command = command();
        command.args(words).current_dir(folder.path()).env("HOME", folder.path());
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let stream = || Stdio::from(theirs.try_clone().unwrap());
        command.env("TERM", "xterm").env("COLUMNS", "60");
        let child = command.stdin(stream()).stdout(stream()).stderr(stream()).spawn().unwrap();
        Self { child, screen: File::from(ours), shown: Vec::new() }
    }

    /// Reads more of what is shown. When the last process has closed its side, reading fails.
    fn read(&mut self) -> bool {
        let mut chunk = [0; 4096];
        let Ok(count @ 1..) = self.screen.read(&mut chunk) else { return false };
        self.shown.extend_from_slice(&chunk[..count]);
        true
    }

    fn wait_for(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.shown).contains(text) {
            assert!(self.read(), "{text} is not in {}", String::from_utf8_lossy(&self.shown));
        }
    }

    /// Returns the exit code and what is on the screen.
    fn finish(mut self) -> (Option<i32>, String) {
        while self.read() {}
        (self.child.wait().unwrap().code(), String::from_utf8(self.shown).unwrap())
    }
}

/// Runs the command at a terminal; the person types `input`.
fn at_terminal(words: &[&str], input: &str, variables: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut terminal = Terminal::start(words, variables);
    terminal.screen.write_all(input.as_bytes()).unwrap();
    terminal.finish()
}

/// The thread that waits for the person must not keep the command.
#[test]
fn a_question_can_be_interrupted() {
    let words = ["call", "trigger-elicitation-request", "--verbose", "--", JACKFIELD, "serve", "everything"];
    let mut terminal = Terminal::start(&words, &[]);
    terminal.wait_for("name: ");
    let killed = Command::new("kill").args(["-s", "INT", &terminal.child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let (code, shown) = terminal.finish();
    assert_eq!(code, Some(130), "{shown}");
}

#[test]
fn a_page_has_the_width_and_the_colours_of_the_terminal() {
    let words = ["inspect", "--", JACKFIELD, "serve", "everything"];
    let (code, shown) = at_terminal(&words, "", &[]);
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("\x1b[1mTools (18)\x1b[0m"), "{shown}");
    let (_, plain) = at_terminal(&words, "", &[("NO_COLOR", "1")]);
    assert!(!plain.contains('\x1b'), "{plain}");
    let list = ["list", "tools", "--", JACKFIELD, "serve", "everything"];
    let (_, list) = at_terminal(&list, "", &[("NO_COLOR", "1")]);
    assert!(list.lines().all(|line| line.chars().count() <= 60), "{list}");
    assert!(list.contains('…'), "{list}");
}

/// T-113, T-152: a tool's text cannot steer the terminal.
#[test]
fn text_of_a_server_is_harmless_at_a_terminal() {
    let words = ["call", "text", "--", "python3", "-c", LEGACY];
    let (code, shown) = at_terminal(&words, "", &[]);
    assert_eq!((code, shown.as_str()), (Some(0), "evil\\u{1b}]0;title\\u{7}\\u{202e}\\r\r\nsecond\r\n"));
    let (_, shown) = at_terminal(&["read", "x://y", "--", "python3", "-c", LEGACY], "", &[]);
    assert_eq!(shown, "[resource x://y, 4 bytes]\r\n");
}

#[test]
fn progress_is_shown_at_a_terminal_and_taken_away() {
    let words = ["call", "progress", "--", "python3", "-c", LEGACY];
    let (_, shown) = at_terminal(&words, "", &[]);
    assert!(shown.contains("\r\x1b[K 50 % (1/2) step\r\x1b[K100 % (2/2) step\r\x1b[Kevil"), "{shown:?}");
}

/// CLI-042, CLI-044, CLI-085: questions of the server reach the person, and the answers reach the server, in both eras.
#[test]
fn questions_are_asked_at_the_terminal() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let call = |tool: &str| {
            let words = ["call", tool, "--revision", revision];
            words.map(str::to_owned)
        };
        let demo = ["--", JACKFIELD, "serve", "everything"];
        let run = |tool: &str, more: &[&str], input: &str, variables: &[(&str, &str)]| {
            let words = call(tool);
            let words: Vec<&str> = words.iter().map(String::as_str).chain(more.iter().copied()).chain(demo).collect();
            at_terminal(&words, input, variables)
        };
        // The name, then Enter for the defaults of the other twelve fields, then yes.
        let input = format!("Ada\nyes\n{}y\n", "\n".repeat(11));
        let (code, shown) = run("trigger-elicitation-request", &[], &input, &[]);
        assert_eq!(code, Some(0), "{shown}");
        assert!(shown.contains("asks you to fill in a form:") && shown.contains("- Name: Ada"), "{shown}");
        let (_, shown) = run("trigger-elicitation-request", &[], ":cancel\n", &[]);
        assert!(shown.contains("User cancelled"), "{shown}");

        let (_, shown) = run("trigger-sampling-request", &["prompt=hello"], "forty-two\n\n", &[]);
        assert!(shown.contains("context: hello") && shown.contains("\"text\": \"forty-two\""), "{shown}");

        // The browser is a program that notes what it is asked to open.
        let folder = Folder::new();
        let browser = folder
            .write("browser", "#!/bin/sh\nprintf '%s|' \"$#\" \"$@\" > \"$0.tmp\"; mv \"$0.tmp\" \"$0.opened\"\n");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&browser, mode).unwrap();
        let variables = [("BROWSER", browser.to_str().unwrap())];
        let url = "https://example.com/?a=$(id)&b=%20";
        let argument = format!("url={url}");
        let (_, shown) = run("trigger-url-elicitation", &[&argument], "d\n", &variables);
        assert!(shown.contains("example.com") && shown.contains("User declined"), "{shown}");
        let opened = folder.path().join("browser.opened");
        assert!(!opened.exists());
        let (_, shown) = run("trigger-url-elicitation", &[&argument], "o\n", &variables);
        assert!(shown.contains("User completed the URL elicitation flow"), "{shown}");
        // The browser is not a child of the test.
        jackfield_testkit::eventually_blocking("the browser is started", || opened.exists());
        assert_eq!(std::fs::read_to_string(opened).unwrap(), format!("1|{url}|"));
    }
}

/// On a terminal a server that wants a login leads to a question; without a yes nothing is opened.
#[test]
fn a_login_is_offered_and_may_be_declined() {
    let folder = Folder::new();
    let users = folder.path().join("users.json");
    let mut add = command();
    add.args(["auth", "add-user", users.to_str().unwrap(), "ann"]);
    crate::run::finish(add, "correct horse battery\n").ok();
    let demo = crate::run::HttpDemo::start_with(&["--auth", users.to_str().unwrap()]);
    let url = format!("http://{}/mcp", demo.address);
    let home = [("HOME", folder.path().to_str().unwrap()), ("BROWSER", "false")];
    let mut terminal = Terminal::start(&["ping", &url], &home);
    terminal.wait_for("asks you to log in. Open its login page");
    terminal.screen.write_all(b"n\n").unwrap();
    let (code, shown) = terminal.finish();
    assert_eq!(code, Some(7), "{shown}");
    assert!(shown.contains(&format!("jackfield login {url}")) && !shown.contains("/authorize?"), "{shown}");

    let mut terminal = Terminal::start(&["ping", &url], &home);
    terminal.wait_for("asks you to log in. Open its login page");
    terminal.screen.write_all(b"y\n").unwrap();
    terminal.wait_for("/authorize?");
    let killed = Command::new("kill").args(["-s", "INT", &terminal.child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(terminal.finish().0, Some(130));
}

/// A password that is typed does not appear.
#[test]
fn passwords_are_not_shown() {
    let folder = Folder::new();
    let users = folder.path().join("users.json");
    let mut terminal = Terminal::start(&["auth", "add-user", users.to_str().unwrap(), "ann"], &[]);
    terminal.wait_for("Password of ann: ");
    terminal.screen.write_all(b"correct horse battery\n").unwrap();
    let (code, shown) = terminal.finish();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("ann can log in;") && !shown.contains("horse"), "{shown}");
}

/// Whoever gives up at the password gets the terminal back as it was.
#[test]
fn a_password_that_is_interrupted_leaves_the_terminal_as_it_was() {
    let echoes = |screen: &File| tcgetattr(screen).unwrap().local_modes.contains(LocalModes::ECHO);
    let folder = Folder::new();
    let users = folder.path().join("users.json");
    let mut terminal = Terminal::start(&["auth", "add-user", users.to_str().unwrap(), "ann"], &[]);
    terminal.wait_for("Password of ann: ");
    assert!(!echoes(&terminal.screen));
    let killed = Command::new("kill").args(["-s", "INT", &terminal.child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(terminal.child.wait().unwrap().code(), Some(130));
    assert!(echoes(&terminal.screen));
    assert!(!users.exists());
}

/// SEC-025, SEC-026: before a command is configured it is shown whole, with a warning of what it can do, and only a yes adds it. It gets
/// no variables but those that the person grants (T-117); there is no sandbox, and nothing tells dangerous commands from others.
#[test]
fn a_command_is_added_only_after_it_was_seen_and_agreed_to() {
    let folder = Folder::new();
    let file = folder.path().join("mcp.json");
    let path = file.to_str().unwrap();
    let before = "{\n  // mine\n  \"mcpServers\": {\"other\": {\"url\": \"http://x\", \"odd\": [1]}},\n  \"z\": 1\n}\n";
    std::fs::write(&file, before).unwrap();
    let long = "x".repeat(3000);
    let words = ["add", "new", "--config", path, "--env", "LD_PRELOAD=/tmp/a\u{1b}[8m.so", "--"];
    let command = ["npx", "-y", "some server", "\u{1b}[2K\u{202e}; rm -rf ~", &long, "--last"];
    let words: Vec<&str> = words.into_iter().chain(command).collect();
    for answer in ["\n", "n\n", "\u{4}", "no\n", "yes please\n"] {
        let mut terminal = Terminal::start(&words, &[]);
        terminal.wait_for("[N]o: ");
        terminal.screen.write_all(answer.as_bytes()).unwrap();
        let (code, shown) = terminal.finish();
        assert_eq!(code, Some(1), "{shown}");
        assert!(shown.contains("nothing was added") && shown.contains("with your rights"), "{shown}");
        // The whole command is there, and nothing in it steers the terminal.
        let line = format!(r"npx -y 'some server' '\u{{1b}}[2K\u{{202e}}; rm -rf ~' {long} --last");
        assert!(shown.contains(&line) && shown.contains(r"LD_PRELOAD=/tmp/a\u{1b}[8m.so"), "{shown}");
        assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), before, "{answer:?}");
    }
    let mut terminal = Terminal::start(&words, &[]);
    terminal.wait_for("[N]o: ");
    let killed = Command::new("kill").args(["-s", "INT", &terminal.child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(terminal.finish().0, Some(130));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);

    let (code, shown) = at_terminal(&words, "y\n", &[]);
    assert_eq!(code, Some(0), "{shown}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("// mine") && text.contains("\"odd\": [1]}") && text.ends_with("  \"z\": 1\n}\n"), "{text}");
    let plain: serde_json::Value = serde_json::from_str(&text.replace("// mine", "")).unwrap();
    let added = &plain["mcpServers"]["new"];
    assert_eq!((&added["command"], &added["args"][4]), (&"npx".into(), &"--last".into()), "{added}");
    assert_eq!(added["env"]["LD_PRELOAD"], "/tmp/a\u{1b}[8m.so");
}

/// T-174: an entry of a project's file is used after one yes to exactly what it says, and a change of it asks again.
#[test]
fn a_server_of_the_project_is_used_only_after_a_yes() {
    let folder = Folder::new();
    let entry = |argument: &str| {
        format!(
            r#"{{"mcpServers": {{"demo": {{"command": {JACKFIELD:?}, "args": ["serve", {argument:?}], "env": {{"T": "${{HOME}}"}}}}}}}}"#
        )
    };
    folder.write(".mcp.json", &entry("everything"));
    let ping = ["ping", "demo"];
    for answer in ["\n", "n\n", "\u{4}"] {
        let mut terminal = Terminal::start_in(&folder, &ping);
        terminal.wait_for("[N]o: ");
        terminal.screen.write_all(answer.as_bytes()).unwrap();
        let (code, shown) = terminal.finish();
        assert_eq!(code, Some(2), "{shown}");
        for part in [".mcp.json is new", "serve everything", "T=${HOME}", "variables of your environment: HOME"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(!shown.contains("starting"), "{shown}");
        assert_eq!(folder.jackfield(&ping, &[]).code, Some(2));
    }
    let mut terminal = Terminal::start_in(&folder, &ping);
    terminal.wait_for("[N]o: ");
    terminal.screen.write_all(b"y\n").unwrap();
    let (code, shown) = terminal.finish();
    assert_eq!(code, Some(0), "{shown}");
    folder.jackfield(&ping, &[]).ok();
    folder.jackfield(&["list", "tools", "--", JACKFIELD, "gateway", "demo"], &[]).ok();
    folder.write(".mcp.json", &entry("time"));
    assert_eq!(folder.jackfield(&ping, &[]).code, Some(2));
    // The same text in another project is another entry.
    let other = Folder::new();
    other.write(".mcp.json", &entry("everything"));
    let own = folder.path().join(".config");
    assert_eq!(other.jackfield(&ping, &[("XDG_CONFIG_HOME", own.to_str().unwrap())]).code, Some(2));
}
