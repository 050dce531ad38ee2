//! What a client may have tokens for.

use serde::{Deserialize, Serialize};

use crate::server::oauth_clients::client::Client;
use crate::{NoRandomness, Scopes, random};

/// What a client was granted: by a user, by an assertion, or for itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::server) struct Grant {
    pub(in crate::server) client_id: String,
    pub(in crate::server) subject: String,
    pub(in crate::server) scopes: Scopes,
    pub(in crate::server) resource: String,
    /// The key that tokens have to be bound to.
    pub(in crate::server) key: Option<String>,
    /// All tokens that go back to the same consent are of one family, and are revoked together.
    pub(in crate::server) family: String,
    pub(in crate::server) auth_time: u64,
}

/// What tokens are for.
#[derive(Clone, Debug)]
pub(in crate::server) struct Target {
    pub(in crate::server) resource: String,
    pub(in crate::server) scopes: Scopes,
    pub(in crate::server) key: Option<String>,
}

impl Grant {
    /// Begins a family of tokens.
    pub(in crate::server) fn new(
        client: &Client,
        subject: String,
        target: Target,
        auth_time: u64,
    ) -> Result<Self, NoRandomness> {
        let Target { resource, scopes, key } = target;
        let family = random::token()?;
        Ok(Self { client_id: client.id.clone(), subject, scopes, resource, key, family, auth_time })
    }
}
