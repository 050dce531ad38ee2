//! A server as a child process: started, watched, started again, ended.

use std::io;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};

use jackfield_peer::child::{Child, Command, Stderr};

use crate::stream::{Driver, StreamLink};
use crate::{Boxed, Connected, Connector, Ended, Inbox, Limits};

/// Starts a process for each connection.
#[derive(Debug)]
pub(crate) struct ChildConnector {
    command: Command,
    limits: Limits,
    stderr: Mutex<Option<Stderr>>,
}

impl ChildConnector {
    pub(crate) fn new(command: Command, limits: Limits) -> Self {
        Self { command, limits, stderr: Mutex::new(None) }
    }
}

impl Connector for ChildConnector {
    fn connect(&self, inbox: Inbox) -> Boxed<'_, io::Result<Connected>> {
        Box::pin(async move {
            let (stream, child) = self.command.spawn()?;
            *self.stderr.lock().unwrap_or_else(PoisonError::into_inner) = Some(child.stderr());
            let link = StreamLink::new(self.limits.queued_bytes);
            let driver = Driver::new(stream, link.clone(), inbox, self.limits.message_bytes);
            Ok(Connected { link, run: Box::pin(run(driver, child)) })
        })
    }

    fn can_reconnect(&self) -> bool {
        true
    }

    fn diagnostics(&self) -> Option<String> {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(Stderr::text)
    }
}

/// Moves bytes until the server closes its output, its process ends, or the client closes the connection, whichever is first;
/// then sees to the end of the process.
async fn run(mut driver: Driver, mut child: Child) -> Ended {
    let ended = tokio::select! {
        biased;
        ended = driver.run_until_closed() => ended,
        status = child.wait() => {
            // A grandchild may hold the output open for ever, but what the server wrote last is read.
            driver.drain().await;
            return exited(status);
        }
    };
    driver.stop_writing();
    // What the server still has to say is read, so that it is not stuck in writing it.
    tokio::select! {
        _ = child.end() => {}
        _ = async { driver.run().await; std::future::pending::<()>().await } => {}
    }
    match child.wait().await {
        Ok(status) if !status.success() => exited(Ok(status)),
        _ => ended.unwrap_or_else(|| Ended::new("the client was closed")),
    }
}

fn exited(status: io::Result<ExitStatus>) -> Ended {
    match status {
        Ok(status) => Ended::new(format!("the server process ended ({status})")),
        Err(error) => Ended::new("the server process ended").with_cause(error),
    }
}
