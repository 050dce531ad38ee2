//! The token endpoint.

use http::StatusCode;

use crate::dpop::{self, Proven};
use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::client::{
    AUTHORIZATION_CODE, CLIENT_CREDENTIALS, JWT_BEARER, REFRESH_TOKEN, TOKEN_EXCHANGE,
};
use crate::server::requests::request::ReceivedRequest;
use crate::server::requests::respond::{self, Answer, OAuthError};
use crate::server::tokens::issue::TokenResponse;

impl AuthorizationServer {
    pub(in crate::server) async fn token(&self, request: &ReceivedRequest) -> Answer {
        match self.tokens(request).await {
            Ok(response) => respond::json(StatusCode::OK, &response),
            Err(error) => respond::error(&error),
        }
    }

    async fn tokens(&self, request: &ReceivedRequest) -> Result<TokenResponse, OAuthError> {
        let form = request.form()?;
        let grant_type = form.need("grant_type", "grant_type is missing")?;
        let client = self.authenticate(request, &form).await?;
        let key = self.proven_key(request).await?;
        self.0.keys.follow().await;
        if key.is_none() && client.metadata.dpop_bound_access_tokens == Some(true) {
            return Err(OAuthError::new("invalid_dpop_proof", "all tokens of this client are bound to a key"));
        }
        match grant_type {
            AUTHORIZATION_CODE => self.redeem(&client, &form, key).await,
            REFRESH_TOKEN => self.refresh(&client, &form, key).await,
            CLIENT_CREDENTIALS => self.client_credentials(&client, &form, key).await,
            JWT_BEARER if !self.0.trusted.is_empty() => self.assertion_grant(&client, &form, key).await,
            TOKEN_EXCHANGE if !self.0.targets.is_empty() => self.exchange(&client, &form).await,
            _ => Err(OAuthError::new("unsupported_grant_type", "tokens are not issued against this")),
        }
    }

    /// Returns the key that the client proves to have, if it proves one.
    async fn proven_key(&self, request: &ReceivedRequest) -> Result<Option<String>, OAuthError> {
        if !request.parts.headers.contains_key(dpop::HEADER) {
            return Ok(None);
        }
        let url = self.endpoint("/token");
        let proven = Proven { method: request.parts.method.as_str(), url: &url, token: None };
        Ok(Some(self.0.proofs.check(&request.parts.headers, proven).await?))
    }
}
