//! A server as a child process: started, watched, started again, ended.

use std::io;
use std::process::ExitStatus;
use std::sync::{Mutex, PoisonError};

use jackfield_peer::child::{Child, Command, Stderr};
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinSet};

use crate::transport::{Driver, Stop};
use crate::{BoxFuture, Connector, EndReason, Inbox, Limits, OpenConnection};

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
    fn connect(&self, inbox: Inbox) -> BoxFuture<'_, io::Result<OpenConnection>> {
        Box::pin(async move {
            let (stream, child) = self.command.spawn()?;
            *self.stderr.lock().unwrap_or_else(PoisonError::into_inner) = Some(child.stderr());
            let driver = Driver::new(stream, inbox, &self.limits);
            Ok(OpenConnection { link: driver.link(), run: Box::pin(run(driver, child)) })
        })
    }

    fn transport(&self) -> &'static str {
        "stdio"
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
async fn run(mut driver: Driver, child: Child) -> EndReason {
    // The process is watched by a task of its own: asking the runtime about it with every message would cost more than
    // reading the message.
    let (input_closed, told) = oneshot::channel();
    let mut watching = JoinSet::new();
    let link = driver.link();
    watching.spawn(async move {
        let status = watch(child, told).await;
        // A grandchild may hold the output open for ever, so its end is not waited for.
        link.server_ended();
        status
    });
    let stop = driver.next_stop().await;
    drop::<oneshot::Sender<()>>(input_closed);
    if !matches!(stop, Stop::Gone) {
        // What the server still has to say is read, so that it is not stuck in writing it.
        driver.next_stop().await;
    }
    match (stop, watching.join_next().await) {
        (Stop::Closed, Some(Ok(Ok(_)))) => EndReason::new("the client was closed"),
        (Stop::Stream(ended), Some(Ok(Ok(status)))) if status.success() => ended,
        (_, status) => exited(status),
    }
}

/// Waits until the process has ended; once its input is closed, it is made to end.
async fn watch(mut child: Child, input_closed: oneshot::Receiver<()>) -> io::Result<ExitStatus> {
    tokio::select! {
        biased;
        status = child.wait() => status,
        _ = input_closed => {
            child.end().await;
            child.wait().await
        }
    }
}

fn exited(status: Option<Result<io::Result<ExitStatus>, JoinError>>) -> EndReason {
    match status {
        Some(Ok(Ok(status))) => EndReason::new(format!("the server process ended ({status})")),
        Some(Ok(Err(error))) => EndReason::new("the server process ended").with_cause(error),
        Some(Err(_)) | None => EndReason::new("the server process ended"),
    }
}
