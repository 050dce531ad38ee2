//! Giving tokens back (RFC 7009).

use http::StatusCode;

use crate::jose::Claims;
use crate::server::builder::AuthorizationServer;
use crate::server::requests::request::ReceivedRequest;
use crate::server::requests::respond::{self, Answer, OAuthError};
use crate::store::StoreError;

impl AuthorizationServer {
    pub(in crate::server) async fn revoke(&self, request: &ReceivedRequest) -> Answer {
        match self.revoked(request).await {
            Ok(()) => {
                let mut answer = respond::empty(StatusCode::OK);
                answer.headers_mut().insert("access-control-allow-origin", http::HeaderValue::from_static("*"));
                answer
            }
            Err(error) => respond::error(&error),
        }
    }

    async fn revoked(&self, request: &ReceivedRequest) -> Result<(), OAuthError> {
        let form = request.form()?;
        let client = self.authenticate(request, &form).await?;
        let token = form.need("token", "token is missing")?;
        if let Some(shown) = self.shown_refresh(token).await? {
            // A token of another client is none of this one's, and it is not told that it exists.
            if shown.refresh.grant.client_id == client.id && shown.is_known() {
                self.end_refresh(&shown).await?;
            }
            return Ok(());
        }
        match self.own_token(token).await {
            Some(claims) if claims.client_id.as_deref() == Some(client.id.as_str()) => {
                self.revoke_access(&claims).await
            }
            _ => Ok(()),
        }
    }

    async fn revoke_access(&self, claims: &Claims) -> Result<(), OAuthError> {
        let Some(name) = &claims.jti else { return Ok(()) };
        Ok(self.store().put(&format!("revoked:{name}"), Vec::new(), claims.exp.unwrap_or_default()).await?)
    }

    /// Ends all tokens of a family.
    pub(in crate::server) async fn revoke_family(&self, family: &str) -> Result<(), OAuthError> {
        let until = self.now().saturating_add(self.0.life.refresh.max(self.0.life.access));
        self.store().put(&format!("revoked:{family}"), Vec::new(), until).await?;
        self.end_third_party(family).await
    }

    /// Whether a family, or a single token, was revoked.
    pub(in crate::server) async fn is_revoked(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.store().get(&format!("revoked:{name}")).await?.is_some())
    }
}
