//! What a request carries once its token was checked.

use std::sync::Arc;

use parking_lot::Mutex;

use super::AccessToken;
use crate::Scopes;

/// What a request carries once its token was checked: found in the extensions of its head.
#[derive(Clone, Debug)]
pub struct Authorized {
    token: Arc<AccessToken>,
    missing: Arc<Mutex<Option<Scopes>>>,
}

impl Authorized {
    /// Says that a request is authorized by a token.
    #[must_use]
    pub fn new(token: Arc<AccessToken>) -> Self {
        Self { token, missing: Arc::default() }
    }

    /// Returns what the token says.
    #[must_use]
    pub fn token(&self) -> &AccessToken {
        &self.token
    }

    /// Returns what the token allows.
    #[must_use]
    pub fn scopes(&self) -> &Scopes {
        &self.token.scopes
    }

    /// Notes that the request needs scopes the token does not have. The answer becomes a 403 that names them all.
    pub fn demand(&self, needed: &Scopes) {
        let mut missing = self.missing.lock();
        *missing = Some(missing.take().unwrap_or_default().union(needed));
    }

    /// Returns the scopes that were demanded.
    pub(super) fn demanded(&self) -> Option<Scopes> {
        self.missing.lock().clone()
    }
}
