//! Clients: who asks for tokens.

use serde::{Deserialize, Serialize};

use crate::jose::JwkSet;
use crate::metadata::ClientMetadata;
use crate::{Scopes, Secret, random, secret};

/// A client that the server knows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Client {
    pub(in crate::server) id: String,
    pub(in crate::server) metadata: ClientMetadata,
    /// The digest of its secret.
    pub(in crate::server) secret: Option<String>,
    pub(in crate::server) origin: Origin,
    /// When it registered, in seconds since 1970.
    #[serde(default)]
    pub(in crate::server) issued_at: u64,
}

/// How the server came to know a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::server) enum Origin {
    /// An administrator named it.
    Configured,
    /// It registered itself.
    Registered,
    /// It is the URL of its metadata document.
    Document,
}

pub(in crate::server) const AUTHORIZATION_CODE: &str = "authorization_code";
pub(in crate::server) const REFRESH_TOKEN: &str = "refresh_token";
pub(in crate::server) const CLIENT_CREDENTIALS: &str = "client_credentials";
pub(in crate::server) const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
pub(in crate::server) const TOKEN_EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";

impl Client {
    /// A client without a secret, such as a program on users' machines.
    pub fn public(id: impl Into<String>, redirect_uris: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let metadata = ClientMetadata {
            redirect_uris: redirect_uris.into_iter().map(Into::into).collect(),
            token_endpoint_auth_method: Some("none".to_owned()),
            grant_types: Some(vec![AUTHORIZATION_CODE.to_owned(), REFRESH_TOKEN.to_owned()]),
            ..ClientMetadata::default()
        };
        Self { id: id.into(), metadata, secret: None, origin: Origin::Configured, issued_at: 0 }
    }

    /// A client with a secret.
    pub fn with_secret(id: impl Into<String>, secret: &Secret) -> Self {
        let mut client = Self::public(id, [""; 0]);
        client.secret = Some(random::digest(secret.expose()));
        client.metadata.token_endpoint_auth_method = Some("client_secret_basic".to_owned());
        client
    }

    /// A client that signs assertions with its keys.
    pub fn with_keys(id: impl Into<String>, keys: JwkSet) -> Self {
        let mut client = Self::public(id, [""; 0]);
        client.metadata.jwks = Some(keys);
        client.metadata.token_endpoint_auth_method = Some("private_key_jwt".to_owned());
        client
    }

    /// Sets where users come back to.
    #[must_use]
    pub fn redirect_uris(mut self, uris: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.metadata.redirect_uris = uris.into_iter().map(Into::into).collect();
        self
    }

    /// Sets what people call it.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.metadata.client_name = Some(name.into());
        self
    }

    /// Sets against what it may have tokens, such as `client_credentials`.
    #[must_use]
    pub fn grants(mut self, grants: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.metadata.grant_types = Some(grants.into_iter().map(Into::into).collect());
        self
    }

    /// Sets the scopes it may ask for.
    #[must_use]
    pub fn scopes(mut self, scopes: impl Into<Scopes>) -> Self {
        self.metadata.scope = Some(scopes.into());
        self
    }

    /// All its tokens have to be bound to a key.
    #[must_use]
    pub fn dpop_bound(mut self) -> Self {
        self.metadata.dpop_bound_access_tokens = Some(true);
        self
    }

    /// Returns its name at the server.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether the client may have tokens against a kind of grant. Without a user only those have any that an administrator
    /// named: what a stranger says of itself grants nothing.
    pub(in crate::server) fn may_use(&self, grant: &str) -> bool {
        if self.origin != Origin::Configured && !matches!(grant, AUTHORIZATION_CODE | REFRESH_TOKEN) {
            return false;
        }
        match &self.metadata.grant_types {
            Some(grants) => grants.iter().any(|one| one == grant),
            None => grant == AUTHORIZATION_CODE,
        }
    }

    pub(in crate::server) fn auth_method(&self) -> &str {
        self.metadata.token_endpoint_auth_method.as_deref().unwrap_or("client_secret_basic")
    }

    pub(in crate::server) fn is_public(&self) -> bool {
        self.auth_method() == "none"
    }

    pub(in crate::server) fn has_secret(&self, shown: &str) -> bool {
        self.secret.as_ref().is_some_and(|digest| secret::same(digest, &random::digest(shown)))
    }

    /// Returns what people call it. It chose the name itself, unless an administrator did.
    pub(in crate::server) fn shown_name(&self) -> &str {
        self.metadata.client_name.as_deref().unwrap_or(&self.id)
    }
}
