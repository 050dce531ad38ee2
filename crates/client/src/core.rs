//! What all clones of a client and its tasks share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jackfield_peer::TokenBucket;
use jackfield_protocol::{ClientRequest, LoggingLevel};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::cache::Cache;
use crate::catalogue::Catalogue;
use crate::options::Options;
use crate::pending::Pending;
use crate::sending::send_request;
use crate::session::Session;
use crate::subscriptions::Subscriptions;
use crate::{Ended, Error};

/// What all clones of a client and its tasks share. It owns no task, so that tasks may own it.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) options: Options,
    pub(crate) pending: Pending,
    pub(crate) state: watch::Sender<State>,
    pub(crate) subscriptions: Subscriptions,
    pub(crate) cache: Cache,
    pub(crate) catalogue: Mutex<Catalogue>,
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
    Closed(Arc<Ended>),
}

impl Core {
    pub(crate) fn new(mut options: Options) -> Arc<Self> {
        options.handlers.elicitations = options.limits.elicitations.map(TokenBucket::new);
        options.handlers.samplings = options.limits.samplings.map(TokenBucket::new);
        Arc::new(Self {
            pending: Pending::new(options.limits.requests_waiting, options.limits.progress_notices),
            state: watch::Sender::new(State::Connecting),
            subscriptions: Subscriptions::default(),
            cache: options.cache.clone().unwrap_or_default(),
            catalogue: Mutex::default(),
            questions: watch::Sender::new(0),
            last_answered: Mutex::default(),
            level: Mutex::default(),
            options,
        })
    }

    pub(crate) fn catalogue(&self) -> MutexGuard<'_, Catalogue> {
        self.catalogue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the level of log messages that the user asked for.
    pub(crate) fn log_level(&self) -> Option<LoggingLevel> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_log_level(&self, level: LoggingLevel) {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }

    /// Returns the session; waits for one while the server is being started again.
    pub(crate) async fn session(&self, patience: Duration) -> Result<Arc<Session>, Error> {
        match &*self.state.borrow() {
            State::Ready(session) => return Ok(session.clone()),
            State::Closed(cause) => return Err(Error::Closed(cause.clone())),
            State::Connecting => {}
        }
        let mut state = self.state.subscribe();
        let settled = state.wait_for(|state| !matches!(state, State::Connecting));
        match tokio::time::timeout(patience, settled).await {
            Ok(Ok(state)) => match &*state {
                State::Ready(session) => Ok(session.clone()),
                State::Closed(cause) => Err(Error::Closed(cause.clone())),
                State::Connecting => Err(Error::Closed(Arc::new(Ended::new("the client is being opened")))),
            },
            Ok(Err(_)) => Err(Error::Closed(Arc::new(Ended::new("the client was dropped")))),
            Err(_) => Err(Error::TimedOut { method: "a new connection".to_owned(), after: patience }),
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
        let patience = async {
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
            () = patience => None,
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
    pub(crate) fn close(&self, cause: &Arc<Ended>) {
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
    pub(crate) fn send_unheard(&self, session: &Session, request: ClientRequest) {
        let id = self.pending.reserve_unheard();
        // There is nobody to tell if it fails; the server learns it when the connection ends.
        let _ = send_request(session, id, request, &[]);
    }
}
