//! A token that was found to be genuine.

use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::Scopes;
use crate::jose::{Audience, Claims};

/// What a genuine token says. Whether it is good for this server, and now, is checked with each request.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AccessToken {
    /// Who issued it.
    pub issuer: String,
    /// Whom it is about: the user, or the client itself.
    pub subject: String,
    /// Which client it was issued to.
    pub client_id: Option<String>,
    /// Which resources it is for.
    pub audience: Audience,
    /// What it allows.
    pub scopes: Scopes,
    /// Until when it is valid, in seconds since 1970.
    pub expires_at: Option<u64>,
    /// Since when it is valid.
    pub not_before: Option<u64>,
    /// The thumbprint of the key it is bound to.
    pub key: Option<String>,
    /// Everything it says, as JSON.
    pub(crate) payload: Bytes,
}

impl AccessToken {
    /// Puts a token together, for verifiers of one's own.
    pub fn new(issuer: impl Into<String>, subject: impl Into<String>, audience: impl Into<Audience>) -> Self {
        Self { issuer: issuer.into(), subject: subject.into(), audience: audience.into(), ..Self::default() }
    }

    /// Takes over the claims of a token whose signature was checked; none if it says too little, or is bound in a way that
    /// cannot be checked.
    pub(crate) fn from_claims(claims: Claims, payload: Bytes) -> Option<Self> {
        let key = match &claims.cnf {
            Some(confirmation) => Some(confirmation.jkt.clone().filter(|_| confirmation.x5t_s256.is_none())?),
            None => None,
        };
        let scopes = claims.scopes();
        Some(Self {
            issuer: claims.iss?,
            subject: claims.sub.filter(|subject| !subject.is_empty())?,
            client_id: claims.client_id.or(claims.azp),
            audience: claims.aud,
            scopes,
            expires_at: claims.exp,
            not_before: claims.nbf,
            key,
            payload,
        })
    }

    /// Returns a member of the token.
    #[must_use]
    pub fn claim<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let members: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&self.payload).ok()?;
        serde_json::from_value(members.get(name)?.clone()).ok()
    }
}
