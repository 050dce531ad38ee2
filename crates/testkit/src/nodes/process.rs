//! A node that can be killed, frozen, and started again.

use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::ReservedPort;

/// How long a node may take until it listens.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server in a process of its own, such as `testkit-node`. It ends with the value.
#[derive(Debug)]
pub struct NodeProcess {
    program: PathBuf,
    arguments: Vec<String>,
    /// Stays reserved while the node is down.
    port: ReservedPort,
    child: Option<Child>,
}

impl NodeProcess {
    /// Starts a node on a free port.
    ///
    /// # Errors
    /// It does not listen in time.
    pub async fn start(program: &Path, store: &str) -> io::Result<Self> {
        Self::with(program, |address| [&address.to_string(), "--store", store].map(str::to_owned).into()).await
    }

    /// Starts any server with these arguments, which tell it a free port. It has to log `listening` with the address.
    ///
    /// # Errors
    /// It does not listen in time.
    pub async fn with(program: &Path, arguments: impl FnOnce(SocketAddr) -> Vec<String>) -> io::Result<Self> {
        let port = ReservedPort::new()?;
        let arguments = arguments(port.address());
        let mut node = Self { program: program.to_owned(), arguments, port, child: None };
        node.restart().await?;
        Ok(node)
    }

    /// Returns the id of its process; `None` while there is none.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Returns where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// Ends it at once (SIGKILL).
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // Both fail only if it has ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts it again, at the same address. It is another node then.
    ///
    /// # Errors
    /// It does not listen in time.
    pub async fn restart(&mut self) -> io::Result<()> {
        self.kill();
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            // By default the servers say where they listen.
            .env_remove("JACKFIELD_LOG")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let stderr = child.stderr.take().ok_or_else(|| io::Error::other("there is no pipe"))?;
        self.child = Some(child);
        let (listens, is_listening) = oneshot::channel();
        let address = self.port.address().to_string();
        std::thread::spawn(move || read_log(stderr, &address, listens));
        // A successful connection would prove less: another process may listen at the address.
        match tokio::time::timeout(PATIENCE, is_listening).await {
            Ok(Ok(Ok(()))) => Ok(()),
            Ok(Ok(Err(said))) => Err(io::Error::other(format!("the node ended instead of listening: {said}"))),
            _ => Err(io::Error::other("the node does not listen")),
        }
    }

    /// Stops it in its tracks (SIGSTOP): connections stay, and nobody answers.
    ///
    /// # Errors
    /// It does not run.
    pub fn freeze(&self) -> io::Result<()> {
        self.signal("-STOP")
    }

    /// Lets a frozen node go on.
    ///
    /// # Errors
    /// It does not run.
    pub fn thaw(&self) -> io::Result<()> {
        self.signal("-CONT")
    }

    fn signal(&self, signal: &str) -> io::Result<()> {
        let child = self.child.as_ref().ok_or_else(|| io::Error::other("the node does not run"))?;
        match Command::new("kill").args([signal, &child.id().to_string()]).status()?.success() {
            true => Ok(()),
            false => Err(io::Error::other("the signal was not sent")),
        }
    }
}

/// Reads the log of a node to its end, so that the node never blocks on a full pipe. Reports when it listens, or what it logged before it
/// exited.
fn read_log(log: ChildStderr, address: &str, listens: oneshot::Sender<Result<(), String>>) {
    // Who sets it wants to see the logs.
    let is_shown = std::env::var_os("RUST_LOG").is_some();
    let (mut listens, mut said) = (Some(listens), String::new());
    for line in BufReader::new(log).lines().map_while(Result::ok) {
        if is_shown {
            eprintln!("{line}");
        }
        if line.contains("listening") && line.contains(address) {
            // The receiver may have timed out.
            let _ = listens.take().map(|listens| listens.send(Ok(())));
        } else if listens.is_some() {
            said = said + &line + "\n";
        }
    }
    let _ = listens.map(|listens| listens.send(Err(said)));
}

impl Drop for NodeProcess {
    fn drop(&mut self) {
        self.kill();
    }
}
