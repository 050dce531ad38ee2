//! Refresh tokens: each is used once, and a second use ends them all (OAuth 2.1, section 4.3.1).
//!
//! All refresh tokens of a login are one record: which one is good, and which one it took the place of. So a login takes the same
//! room however often it is refreshed, and to change one token for the next is one step of the store.

use ring::hmac;
use serde::{Deserialize, Serialize};

use crate::metadata::same_resource;
use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::client::{Client, REFRESH_TOKEN};
use crate::server::requests::request::Params;
use crate::server::requests::respond::OAuthError;
use crate::server::tokens::grant::Grant;
use crate::server::tokens::issue::TokenResponse;
use crate::{Scopes, random, secret, store};

/// The refresh tokens of a login. A token is the name of this record and a secret of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::server) struct Refresh {
    pub(in crate::server) grant: Grant,
    /// The digest of the token that is good.
    current: String,
    before: Option<Spent>,
    pub(in crate::server) expires_at: u64,
}

/// The token before the one that is good.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Spent {
    digest: String,
    /// When it was used first.
    at: u64,
    /// Makes the next token of this one, for those who have it.
    seed: String,
}

/// A refresh token that was shown, and the record it belongs to.
pub(in crate::server) struct Shown<'a> {
    text: &'a str,
    key: String,
    /// The record as it is kept.
    kept: Vec<u8>,
    pub(in crate::server) refresh: Refresh,
}

/// How often a token is changed for the next that others were faster with.
const ATTEMPTS: usize = 8;

impl AuthorizationServer {
    /// Begins the refresh tokens of a login.
    pub(in crate::server) async fn keep_refresh(&self, grant: &Grant) -> Result<String, OAuthError> {
        // Not the name of the family, which stands in access tokens: who sees one of those cannot end the login.
        let name = random::token()?;
        let text = format!("{name}.{}", random::token()?);
        let expires_at = self.now().saturating_add(self.0.life.refresh);
        let refresh = Refresh { grant: grant.clone(), current: random::digest(&text), before: None, expires_at };
        self.store().save(&refresh_key(&name), &refresh, expires_at).await?;
        Ok(text)
    }

    /// Forgets refresh tokens that nobody got. If that fails, they are forgotten when they expire.
    pub(in crate::server) async fn forget_refresh(&self, text: &str) {
        let name = text.split_once('.').map_or(text, |(name, _)| name);
        if let Err(error) = self.store().take(&refresh_key(name)).await {
            tracing::debug!(%error, "refresh tokens that nobody got cannot be forgotten yet");
        }
    }

    /// Finds the record of a refresh token; none if there is no such record. The token may be any of its tokens, or made up.
    pub(in crate::server) async fn shown_refresh<'a>(&self, text: &'a str) -> Result<Option<Shown<'a>>, OAuthError> {
        let Some((name, _)) = text.split_once('.') else { return Ok(None) };
        let key = refresh_key(name);
        let Some(kept) = self.store().get(&key).await? else { return Ok(None) };
        let refresh = store::decode(Some(kept.clone()))?;
        Ok(refresh.map(|refresh| Shown { text, key, kept, refresh }))
    }

    pub(in crate::server) async fn refresh(
        &self,
        client: &Client,
        form: &Params,
        key: Option<String>,
    ) -> Result<TokenResponse, OAuthError> {
        let refused = || OAuthError::invalid_grant("the refresh token is not valid");
        if !client.may_use(REFRESH_TOKEN) {
            return Err(OAuthError::new("unauthorized_client", "the client may not refresh"));
        }
        let text = form.need("refresh_token", "refresh_token is missing")?;
        let shown = self.shown_refresh(text).await?.ok_or_else(refused)?;
        let grant = shown.refresh.grant.clone();
        if grant.client_id != client.id || self.is_revoked(&grant.family).await? {
            return Err(refused());
        }
        // A public client proves that it is the same by its key alone.
        if grant.key.is_some() && grant.key != key {
            return Err(OAuthError::new("invalid_dpop_proof", "the proof is of another key than the token"));
        }
        if !form.all("resource").iter().all(|resource| same_resource(resource, &grant.resource)) {
            return Err(OAuthError::new("invalid_target", "the token was issued for another resource"));
        }
        let scopes = narrowed(&grant.scopes, form.get("scope"))?;
        self.check_user(&grant).await?;
        self.keep_client(client).await?;
        let response = self.issue(client, &grant, None, &scopes)?;
        // The last step: what failed before it, or in it, is tried again with the same token.
        let next = self.spend(shown).await?;
        Ok(TokenResponse { refresh_token: Some(next), ..response })
    }

    /// Changes a token for the next one. One that was used before gets the same answer for a moment, because the first may have
    /// been lost; after that it tells that somebody else has a copy.
    async fn spend(&self, mut shown: Shown<'_>) -> Result<String, OAuthError> {
        let now = self.now();
        for _ in 0..ATTEMPTS {
            let Refresh { grant, current, before, .. } = &shown.refresh;
            let digest = random::digest(shown.text);
            if !secret::same(current, &digest) {
                let is_retry = |spent: &&Spent| {
                    secret::same(&spent.digest, &digest) && now <= spent.at.saturating_add(self.0.life.refresh_grace)
                };
                let Some(spent) = before.as_ref().filter(is_retry) else { return Err(self.used_again(&shown).await?) };
                return Ok(next_token(shown.text, &spent.seed));
            }
            let seed = random::token()?;
            let next = next_token(shown.text, &seed);
            let expires_at = now.saturating_add(self.0.life.refresh);
            let after = Refresh {
                grant: grant.clone(),
                current: random::digest(&next),
                before: Some(Spent { digest, at: now, seed }),
                expires_at,
            };
            if self.store().replace(&shown.key, &shown.kept, store::encode(&after)?, expires_at).await? {
                return Ok(next);
            }
            // Whoever loses this race came within the moment in which a token is taken again.
            let refused = OAuthError::invalid_grant("the refresh token is not valid");
            shown = self.shown_refresh(shown.text).await?.ok_or(refused)?;
        }
        Err(OAuthError::unavailable())
    }

    /// Ends a login one of whose tokens somebody has who should not.
    async fn used_again(&self, shown: &Shown<'_>) -> Result<OAuthError, OAuthError> {
        let client = &shown.refresh.grant.client_id;
        tracing::warn!(client, "a refresh token was used twice; its family is revoked");
        self.end_refresh(shown).await?;
        Ok(OAuthError::invalid_grant("the refresh token is not valid"))
    }

    /// Ends a login, and forgets its refresh tokens.
    pub(in crate::server) async fn end_refresh(&self, shown: &Shown<'_>) -> Result<(), OAuthError> {
        self.revoke_family(&shown.refresh.grant.family).await?;
        self.store().take(&shown.key).await?;
        Ok(())
    }

    /// A user who is gone, here or at the provider they came from, has no tokens either.
    async fn check_user(&self, grant: &Grant) -> Result<(), OAuthError> {
        let is_gone = match (&self.0.upstream, &self.0.users) {
            (Some(_), _) => !self.follow_third_party(&grant.family).await?,
            (None, Some(users)) => !users.contains(&grant.subject),
            (None, None) => false,
        };
        if is_gone {
            self.revoke_family(&grant.family).await?;
            return Err(OAuthError::invalid_grant("the user is no longer known"));
        }
        Ok(())
    }
}

impl Shown<'_> {
    /// Whether the token is the one that is good.
    pub(in crate::server) fn is_current(&self) -> bool {
        secret::same(&self.refresh.current, &random::digest(self.text))
    }

    /// Whether the token is the one that is good, or the one before it.
    pub(in crate::server) fn is_known(&self) -> bool {
        let digest = random::digest(self.text);
        let before = self.refresh.before.as_ref();
        self.is_current() || before.is_some_and(|spent| secret::same(&spent.digest, &digest))
    }
}

fn refresh_key(name: &str) -> String {
    format!("refresh:{}", random::digest(name))
}

/// Makes the next token of one. Who has the store but not the token cannot make it, nor who has the token but not the store.
fn next_token(text: &str, seed: &str) -> String {
    let name = text.split_once('.').map_or(text, |(name, _)| name);
    let key = hmac::Key::new(hmac::HMAC_SHA256, text.as_bytes());
    format!("{name}.{}", random::encode(hmac::sign(&key, seed.as_bytes())))
}

/// A client may ask for less than was granted, never for more.
fn narrowed(granted: &Scopes, asked: Option<&str>) -> Result<Scopes, OAuthError> {
    let Some(asked) = asked else { return Ok(granted.clone()) };
    let invalid = || OAuthError::new("invalid_scope", "more than was granted");
    let asked = Scopes::parse(asked).ok_or_else(invalid)?;
    if asked.is_subset(granted) { Ok(asked) } else { Err(invalid()) }
}
