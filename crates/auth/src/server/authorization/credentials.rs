//! Clients that act for themselves.

use crate::server::builder::AuthorizationServer;
use crate::server::oauth_clients::client::{CLIENT_CREDENTIALS, Client};
use crate::server::requests::request::Params;
use crate::server::requests::respond::OAuthError;
use crate::server::tokens::grant::Target;
use crate::server::tokens::issue::TokenResponse;

impl AuthorizationServer {
    pub(in crate::server) async fn client_credentials(
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
