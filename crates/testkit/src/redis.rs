//! A Redis of a test's own.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::ReservedPort;

/// The programs that will do, best first. In Debian the last is the server too, depending on the name it is called by; it can be had
/// without a service that starts by itself.
const PROGRAMS: [&str; 3] = ["redis-server", "valkey-server", "redis-check-rdb"];
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server on a free port, with a folder of its own. It ends with the value.
#[derive(Debug)]
pub struct RedisServer {
    program: &'static str,
    arguments: Vec<String>,
    folder: PathBuf,
    /// Stays reserved while the server is down.
    port: ReservedPort,
    child: Option<Child>,
}

impl RedisServer {
    /// Starts a server that keeps what it is told in a file. `None` if there is no program for it, which is said on standard error.
    ///
    /// # Panics
    /// The program is there, but does not start.
    #[must_use]
    pub fn start() -> Option<Self> {
        Self::start_with(&["--appendonly", "yes"])
    }

    /// Starts a server with other arguments.
    ///
    /// # Panics
    /// The program is there, but does not start.
    #[must_use]
    pub fn start_with(arguments: &[&str]) -> Option<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let runs = |name: &&str| {
            let version = program(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            version.is_ok_and(|status| status.success())
        };
        let Some(name) = PROGRAMS.into_iter().find(runs) else {
            eprintln!("skipped: neither redis-server nor valkey-server is installed");
            return None;
        };
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("jackfield-redis-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("there is a folder for temporary files");
        let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let mut server = Self { program: name, arguments, folder, port: reserve(), child: None };
        // Someone else may have the second port that a cluster needs.
        for _ in 0..10 {
            if server.launch() {
                return Some(server);
            }
            server.port = reserve();
        }
        panic!("{name} does not start");
    }

    /// Returns the address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://{}", self.port.address())
    }

    /// Returns the port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port.address().port()
    }

    /// Ends the server at once, without a chance to save anything (SIGKILL).
    ///
    /// # Panics
    /// It cannot be ended.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().and_then(|()| child.wait()).expect("the server can be ended");
        }
    }

    /// Starts the server again, on the same port, with what it kept.
    ///
    /// # Panics
    /// It does not start.
    pub fn restart(&mut self) {
        self.kill();
        assert!(self.launch(), "{} does not start again", self.program);
    }

    /// Makes a killed server forget what it kept.
    ///
    /// # Panics
    /// The folder cannot be emptied.
    pub fn forget(&mut self) {
        self.kill();
        std::fs::remove_dir_all(&self.folder)
            .and_then(|()| std::fs::create_dir(&self.folder))
            .expect("it is our folder");
    }

    /// Stops the server in its tracks (SIGSTOP): connections stay, and nobody answers.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Lets a frozen server go on.
    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    /// Sends a command, and returns the answer as the server wrote it.
    ///
    /// # Panics
    /// There is no answer.
    #[must_use]
    pub fn command(&self, words: &[&str]) -> String {
        exchange(&self.port, words).expect("the server answers")
    }

    /// Returns how often a command was called, by the server's own count.
    #[must_use]
    pub fn calls_of(&self, command: &str) -> u64 {
        let name = format!("cmdstat_{command}:calls=");
        let info = self.command(&["INFO", "commandstats"]);
        let count = info.lines().find_map(|line| line.strip_prefix(&name)).and_then(|rest| rest.split(',').next());
        count.and_then(|count| count.parse().ok()).unwrap_or_default()
    }

    fn launch(&mut self) -> bool {
        let mut child = program(self.program)
            .args(["--port", &self.port().to_string(), "--bind", "127.0.0.1", "--save", "", "--dir"])
            .arg(&self.folder)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program is there");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines().map_while(Result::ok);
        let is_ready = lines.any(|line| line.contains("Ready to accept connections"));
        if is_ready {
            // What it says later is read too, so that it never waits for a reader. The thread ends with the server.
            std::thread::spawn(move || lines.for_each(drop));
            self.child = Some(child);
        } else {
            // It has ended, or closed its output, which is as bad.
            let _ = child.kill();
            let _ = child.wait();
        }
        is_ready
    }

    fn signal(&self, signal: &str) {
        let id = self.child.as_ref().expect("the server runs").id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().is_ok_and(|status| status.success()));
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Calls a program by the name of a server, whatever it is called.
fn program(name: &str) -> Command {
    let mut command = Command::new(name);
    #[cfg(unix)]
    if name == "redis-check-rdb" {
        std::os::unix::process::CommandExt::arg0(&mut command, "redis-server");
    }
    command
}

/// Reserves a port that is low enough that a cluster has room for the second port that it needs.
fn reserve() -> ReservedPort {
    loop {
        let port = ReservedPort::new().expect("there is a free port");
        if port.address().port() < 55_000 {
            return port;
        }
    }
}

fn exchange(port: &ReservedPort, words: &[&str]) -> io::Result<String> {
    let mut stream = TcpStream::connect(port.address())?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "*{}\r\n", words.len())?;
    for word in words {
        write!(stream, "${}\r\n{word}\r\n", word.len())?;
    }
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let Some(length) = first.strip_prefix('$').and_then(|length| length.trim().parse::<usize>().ok()) else {
        return Ok(first.trim_end().to_owned());
    };
    let mut text = vec![0; length];
    reader.read_exact(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
