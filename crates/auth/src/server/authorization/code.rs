//! Codes, and what they are redeemed for.

use serde::{Deserialize, Serialize};

use crate::metadata::same_resource;
use crate::pkce::CodeChallenge;
use crate::random;
use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::client::{Client, REFRESH_TOKEN};
use crate::server::requests::request::Params;
use crate::server::requests::respond::OAuthError;
use crate::server::tokens::grant::Grant;
use crate::server::tokens::issue::TokenResponse;
use crate::store;

/// A code.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::server) struct Code {
    pub(in crate::server) grant: Grant,
    pub(in crate::server) redirect_uri: String,
    pub(in crate::server) challenge: String,
    pub(in crate::server) nonce: Option<String>,
    pub(in crate::server) used: bool,
    pub(in crate::server) expires_at: u64,
}

impl AuthorizationServer {
    /// Keeps a code under its digest.
    pub(in crate::server) async fn keep_code(&self, code: &Code) -> Result<String, OAuthError> {
        let text = random::token()?;
        self.store().save(&format!("code:{}", random::digest(&text)), code, code.expires_at).await?;
        Ok(text)
    }

    pub(in crate::server) async fn redeem(
        &self,
        client: &Client,
        form: &Params,
        key: Option<String>,
    ) -> Result<TokenResponse, OAuthError> {
        let refused = || OAuthError::invalid_grant("the code is not valid");
        let text = form.need("code", "code is missing")?;
        let name = format!("code:{}", random::digest(text));
        let before = self.store().get(&name).await?.ok_or_else(refused)?;
        let code: Code = store::decode(Some(before.clone()))?.ok_or_else(refused)?;
        if code.grant.client_id != client.id {
            return Err(refused());
        }
        if code.used {
            return Err(self.used_twice(&code).await?);
        }
        if code.expires_at <= self.now() {
            return Err(refused());
        }
        let verifier = form.need("code_verifier", "code_verifier is missing")?;
        if !CodeChallenge::parse(&code.challenge).is_some_and(|challenge| challenge.is_of(verifier)) {
            return Err(refused());
        }
        if form.get("redirect_uri").is_some_and(|uri| uri != code.redirect_uri) {
            return Err(refused());
        }
        if code.grant.key.is_some() && code.grant.key != key {
            return Err(OAuthError::new("invalid_dpop_proof", "the proof is of another key than the request"));
        }
        if !form.all("resource").iter().all(|resource| same_resource(resource, &code.grant.resource)) {
            return Err(OAuthError::new("invalid_target", "the code was issued for another resource"));
        }
        let spent = store::encode(&Code { used: true, ..code.clone() })?;
        let grant = Grant { key, ..code.grant.clone() };
        let mut response = self.issue(client, &grant, code.nonce.as_deref(), &grant.scopes)?;
        if client.may_use(REFRESH_TOKEN) {
            response.refresh_token = Some(self.keep_refresh(&grant).await?);
        }
        // The last step, so that a code is not lost to a failure before it. It is remembered beyond its end, as long as its tokens
        // can live, so that a second use is noticed.
        let until = self.now().saturating_add(self.0.life.refresh.max(self.0.life.access));
        let is_first = self.store().replace(&name, &before, spent, until).await;
        if let (Ok(false) | Err(_), Some(refresh)) = (&is_first, &response.refresh_token) {
            self.forget_refresh(refresh).await;
        }
        if !is_first? {
            // Another request was faster by a hair, which is no less a second use.
            return Err(self.used_twice(&code).await?);
        }
        Ok(response)
    }

    /// Ends what came of a code: somebody has it who should not, and nobody knows which of the two it was.
    async fn used_twice(&self, code: &Code) -> Result<OAuthError, OAuthError> {
        tracing::warn!(client = code.grant.client_id, "a code was used twice; its tokens are revoked");
        self.revoke_family(&code.grant.family).await?;
        Ok(OAuthError::invalid_grant("the code is not valid"))
    }
}
