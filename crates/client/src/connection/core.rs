//! What all clones of a client and its tasks share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jackfield_peer::TokenBucket;
use jackfield_protocol::{ClientRequest, LoggingLevel};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::config::Options;
use crate::connection::Session;
use crate::error::Cause;
use crate::lists::Cache;
use crate::request::PendingTable;
use crate::request::send_request;
use crate::subscriptions::Subscriptions;
use crate::tools::ToolCatalog;
use crate::{EndReason, Error};

/// What all clones of a client and its tasks share. It owns no task, so that tasks may own it.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) options: Options,
    pub(crate) pending: PendingTable,
    pub(crate) state: watch::Sender<State>,
    pub(crate) subscriptions: Subscriptions,
    pub(crate) cache: Cache,
    pub(crate) tool_catalog: Mutex<ToolCatalog>,
    /// How many questions of the server are being answered.
    pub(crate) questions: watch::Sender<usize>,
    /// When the last question was answered.
    last_answered: Mutex<Option<Instant>>,
    level: Mutex<Option<LoggingLevel>>,
}

/// Whether there is a connection.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// Not yet, or not any more but soon again.
    Connecting,
    /// It can be used.
    Ready(Arc<Session>),
    /// There will be none.
    Closed(Arc<EndReason>),
}

impl Core {
    pub(crate) fn new(mut options: Options) -> Arc<Self> {
        options.handlers.elicitations = options.limits.elicitations.map(TokenBucket::new);
        options.handlers.samplings = options.limits.samplings.map(TokenBucket::new);
        Arc::new(Self {
            pending: PendingTable::new(options.limits.requests_waiting, options.limits.progress_notices),
            state: watch::Sender::new(State::Connecting),
            subscriptions: Subscriptions::default(),
            cache: options.cache.clone().unwrap_or_default(),
            tool_catalog: Mutex::default(),
            questions: watch::Sender::new(0),
            last_answered: Mutex::default(),
            level: Mutex::default(),
            options,
        })
    }

    pub(crate) fn tool_catalog(&self) -> MutexGuard<'_, ToolCatalog> {
        self.tool_catalog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the level of log messages that the user asked for.
    pub(crate) fn log_level(&self) -> Option<LoggingLevel> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_log_level(&self, level: LoggingLevel) {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    /// Returns the session; waits for one while the server is being started again.
    pub(crate) async fn session(&self, timeout: Duration) -> Result<Arc<Session>, Error> {
        match &*self.state.borrow() {
            State::Ready(session) => return Ok(session.clone()),
            State::Closed(cause) => return Err(Cause::Closed(cause.clone()).into()),
            State::Connecting => {}
        }
        let mut state = self.state.subscribe();
        let ready = state.wait_for(|state| !matches!(state, State::Connecting));
        match tokio::time::timeout(timeout, ready).await {
            Ok(Ok(state)) => match &*state {
                State::Ready(session) => Ok(session.clone()),
                State::Closed(cause) => Err(Cause::Closed(cause.clone()).into()),
                State::Connecting => Err(Cause::Closed(Arc::new(EndReason::new("the client is being opened"))).into()),
            },
            Ok(Err(_)) => Err(Cause::Closed(Arc::new(EndReason::new("the client was dropped"))).into()),
            Err(_) => Err(Error::timed_out("a new connection", timeout)),
        }
    }

    /// Returns when a person was last being asked, which is now if one is.
    pub(crate) fn last_asked(&self) -> Option<Instant> {
        if *self.questions.borrow() > 0 {
            return Some(Instant::now());
        }
        *self.last_answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A person is no longer being asked.
    pub(crate) fn note_answered(&self) {
        *self.last_answered.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.questions.send_modify(|count| *count -= 1);
    }

    /// Waits for something at most so long, not counting the time while a person is being asked; `None` if it takes longer.
    pub(crate) async fn within<T>(&self, limit: Duration, what: impl Future<Output = T>) -> Option<T> {
        let latest = tokio::time::sleep(self.options.timeouts.maximum.max(limit));
        let mut asked = self.questions.subscribe();
        let overdue = async {
            loop {
                tokio::time::sleep(limit).await;
                if *asked.borrow_and_update() == 0 && self.last_asked().is_none_or(|last| last.elapsed() >= limit) {
                    return;
                }
                // An error means that nobody can ask any more.
                let _ = asked.wait_for(|count| *count == 0).await;
            }
        };
        tokio::select! {
            biased;
            done = what => Some(done),
            () = overdue => None,
            () = latest => None,
        }
    }

    /// Returns the session if there is one now.
    pub(crate) fn session_now(&self) -> Option<Arc<Session>> {
        match &*self.state.borrow() {
            State::Ready(session) => Some(session.clone()),
            _ => None,
        }
    }

    /// Ends everything for good. The first reason stays.
    pub(crate) fn close(&self, cause: &Arc<EndReason>) {
        self.state.send_if_modified(|state| {
            let open = !matches!(state, State::Closed(_));
            if open {
                *state = State::Closed(cause.clone());
            }
            open
        });
        self.pending.close(cause);
        self.subscriptions.wake_all();
    }

    /// Sends a request whose answer nobody waits for.
    pub(crate) fn send_and_forget(&self, session: &Session, request: ClientRequest) {
        let id = self.pending.reserve_ignored();
        // There is nobody to tell if it fails; the server learns it when the connection ends.
        let _ = send_request(session, id, request, &[]);
    }
}
