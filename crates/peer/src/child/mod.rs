//! A server as a child process: started without a shell, in a group of its own, with a small environment, and ended for sure.
//!
//! One case is beyond it: if our own process is killed without warning, nobody is left to end the child. Its standard input
//! closes then, which ends every server that follows the protocol.

mod environment;
mod process;
mod stderr;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

pub use environment::DEFAULT_ENVIRONMENT;
pub use process::{Child, Ending};
use stderr::Listener;
pub use stderr::Stderr;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use crate::ByteStream;

/// What to start and how.
///
/// The program and its arguments are a list that no shell ever sees. The child gets the variables that
/// [`DEFAULT_ENVIRONMENT`] names, those of [`Command::inherit`], and those of [`Command::env`]; nothing else.
#[derive(Clone, Debug)]
pub struct Command {
    program: OsString,
    arguments: Vec<OsString>,
    inherited: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    directory: Option<PathBuf>,
    stderr_bytes: usize,
    stderr_listener: Option<Listener>,
    grace: Duration,
}

impl Command {
    /// Starts `program`, found through `PATH` as usual.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            inherited: Vec::new(),
            variables: Vec::new(),
            directory: None,
            stderr_bytes: 64 * 1024,
            stderr_listener: None,
            grace: Duration::from_secs(2),
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// Sets a variable of the child's environment.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Lets the child have a variable of our own environment, if we have it.
    #[must_use]
    pub fn inherit(mut self, name: impl AsRef<OsStr>) -> Self {
        self.inherited.push(name.as_ref().to_owned());
        self
    }

    /// Sets the child's working directory.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Sets how many bytes of standard error are kept; the oldest go first.
    #[must_use]
    pub fn stderr_bytes(mut self, bytes: usize) -> Self {
        self.stderr_bytes = bytes;
        self
    }

    /// Hears what the child writes to standard error as it comes, in pieces of any size. The listener must be quick: while it
    /// runs, nothing more is read.
    ///
    /// The text comes from the server: escape control characters before it goes to a terminal.
    #[must_use]
    pub fn on_stderr(mut self, listener: impl Fn(&[u8]) + Send + Sync + 'static) -> Self {
        self.stderr_listener = Some(Listener::new(listener));
        self
    }

    /// Sets how long each step of [`Child::end`] waits for the child before the next, harder one.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Returns the program and its arguments, to be shown to a person before they agree.
    pub fn line(&self) -> impl Iterator<Item = &OsStr> {
        std::iter::once(&*self.program).chain(self.arguments.iter().map(|argument| &**argument))
    }

    /// Starts the child. Its standard input and output are the stream; what it writes to standard error is kept by the
    /// [`Child`].
    ///
    /// # Errors
    /// The program cannot be started.
    ///
    /// # Panics
    /// Outside of a Tokio runtime with I/O enabled.
    pub fn spawn(&self) -> io::Result<(ByteStream, Child)> {
        let mut command = tokio::process::Command::new(&self.program);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(environment::of(&self.inherited))
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        platform::own_group(&mut command);
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::Error::other("the child's standard streams are not open"));
        };
        Ok((ByteStream::new(stdout, stdin), Child::new(child, self.stderr(), stderr, self.grace)))
    }
    fn stderr(&self) -> Stderr {
        Stderr::new(self.stderr_bytes, self.stderr_listener.clone())
    }
}
