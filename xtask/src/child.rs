//! Programs that others wrote, started and ended by us.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How often a running program is looked at.
const PULSE: Duration = Duration::from_millis(20);

/// How long a server may take until it listens, and until it ends when it is asked to.
const PATIENCE: Duration = Duration::from_secs(20);

/// Waits until it is time to look again at something that announces nothing.
#[expect(clippy::disallowed_methods, reason = "programs of others cannot be waited for in another way")]
pub(crate) fn pause() {
    thread::sleep(PULSE);
}

/// What a program has done.
#[derive(Debug)]
pub(crate) struct Finished {
    /// `None` when it was killed because it took too long.
    pub(crate) status: Option<ExitStatus>,
    pub(crate) output: String,
}

/// Runs a program up to a time limit; what it says on standard error goes to a file.
pub(crate) fn run(command: &mut Command, limit: Duration, errors: &Path) -> Result<Finished> {
    let mut child = Killed::spawn(command.stdout(Stdio::piped()), errors)?;
    let mut stdout = child.0.stdout.take().context("standard output is not a pipe")?;
    let reader = thread::spawn(move || {
        let mut output = Vec::new();
        stdout.read_to_end(&mut output).map(|_| String::from_utf8_lossy(&output).into_owned())
    });
    let status = child.wait(limit)?;
    drop(child);
    let output = reader.join().unwrap_or_else(|_| Err(io::Error::other("the reader panicked")))?;
    Ok(Finished { status, output })
}

/// Runs a program up to a time limit and reads what it says line by line; it is killed when `on_line` fails.
pub(crate) fn follow(
    command: &mut Command,
    limit: Duration,
    errors: &Path,
    mut on_line: impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    let mut child = Killed::spawn(command.stdout(Stdio::piped()), errors)?;
    let stdout = child.0.stdout.take().context("standard output is not a pipe")?;
    let (lines, heard) = mpsc::sync_channel(64);
    let reader = thread::spawn(move || {
        BufReader::new(stdout).lines().map_while(Result::ok).all(|line| lines.send(line).is_ok())
    });
    let end = Instant::now() + limit;
    loop {
        match heard.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => on_line(&line)?,
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) => bail!("{command:?} takes longer than {} s", limit.as_secs()),
        }
    }
    let _ = reader.join();
    child.wait(PATIENCE)?.context("the program closed its output and does not end")?;
    Ok(())
}

/// A server that listens on a loopback port; it is killed when this is dropped.
#[derive(Debug)]
pub(crate) struct Listening {
    child: Killed,
    pub(crate) address: SocketAddr,
}

impl Listening {
    /// Starts a server on a free port and waits until it listens.
    pub(crate) fn start(command: impl FnOnce(SocketAddr) -> Command, errors: &Path) -> Result<Self> {
        let address = free_address()?;
        let mut command = command(address);
        let mut child = Killed::spawn(command.stdout(Stdio::null()), errors)?;
        let started = Instant::now();
        while TcpStream::connect(address).is_err() {
            if let Some(status) = child.0.try_wait()? {
                bail!("{command:?} ended with {status} instead of listening, see {}", errors.display());
            }
            if started.elapsed() > PATIENCE {
                bail!("{command:?} does not listen on {address}, see {}", errors.display());
            }
            pause();
        }
        Ok(Self { child, address })
    }

    /// Returns the id of its process.
    pub(crate) fn process(&self) -> u32 {
        self.child.0.id()
    }

    /// Asks the server to end and waits until it has.
    pub(crate) fn stop(mut self) -> Result<()> {
        if let Some(status) = self.child.0.try_wait()? {
            bail!("the server had ended before, with {status}");
        }
        let process = self.child.0.id().to_string();
        Command::new("kill").args(["-TERM", &process]).status().context("cannot run kill")?;
        self.child.wait(PATIENCE)?.context("the server does not end when it is asked to (SIGTERM)")?;
        Ok(())
    }
}

/// Finds a port that nobody listens on. No two servers of ours get the same, even if they are started at the same time.
fn free_address() -> Result<SocketAddr> {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    loop {
        let address = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?;
        if GIVEN.lock().unwrap_or_else(PoisonError::into_inner).insert(address.port()) {
            return Ok(address);
        }
    }
}

/// A child that does not outlive us.
#[derive(Debug)]
struct Killed(Child);

impl Killed {
    fn spawn(command: &mut Command, errors: &Path) -> Result<Self> {
        let file = File::create(errors).with_context(|| format!("cannot write {}", errors.display()))?;
        command.stdin(Stdio::null()).stderr(file);
        let child = command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))?;
        Ok(Self(child))
    }

    /// Waits for the end of the program; `None` when the limit comes first.
    fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(Some(status));
            }
            if started.elapsed() > limit {
                return Ok(None);
            }
            pause();
        }
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        // Both fail only when it has ended already, which is what we want.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_and_status_are_kept() {
        let finished = run(&mut sh("echo one; echo two; exit 3"), PATIENCE, Path::new("/dev/null")).unwrap();
        assert_eq!(finished.status.and_then(|status| status.code()), Some(3));
        assert_eq!(finished.output, "one\ntwo\n");
    }

    #[test]
    fn a_program_that_takes_too_long_is_killed() {
        let finished = run(&mut sh("echo one; exec sleep 100"), Duration::from_millis(50), Path::new("/dev/null"));
        let finished = finished.unwrap();
        assert!(finished.status.is_none());
        assert_eq!(finished.output, "one\n");
    }

    #[test]
    fn lines_are_followed_up_to_a_limit() {
        let (mut heard, nowhere) = (Vec::new(), Path::new("/dev/null"));
        let listen = |line: &str| {
            heard.push(line.to_owned());
            Ok(())
        };
        follow(&mut sh("echo one; echo two"), PATIENCE, nowhere, listen).unwrap();
        assert_eq!(heard, ["one", "two"]);
        let slow = follow(&mut sh("exec sleep 100"), Duration::from_millis(50), nowhere, |_| Ok(()));
        assert!(slow.unwrap_err().to_string().contains("takes longer"));
        let refused = follow(&mut sh("echo one; exec sleep 100"), PATIENCE, nowhere, |line| bail!("not {line}"));
        assert_eq!(refused.unwrap_err().to_string(), "not one");
    }

    #[test]
    fn a_server_that_ends_is_reported() {
        let error = Listening::start(|_| sh("exit 7"), Path::new("/dev/null")).unwrap_err();
        assert!(error.to_string().contains("instead of listening"), "{error}");
    }
}
