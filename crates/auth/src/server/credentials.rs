//! Clients that act for themselves.

use super::builder::AuthorizationServer;
use super::client::{CLIENT_CREDENTIALS, Client};
use super::grant::Target;
use super::issue::TokenResponse;
use super::request::Params;
use super::respond::OAuthError;

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
        let scopes = self.scopes_for(&resource, form.get("scope"), client)?;
        // No user can have such a name, so the client is never taken for one.
        self.issue_alone(client, format!("client:{}", client.id), Target { resource, scopes, key })
    }
}
