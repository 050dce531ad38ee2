//! A client that uses its server again and again.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use jackfield::client::{Client, Command, Error, ErrorKind, Limits, Restarts, Timeouts};
use jackfield::protocol::Revision;
use jackfield::{ElicitAction, ElicitResult};
use jackfield_wire::Numbers;
use tokio::sync::watch;

use super::actions::{Action, Outcome};
use super::ledger::{Ledger, Place};

/// How long anything may take, whatever happens. The client has shorter limits of its own, so that this one is never reached.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long the client waits for an answer.
const ANSWER: Duration = Duration::from_secs(10);
/// The pause between two calls, so that the machine has time for all workers.
const PAUSE: Duration = Duration::from_millis(20);

/// How a worker reaches its server.
#[derive(Clone, Debug)]
pub(super) enum Way {
    /// As a child process, by this program.
    Child(PathBuf),
    Http(String),
    HttpSse(String),
}

/// A client of one revision.
#[derive(Clone, Debug)]
pub(super) struct Worker {
    pub(super) place: Place,
    pub(super) way: Way,
    pub(super) revision: Revision,
}

impl Worker {
    /// Returns what the report calls it.
    pub(super) fn name(&self) -> String {
        let way = match self.way {
            Way::Child(_) => "stdio",
            Way::Http(_) => "Streamable HTTP",
            Way::HttpSse(_) => "HTTP+SSE",
        };
        format!("{way} {}", self.revision)
    }

    /// Connects, calls, closes, and begins anew until it is told to stop.
    pub(super) async fn work(self, ledger: Arc<Ledger>, stopped: watch::Receiver<bool>, seed: u64) {
        let name = self.name();
        let mut numbers = Numbers::new(seed);
        while !*stopped.borrow() {
            match tokio::time::timeout(PATIENCE, self.connect()).await {
                Err(_) => ledger.hung(&format!("{name}: connecting does not end")),
                Ok(Err(error)) => {
                    ledger.failed(&name, self.place, format!("connect: {}", class(&error)), &tell("connect", &error));
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
                Ok(Ok(client)) => {
                    ledger.good(&name);
                    self.use_up(&client, &name, &ledger, &stopped, &mut numbers).await;
                    if tokio::time::timeout(PATIENCE, client.close()).await.is_err() {
                        ledger.hung(&format!("{name}: closing does not end"));
                    }
                }
            }
        }
    }

    async fn connect(&self) -> Result<Client, Error> {
        let (mut limits, mut timeouts) = (Limits::default(), Timeouts::default());
        limits.elicitations = None;
        (timeouts.request, timeouts.connect) = (ANSWER, ANSWER * 2);
        let builder = Client::builder()
            .tasks()
            .revision(self.revision)
            .limits(limits)
            .timeouts(timeouts)
            .restarts(Restarts::default())
            .on_form(|_| async { Ok(ElicitResult::new(ElicitAction::Decline)) });
        match &self.way {
            Way::Child(program) => builder.spawn(Command::new(program).args(["serve", "everything"])).await,
            Way::Http(url) | Way::HttpSse(url) => builder.connect(url.as_str()).await,
        }
    }

    /// Makes some calls. A client that has lost its server for good is given up.
    async fn use_up(
        &self,
        client: &Client,
        name: &str,
        ledger: &Ledger,
        stopped: &watch::Receiver<bool>,
        numbers: &mut Numbers,
    ) {
        for _ in 0..50 + numbers.below(500) {
            if *stopped.borrow() || client.is_closed() {
                return;
            }
            let action = Action::any(numbers, self.revision);
            match tokio::time::timeout(PATIENCE, action.run(client, numbers)).await {
                Err(_) => ledger.hung(&format!("{name}: {action:?} does not end")),
                Ok(Ok(Outcome::Good)) => ledger.good(name),
                Ok(Ok(Outcome::Wrong(what))) => ledger.wrong(&format!("{name}: {action:?}: {what}")),
                Ok(Err(error)) => {
                    ledger.failed(name, self.place, class(&error), &tell(&format!("{action:?}"), &error));
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// What kind of error it is.
fn class(error: &Error) -> String {
    match error.kind() {
        ErrorKind::Server => format!("server error {}", error.code().unwrap_or_default()),
        ErrorKind::Timeout => "timed out".to_owned(),
        ErrorKind::Closed if error.is_lost() => "connection lost".to_owned(),
        ErrorKind::Closed => "client closed".to_owned(),
        ErrorKind::Connect => "not reached".to_owned(),
        ErrorKind::Protocol => match error.status() {
            Some(status) => format!("HTTP status {status}"),
            None => "bad answer".to_owned(),
        },
        _ => "other".to_owned(),
    }
}

/// The error with its causes.
fn tell(what: &str, error: &Error) -> String {
    let mut text = format!("{what}: {error}");
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        text += &format!(": {inner}");
        cause = inner.source();
    }
    text
}
