//! As which client we speak.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::grant::exposed_option;
use crate::Secret;
use crate::jose::SigningKey;
use crate::metadata::AuthorizationServerMetadata;

/// A client that an authorization server knows already, because somebody registered it there.
#[derive(Clone, Debug)]
#[must_use]
pub struct GivenClient {
    pub(super) id: String,
    pub(super) secret: Option<Secret>,
    pub(super) key: Option<Arc<SigningKey>>,
    pub(super) issuer: Option<String>,
}

impl GivenClient {
    /// A client without a secret.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), secret: None, key: None, issuer: None }
    }

    /// Says who it is with a secret.
    pub fn secret(mut self, secret: impl Into<Secret>) -> Self {
        self.secret = Some(secret.into());
        self
    }

    /// Says who it is by signing with a key (`private_key_jwt`).
    pub fn key(mut self, key: SigningKey) -> Self {
        self.key = Some(Arc::new(key));
        self
    }

    /// Belongs to this authorization server; it is never shown to another. Without this it belongs to the first that it is
    /// used with, which the store remembers by the client's id.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    pub(super) fn known_at(&self, issuer: &AuthorizationServerMetadata) -> KnownClient {
        let method = match (&self.secret, &self.key) {
            (_, Some(_)) => AuthMethod::PrivateKeyJwt,
            (Some(_), None) => AuthMethod::with_secret(issuer),
            (None, None) => AuthMethod::None,
        };
        KnownClient { secret: self.secret.clone(), ..KnownClient::new(self.id.clone(), method) }
    }
}

/// A client as an authorization server knows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct KnownClient {
    pub(super) id: String,
    #[serde(default, with = "exposed_option", skip_serializing_if = "Option::is_none")]
    pub(super) secret: Option<Secret>,
    /// When the secret ends, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) secret_ends: Option<u64>,
    pub(super) method: AuthMethod,
    /// Where its users come back to, if it registered itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) redirect_uri: Option<String>,
}

impl KnownClient {
    pub(super) fn new(id: String, method: AuthMethod) -> Self {
        Self { id, secret: None, secret_ends: None, method, redirect_uri: None }
    }

    /// Returns the name under which a client that registered itself is kept: by the issuer that knows it.
    pub(super) fn name(issuer: &str) -> String {
        format!("client {issuer}")
    }
}

/// How a client says who it is at the token endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AuthMethod {
    None,
    ClientSecretBasic,
    ClientSecretPost,
    PrivateKeyJwt,
}

impl AuthMethod {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ClientSecretBasic => "client_secret_basic",
            Self::ClientSecretPost => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        [Self::None, Self::ClientSecretBasic, Self::ClientSecretPost, Self::PrivateKeyJwt]
            .into_iter()
            .find(|method| method.name() == name)
    }

    /// How a secret is shown. An authorization server that does not say takes the header (RFC 8414, section 2).
    pub(super) fn with_secret(issuer: &AuthorizationServerMetadata) -> Self {
        let methods = &issuer.token_endpoint_auth_methods_supported;
        let has = |method: Self| methods.iter().any(|one| one == method.name());
        if !has(Self::ClientSecretBasic) && has(Self::ClientSecretPost) {
            Self::ClientSecretPost
        } else {
            Self::ClientSecretBasic
        }
    }

    /// How a client that registers itself wants to say who it is: a program on a user's machine can keep no secret, so it asks
    /// for none if the server lets it.
    pub(super) fn to_register(issuer: &AuthorizationServerMetadata) -> Self {
        let methods = &issuer.token_endpoint_auth_methods_supported;
        if methods.is_empty() || methods.iter().any(|one| one == Self::None.name()) {
            Self::None
        } else {
            Self::with_secret(issuer)
        }
    }
}
