//! Clients that act for themselves.

use super::builder::AuthorizationServer;
use super::client::{CLIENT_CREDENTIALS, Client};
use super::code::Grant;
use super::issue::TokenResponse;
use super::respond::OAuthError;
use super::visit::Params;
use crate::random;

impl AuthorizationServer {
    pub(super) async fn client_credentials(
        &self,
        client: &Client,
        form: &Params,
        key: Option<String>,
    ) -> Result<TokenResponse, OAuthError> {
        if client.is_public() || !client.may_use(CLIENT_CREDENTIALS) {
            return Err(OAuthError::new("unauthorized_client", "the client may not act for itself"));
        }
        let resource = self.target(&form.all("resource"))?;
        let scopes = self.scopes_for(&resource, form.get("scope"), client)?.without("openid").without("offline_access");
        let grant = Grant {
            client_id: client.id.clone(),
            // No user can have such a name, so the client is never taken for one.
            subject: format!("client:{}", client.id),
            scopes,
            resource,
            key,
            family: random::token()?,
            auth_time: self.now(),
        };
        self.issue_access(&grant, &grant.scopes)
    }
}
