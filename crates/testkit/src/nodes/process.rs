//! A node that can be killed, frozen, and started again.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::Instant;

/// How long a node may take until it listens.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server in a process of its own, such as `testkit-node`. It ends with the value.
#[derive(Debug)]
pub struct NodeProcess {
    program: PathBuf,
    arguments: Vec<String>,
    address: SocketAddr,
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

    /// Starts any server with these arguments, which tell it a free port.
    ///
    /// # Errors
    /// It does not listen in time.
    pub async fn with(program: &Path, arguments: impl FnOnce(SocketAddr) -> Vec<String>) -> io::Result<Self> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let mut node = Self { program: program.to_owned(), arguments: arguments(address), address, child: None };
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
        self.address
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
        // What nodes say is shown to whoever wants to see it.
        let say = || if std::env::var_os("RUST_LOG").is_some() { Stdio::inherit() } else { Stdio::null() };
        let child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(say())
            .spawn()?;
        let child = self.child.insert(child);
        let start = Instant::now();
        while TcpStream::connect(self.address).await.is_err() {
            if let Some(status) = child.try_wait()? {
                return Err(io::Error::other(format!("the node ended with {status} instead of listening")));
            }
            if start.elapsed() > PATIENCE {
                return Err(io::Error::other("the node does not listen"));
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        Ok(())
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

impl Drop for NodeProcess {
    fn drop(&mut self) {
        self.kill();
    }
}
