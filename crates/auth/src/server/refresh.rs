//! Refresh tokens: each is used once, and a second use ends them all (OAuth 2.1, section 4.3.1).

use serde::{Deserialize, Serialize};

use super::builder::AuthorizationServer;
use super::client::{Client, REFRESH_TOKEN};
use super::grant::Grant;
use super::issue::TokenResponse;
use super::respond::OAuthError;
use super::visit::Params;
use crate::metadata::same_resource;
use crate::store;
use crate::{Scopes, random};

/// A refresh token.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Refresh {
    pub(super) grant: Grant,
    /// When it was used first.
    pub(super) used_at: Option<u64>,
    pub(super) expires_at: u64,
}

impl AuthorizationServer {
    pub(super) async fn keep_refresh(&self, grant: &Grant) -> Result<String, OAuthError> {
        let text = random::token()?;
        let expires_at = self.now().saturating_add(self.0.life.refresh);
        let refresh = Refresh { grant: grant.clone(), used_at: None, expires_at };
        self.store().save(&refresh_key(&text), &refresh, expires_at).await?;
        Ok(text)
    }

    pub(super) async fn refresh(
        &self,
        client: &Client,
        form: &Params,
        key: Option<String>,
    ) -> Result<TokenResponse, OAuthError> {
        let refused = || OAuthError::invalid_grant("the refresh token is not valid");
        if !client.may_use(REFRESH_TOKEN) {
            return Err(OAuthError::new("unauthorized_client", "the client may not refresh"));
        }
        let name = refresh_key(form.need("refresh_token", "refresh_token is missing")?);
        let before = self.store().get(&name).await?.ok_or_else(refused)?;
        let refresh: Refresh = store::decode(Some(before.clone()))?.ok_or_else(refused)?;
        let grant = refresh.grant.clone();
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
        self.spend(&name, &before, refresh).await?;
        self.keep_client(client).await?;
        self.issue(client, &grant, None, &scopes).await
    }

    /// Marks a token as used. One that was used before is taken again for a moment, because its answer may have been lost;
    /// after that it tells that somebody else has a copy.
    async fn spend(&self, name: &str, before: &[u8], refresh: Refresh) -> Result<(), OAuthError> {
        let now = self.now();
        let is_retry = |at: u64| now <= at.saturating_add(self.0.life.refresh_grace);
        match refresh.used_at {
            Some(at) if is_retry(at) => Ok(()),
            Some(_) => {
                tracing::warn!(
                    client = refresh.grant.client_id,
                    "a refresh token was used twice; its family is revoked"
                );
                self.revoke_family(&refresh.grant.family).await?;
                Err(OAuthError::invalid_grant("the refresh token is not valid"))
            }
            None => {
                let until = refresh.expires_at;
                let spent = Refresh { used_at: Some(now), ..refresh };
                // Whoever loses this race came within the moment in which a token is taken again.
                self.store().replace(name, before, store::encode(&spent)?, until).await?;
                Ok(())
            }
        }
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

pub(super) fn refresh_key(text: &str) -> String {
    format!("refresh:{}", random::digest(text))
}

/// A client may ask for less than was granted, never for more.
fn narrowed(granted: &Scopes, asked: Option<&str>) -> Result<Scopes, OAuthError> {
    let Some(asked) = asked else { return Ok(granted.clone()) };
    let invalid = || OAuthError::new("invalid_scope", "more than was granted");
    let asked = Scopes::parse(asked).ok_or_else(invalid)?;
    if asked.is_subset(granted) { Ok(asked) } else { Err(invalid()) }
}
