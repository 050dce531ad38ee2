//! Taking turns: one request at a time renews, logs in or asks for more, and those that waited for it share what came of it.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::AuthError;
use crate::Scopes;

/// The turns of a login.
#[derive(Debug)]
pub(super) struct Turns {
    /// Whoever holds the permit changes the grant; the others wait and look again.
    permit: Arc<Semaphore>,
    failures: Mutex<Failures>,
}

/// What a turn is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To renew a token before its end.
    Renewal,
    /// To get a token that the server takes.
    Login,
    /// To get more scopes.
    MoreScopes(Scopes),
}

/// A turn. It ends when it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    _permit: OwnedSemaphorePermit,
}

#[derive(Debug, Default)]
struct Failures {
    /// How many turns failed.
    count: u64,
    last: Option<(Purpose, Arc<AuthError>)>,
}

impl Turns {
    pub(super) fn new() -> Self {
        Self { permit: Arc::new(Semaphore::new(1)), failures: Mutex::default() }
    }

    /// Waits for a turn, whatever came of those before.
    pub(super) async fn take(&self) -> Option<Turn> {
        // The semaphore is never closed.
        self.permit.clone().acquire_owned().await.ok().map(|permit| Turn { _permit: permit })
    }

    /// Waits for a turn. If one for the same purpose fails meanwhile, its failure is shared: who has just said no is not asked
    /// again by each request that waited, and a server that does not answer is not waited for by one after the other.
    pub(super) async fn take_for(&self, purpose: &Purpose) -> Result<Option<Turn>, AuthError> {
        let before = self.failures(|failures| failures.count);
        let turn = self.take().await;
        let shared = self.failures(|failures| {
            let last = failures.last.as_ref().filter(|(of, _)| failures.count > before && of == purpose);
            last.map(|(_, failure)| failure.clone())
        });
        match shared {
            Some(failure) => Err(AuthError::Shared(failure)),
            None => Ok(turn),
        }
    }

    /// Notes that a turn failed, before it ends. Returns the failure, to be told.
    pub(super) fn failed(&self, purpose: Purpose, error: AuthError) -> AuthError {
        let error = Arc::new(error);
        self.failures(|failures| {
            failures.count = failures.count.saturating_add(1);
            failures.last = Some((purpose, error.clone()));
        });
        AuthError::Shared(error)
    }

    /// Notes that a turn brought a token, so that failures before it mean nothing any more.
    pub(super) fn succeeded(&self) {
        self.failures(|failures| failures.last = None);
    }

    fn failures<T>(&self, work: impl FnOnce(&mut Failures) -> T) -> T {
        work(&mut self.failures.lock())
    }
}
