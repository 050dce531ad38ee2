//! What a client may have tokens for.

use serde::{Deserialize, Serialize};

use super::client::Client;
use crate::{NoRandomness, Scopes, random};

/// What a client was granted: by a user, by an assertion, or for itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Grant {
    pub(super) client_id: String,
    pub(super) subject: String,
    pub(super) scopes: Scopes,
    pub(super) resource: String,
    /// The key that tokens have to be bound to.
    pub(super) key: Option<String>,
    /// All tokens that go back to the same consent are of one family, and are revoked together.
    pub(super) family: String,
    pub(super) auth_time: u64,
}

/// What tokens are for.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) resource: String,
    pub(super) scopes: Scopes,
    pub(super) key: Option<String>,
}

impl Grant {
    /// Begins a family of tokens.
    pub(super) fn new(client: &Client, subject: String, target: Target, auth_time: u64) -> Result<Self, NoRandomness> {
        let Target { resource, scopes, key } = target;
        let family = random::token()?;
        Ok(Self { client_id: client.id.clone(), subject, scopes, resource, key, family, auth_time })
    }
}
