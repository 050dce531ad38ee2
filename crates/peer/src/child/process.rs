//! A running child, and how it ends.

use std::future::Future;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::process::ChildStderr;
use tokio::task::JoinSet;

use super::{Stderr, platform};

/// A running child process. Dropping it kills it and its process group at once; [`Child::end`] is gentler.
#[derive(Debug)]
pub struct Child {
    process: tokio::process::Child,
    group: Option<platform::Group>,
    stderr: Stderr,
    reading: JoinSet<()>,
    grace: Duration,
}

/// How hard it was to end a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// It ended by itself after its standard input was closed.
    Itself,
    /// It ended when it was asked to (SIGTERM).
    Asked,
    /// It had to be killed.
    Killed,
}

impl Child {
    pub(super) fn new(process: tokio::process::Child, stderr: Stderr, pipe: ChildStderr, grace: Duration) -> Self {
        let mut reading = JoinSet::new();
        reading.spawn(stderr.clone().read_all(pipe));
        let group = process.id().and_then(platform::Group::new);
        Self { process, group, stderr, reading, grace }
    }

    /// Returns the process id while the child runs.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.process.id()
    }

    /// Returns what the child writes to standard error.
    #[must_use]
    pub fn stderr(&self) -> Stderr {
        self.stderr.clone()
    }

    /// Waits until the child has ended by itself; the rest of its process group is then killed.
    ///
    /// # Errors
    /// The operating system does not say how it ended.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.process.wait().await;
        self.kill_group();
        // What the child wrote last is often the reason why it ended. A grandchild may hold the pipe open.
        let _ = tokio::time::timeout(Duration::from_millis(100), self.reading.join_next()).await;
        status
    }

    /// Ends the child, whose standard input has been closed: waits for it, then asks it to end, then kills it. What is left
    /// of its process group is killed in any case.
    ///
    /// # Cancellation
    /// Dropping the future does not drop the child.
    pub async fn end(&mut self) -> Ending {
        if self.ended_within_grace().await {
            return Ending::Itself;
        }
        if let Some(group) = &self.group {
            group.ask_to_end();
        }
        if self.ended_within_grace().await {
            return Ending::Asked;
        }
        self.kill_group();
        let _ = self.process.start_kill();
        let _ = self.process.wait().await;
        Ending::Killed
    }

    fn ended_within_grace(&mut self) -> impl Future<Output = bool> {
        let grace = self.grace;
        let wait = self.wait();
        async move { tokio::time::timeout(grace, wait).await.is_ok() }
    }

    /// Kills the group, once: when nobody is left in it, its number may be given to somebody else.
    fn kill_group(&mut self) {
        if let Some(group) = self.group.take() {
            group.kill();
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // The runtime reaps the child itself; see `kill_on_drop`.
        self.kill_group();
    }
}

#[cfg(all(test, unix))]
mod tests {
    /// The number of a group that is over may be somebody else's, so that it is not used again.
    #[tokio::test]
    async fn a_group_that_is_over_is_left_alone() {
        let (_stream, mut child) = super::super::Command::new("true").spawn().unwrap();
        assert!(child.group.is_some());
        assert!(child.wait().await.unwrap().success());
        assert!(child.group.is_none());
        assert_eq!(child.end().await, super::Ending::Itself);
    }
}
