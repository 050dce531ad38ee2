//! Making tokens.

use serde::Serialize;

use crate::jose::{Claims, Confirmation};
use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::client::Client;
use crate::server::requests::respond::OAuthError;
use crate::server::tokens::grant::{Grant, Target};
use crate::{Scopes, random};

/// What the token endpoint answers with.
#[derive(Clone, Debug, Default, Serialize)]
pub(in crate::server) struct TokenResponse {
    pub(in crate::server) access_token: String,
    pub(in crate::server) token_type: &'static str,
    pub(in crate::server) expires_in: u64,
    #[serde(skip_serializing_if = "Scopes::is_empty")]
    pub(in crate::server) scope: Scopes,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::server) refresh_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::server) id_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::server) issued_token_type: Option<&'static str>,
}

impl AuthorizationServer {
    /// Issues what a client gets for a user's grant: an access token, and an identity token if it asked for that.
    pub(in crate::server) fn issue(
        &self,
        client: &Client,
        grant: &Grant,
        nonce: Option<&str>,
        scopes: &Scopes,
    ) -> Result<TokenResponse, OAuthError> {
        let mut response = self.issue_access(grant, scopes)?;
        if scopes.contains("openid") {
            let now = self.now();
            let claims = Claims {
                iss: Some(self.0.issuer.clone()),
                sub: Some(grant.subject.clone()),
                aud: client.id.clone().into(),
                exp: Some(now.saturating_add(self.0.life.access)),
                iat: Some(now),
                auth_time: Some(grant.auth_time),
                nonce: nonce.map(str::to_owned),
                sid: Some(grant.family.clone()),
                ..Claims::default()
            };
            response.id_token = Some(self.0.keys.current().sign("id+jwt", &claims)?);
        }
        Ok(response)
    }

    /// Issues what a client gets without a user at hand: an access token alone, which nothing renews.
    pub(in crate::server) fn issue_alone(
        &self,
        client: &Client,
        subject: String,
        target: Target,
    ) -> Result<TokenResponse, OAuthError> {
        // These two scopes speak of a user.
        let scopes = target.scopes.without("openid").without("offline_access");
        let grant = Grant::new(client, subject, Target { scopes, ..target }, self.now())?;
        self.issue_access(&grant, &grant.scopes)
    }

    /// Issues an access token (RFC 9068), bound to the grant's key if it has one.
    fn issue_access(&self, grant: &Grant, scopes: &Scopes) -> Result<TokenResponse, OAuthError> {
        let now = self.now();
        // Scopes that are a matter between the client and us are no business of the resource.
        let scope = scopes.clone().without("openid").without("offline_access");
        let claims = Claims {
            iss: Some(self.0.issuer.clone()),
            sub: Some(grant.subject.clone()),
            aud: grant.resource.clone().into(),
            exp: Some(now.saturating_add(self.0.life.access)),
            iat: Some(now),
            jti: Some(random::token()?),
            client_id: Some(grant.client_id.clone()),
            scope: Some(scope),
            cnf: grant.key.clone().map(|key| Confirmation { jkt: Some(key), x5t_s256: None }),
            sid: Some(grant.family.clone()),
            ..Claims::default()
        };
        Ok(TokenResponse {
            access_token: self.0.keys.current().sign("at+jwt", &claims)?,
            token_type: if grant.key.is_some() { "DPoP" } else { "Bearer" },
            expires_in: self.0.life.access,
            scope: scopes.clone(),
            ..TokenResponse::default()
        })
    }
}
