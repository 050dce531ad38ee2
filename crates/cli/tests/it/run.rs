//! Running the command.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The program under test.
pub(crate) const JACKFIELD: &str = env!("CARGO_BIN_EXE_jackfield");

/// The user's own configuration file in a [`Folder`], whose servers are used without a question.
pub(crate) const OWN_CONFIG: &str = ".config/jackfield/mcp.json";

/// How a run went.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// The output of a run that went well.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    /// The output of a run that went well, as JSON.
    #[track_caller]
    pub(crate) fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.ok()).unwrap()
    }
}

/// A command in an environment without surprises.
pub(crate) fn command() -> Command {
    let mut command = Command::new(JACKFIELD);
    for name in
        ["JACKFIELD_LOG", "NO_COLOR", "COLUMNS", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "JACKFIELD_CREDENTIALS", "BROWSER"]
    {
        command.env_remove(name);
    }
    command.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a command to its end.
pub(crate) fn finish(mut command: Command, input: &str) -> Ran {
    let mut child = command.spawn().unwrap();
    // A command that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs the command with arguments and input.
pub(crate) fn jackfield(arguments: &[&str], input: &str) -> Ran {
    let mut command = command();
    command.args(arguments);
    finish(command, input)
}

/// Runs the command with the demo server as a child process.
pub(crate) fn with_demo(arguments: &[&str]) -> Ran {
    with_server(arguments, &[JACKFIELD, "serve", "everything"])
}

/// Runs the command with a server that is started by `server`.
pub(crate) fn with_server(arguments: &[&str], server: &[&str]) -> Ran {
    let words: Vec<&str> = arguments.iter().copied().chain(["--"]).chain(server.iter().copied()).collect();
    jackfield(&words, "")
}

/// A folder of its own, removed at the end.
pub(crate) struct Folder(jackfield_testkit::Folder);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(jackfield_testkit::Folder::new().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        self.0.write(name, text).unwrap()
    }

    /// Runs the command in this folder, which is also the home of the user.
    pub(crate) fn jackfield(&self, arguments: &[impl AsRef<OsStr>], variables: &[(&str, &str)]) -> Ran {
        let mut command = command();
        command.args(arguments).current_dir(self.path()).env("HOME", self.path()).envs(variables.iter().copied());
        finish(command, "")
    }
}

/// The demo server over HTTP, ended when it is dropped.
pub(crate) struct HttpDemo {
    child: Child,
    pub(crate) address: String,
}

impl HttpDemo {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(arguments: &[&str]) -> Self {
        Self::run(command(), "everything", arguments)
    }

    /// Starts any server in a folder, which is also the home of the user.
    pub(crate) fn serve(folder: &Folder, server: &str, arguments: &[&str]) -> Self {
        let mut command = command();
        command.current_dir(folder.path()).env("HOME", folder.path());
        Self::run(command, server, arguments)
    }

    fn run(mut command: Command, server: &str, arguments: &[&str]) -> Self {
        command.args(["serve", server, "--http", "127.0.0.1:0"]).args(arguments).env("JACKFIELD_LOG", "info");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = lines.find(|line| line.as_ref().unwrap().contains("listening")).unwrap().unwrap();
        let start = line.find("127.0.0.1:").unwrap();
        let address = line[start..].chars().take_while(|c| c.is_ascii_digit() || ".:".contains(*c)).collect();
        // Somebody must read what the server still writes.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address }
    }

    /// Lets it end by itself.
    #[cfg(unix)]
    pub(crate) fn stop(mut self) {
        let told = Command::new("kill").args(["-s", "TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(told.success() && self.child.wait().unwrap().success());
    }
}

impl Drop for HttpDemo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
