//! Keeps one connection open: opens it, notices its end, and opens the next one.

use std::pin::pin;
use std::sync::Arc;

use jackfield_peer::tape::Recorder;
use jackfield_protocol::{ClientRequest, SetLevelParams};
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinError, JoinSet};
use tokio::time::Instant;

use crate::connection::Session;
use crate::connection::handshake::{self, Era};
use crate::connection::keep_alive;
use crate::connection::{Core, State};
use crate::error::Cause;
use crate::questions::Connection;
use crate::transport::observer;
use crate::{Connector, EndReason, Error, Inbox, OpenConnection};

/// Keeps a connection open until it is told to stop.
pub(crate) struct Supervisor {
    pub(crate) core: Arc<Core>,
    pub(crate) connector: Arc<dyn Connector>,
    /// Becomes true when the client is closed.
    pub(crate) stop: watch::Receiver<bool>,
    /// Learns how the first attempt went.
    pub(crate) first: Option<oneshot::Sender<Result<(), Error>>>,
}

/// How one connection went.
enum ConnectionOutcome {
    /// It was used for a while, then it ended.
    Used(Arc<EndReason>),
    /// It never came to use.
    Failed(Error),
    /// It was closed because the client was.
    Stopped,
}

impl Supervisor {
    /// Keeps the connection open, and the time of all requests.
    pub(crate) async fn run(self) {
        let core = self.core.clone();
        let _closed = Closed(core.clone());
        tokio::select! {
            () = self.keep_open() => {}
            () = core.pending.keep_time() => {}
        }
    }

    async fn keep_open(mut self) {
        let mut era = Era::of(self.connector.recall());
        let mut backoff = self.core.options.restarts.backoff();
        // Whether the era is no more than a guess, which is not made twice for one attempt.
        let mut is_guessed = false;
        loop {
            let begun = Instant::now();
            let was = era;
            let (cause, error) = match self.connect_once(&mut era).await {
                ConnectionOutcome::Stopped => return self.close(EndReason::new("the client was closed")),
                ConnectionOutcome::Used(ended) => {
                    is_guessed = false;
                    (ended, None)
                }
                // Some old servers end when the first request is not `initialize`; they get a second chance.
                ConnectionOutcome::Failed(error)
                    if was == Era::Unknown && error.is_closed() && self.can_retry_as_legacy(&error) =>
                {
                    (era, is_guessed) = (Era::Legacy, true);
                    continue;
                }
                // What was known from an earlier connection may no longer be true, so the server is asked anew.
                ConnectionOutcome::Failed(error)
                    if was != Era::Unknown && !is_guessed && !error.is_closed() && !error.is_timeout() =>
                {
                    tracing::debug!(%error, "what is known about the server may be wrong");
                    self.connector.remember(None);
                    era = Era::Unknown;
                    continue;
                }
                ConnectionOutcome::Failed(error) => {
                    (era, is_guessed) = (Era::Unknown, false);
                    (Arc::new(EndReason::new(format!("the connection could not be opened: {error}"))), Some(error))
                }
            };
            self.core.pending.lose_connection(&cause);
            if let (Some(first), Some(error)) = (self.first.take(), error) {
                self.core.close(&cause);
                let _ = first.send(Err(error));
                return;
            }
            if begun.elapsed() >= self.core.options.restarts.forgiven_after {
                backoff.reset();
            }
            if !self.connector.can_reconnect() || backoff.attempts() >= self.core.options.restarts.limit {
                return self.core.close(&cause);
            }
            tracing::warn!(%cause, failures = backoff.attempts(), "the server is started again");
            tokio::select! {
                () = backoff.wait() => {}
                () = stopped(&mut self.stop) => return self.close(EndReason::new("the client was closed")),
            }
        }
    }

    fn close(&self, cause: EndReason) {
        self.core.close(&Arc::new(cause));
    }

    fn can_retry_as_legacy(&self, error: &Error) -> bool {
        !matches!(error.cause(), Cause::Connect(_))
            && !self.connector.always_answers()
            && self.connector.can_reconnect()
            && !self.core.options.legacy().is_empty()
    }

    /// Opens one connection and stays with it until it ends.
    async fn connect_once(&mut self, era: &mut Era) -> ConnectionOutcome {
        let tape = self.core.options.tape.as_ref();
        let recorder = tape.map(|tape| Recorder::new(tape, self.connector.transport()));
        let connection = Arc::new(Connection::new(recorder));
        let inbox = Inbox { core: self.core.clone(), connection: connection.clone() };
        let core = self.core.clone();
        let limit = core.options.timeouts.connect;
        let connector = self.connector.clone();
        let connected = tokio::select! {
            connected = tokio::time::timeout(limit, connector.connect(inbox.clone())) => connected,
            () = stopped(&mut self.stop) => return ConnectionOutcome::Stopped,
        };
        let OpenConnection { link, run } = match connected {
            Ok(Ok(connected)) => connected,
            Ok(Err(error)) => return ConnectionOutcome::Failed(Cause::Connect(error).into()),
            Err(_) => return ConnectionOutcome::Failed(Error::timed_out("a new connection", limit)),
        };
        let link = observer::observed(link, inbox);
        connection.opened(link.clone());
        // A task of its own, so that a message wakes nobody but the one who reads it.
        let mut moving = JoinSet::new();
        moving.spawn(run);
        // Whatever way this ends, also by being dropped, nothing of the connection stays.
        let _cleared = ClearOnDrop { core: self.core.clone(), connection: connection.clone() };

        let patient = self.connector.always_answers();
        let shaking = handshake::open(&core, &connection, link.clone(), *era, patient);
        let mut opening = pin!(core.within(limit, shaking));
        let mut over = None;
        let opened = tokio::select! {
            biased;
            opened = &mut opening => opened,
            ended = moving.join_next() => {
                // The server may have said why before it went; that is worth more than that it went.
                core.pending.lose_all(over.insert(reason(ended)));
                opening.await
            }
            () = stopped(&mut self.stop) => return ConnectionOutcome::Stopped,
        };
        let session = match opened {
            Some(Ok(session)) => session,
            Some(Err(error)) => return ConnectionOutcome::Failed(error),
            None => return ConnectionOutcome::Failed(Error::timed_out("the handshake", limit)),
        };
        *era = if session.revision.has_handshake() { Era::Legacy } else { Era::Modern };
        self.connector.remember(Some(session.revision));
        connection.agreed(&core, session.revision);
        let session = Arc::new(session);
        self.ready(&session);
        if let Some(ended) = over {
            return ConnectionOutcome::Used(ended);
        }

        tokio::select! {
            ended = moving.join_next() => ConnectionOutcome::Used(reason(ended)),
            ended = keep_alive::watch(&core, &session) => ConnectionOutcome::Used(Arc::new(ended)),
            () = stopped(&mut self.stop) => {
                link.close();
                let _ = tokio::time::timeout(core.options.timeouts.close, moving.join_next()).await;
                ConnectionOutcome::Stopped
            }
        }
    }

    fn ready(&mut self, session: &Arc<Session>) {
        if self.first.is_none() {
            // Nobody knows what has changed since the connection before.
            self.core.forget_everything();
        }
        self.core.reopen_subscriptions(session);
        if let Some(level) = self.core.log_level().filter(|_| session.revision.has_log_level_request()) {
            self.core.send_and_forget(session, ClientRequest::SetLevel(SetLevelParams::new(level)));
        }
        self.core.state.send_replace(State::Ready(session.clone()));
        // Some have more to ask for now.
        self.core.subscriptions.wake_all();
        if let Some(first) = self.first.take() {
            let _ = first.send(Ok(()));
        }
    }
}

/// Ends everything for good when the supervisor ends, also if it is dropped or panics: nobody else would ever say so.
struct Closed(Arc<Core>);

impl Drop for Closed {
    fn drop(&mut self) {
        self.0.close(&Arc::new(EndReason::new("the connection was given up")));
    }
}

struct ClearOnDrop {
    core: Arc<Core>,
    connection: Arc<Connection>,
}

impl Drop for ClearOnDrop {
    fn drop(&mut self) {
        self.core.state.send_if_modified(|state| {
            let was_ready = matches!(state, State::Ready(_));
            if was_ready {
                *state = State::Connecting;
            }
            was_ready
        });
        self.connection.ended();
    }
}

fn reason(ended: Option<Result<EndReason, JoinError>>) -> Arc<EndReason> {
    match ended {
        Some(Ok(ended)) => Arc::new(ended),
        // A transport that panics has lost its connection.
        Some(Err(_)) | None => Arc::new(EndReason::new("the transport failed")),
    }
}

async fn stopped(stop: &mut watch::Receiver<bool>) {
    // An error means that the client is gone, which is a reason to stop as well.
    let _ = stop.wait_for(|stop| *stop).await;
}
